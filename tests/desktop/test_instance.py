"""One app a profile, a second launch, a killed app, and a quit that leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys

import psutil
import pytest

from tests.desktop.conftest import Start
from tests.desktop.running_app import Profile, RunningApp
from tests.desktop.screen import Box, Screen, near, until

pytestmark = pytest.mark.desktop

DANGER = "#e6786c"
LAUNCH = [sys.executable, "-m", "ankita"]


def launch_again(app: RunningApp) -> subprocess.CompletedProcess[str]:
    return subprocess.run(LAUNCH, env=app.environment, capture_output=True, text=True, timeout=30)


@pytest.mark.spec("APP-4")
def test_a_second_launch_brings_the_first_forward_and_exits(
    profile: Profile, start: Start, screen: Screen
) -> None:
    app = start(profile)
    main = app.main()
    screen.minimise(main)
    until(lambda: app.main().is_minimised, "the window to be minimised")
    second = launch_again(app)
    assert second.returncode == 0, second.stderr
    until(lambda: not app.main().is_minimised, "the window to come back")
    until(lambda: screen.active() == main.id, "the window to have the focus")
    assert app.process.poll() is None


@pytest.mark.spec("APP-4")
def test_a_second_launch_opens_a_window_that_was_closed(
    profile: Profile, start: Start, screen: Screen
) -> None:
    app = start(profile)
    main = app.main()
    screen.close(main)
    until(lambda: main.id not in [w.id for w in screen.windows_of(app.process.pid)], "closed")
    assert app.process.poll() is None, "closing the window is not quitting"
    assert launch_again(app).returncode == 0
    app.drawn("instance-reopened")


@pytest.mark.spec("APP-4")
def test_after_a_kill_the_next_start_works(profile: Profile, start: Start) -> None:
    first = start(profile)
    first.windows()
    first.kill()
    assert (profile.root / "window.lock").exists()
    second = start(profile)
    second.drawn("instance-after-kill")
    assert second.quit() == 0


@pytest.mark.spec("APP-6")
def test_beside_a_terminal_chat_the_window_opens_and_says_why_nothing_answers(
    profile: Profile, start: Start, screen: Screen
) -> None:
    environment = os.environ | {"ANKITA_HOME": str(profile.root)}
    with subprocess.Popen(
        [*LAUNCH, "chat"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as chat:
        until(lambda: (profile.root / "ankita.db").exists(), "the terminal's engine")
        app = start(profile)
        app.drawn("instance-beside-chat")
        until(lambda: notice_mark(app, screen), "the notice")
        assert app.quit() == 0
        assert chat.poll() is None
        chat.kill()


@pytest.mark.spec("APP-5")
def test_quit_ends_every_child_and_releases_the_locks(profile: Profile, start: Start) -> None:
    app = start(profile)
    app.say("/tool run_command command='sleep 300' background=true")
    until(lambda: profile.approvals() == ["pending"], "the question")
    app.say_yes(app.main, "instance-job")
    until(lambda: "sleep 300" in children_of(app), "the job to run")
    children = psutil.Process(app.process.pid).children(recursive=True)
    assert app.quit() == 0
    _, alive = psutil.wait_procs(children, timeout=5)
    assert alive == []
    assert not (profile.root / "window.lock").exists()
    assert start(profile).drawn("instance-after-quit")


@pytest.mark.spec("APP-5")
def test_a_termination_signal_is_a_quit(profile: Profile, start: Start) -> None:
    app = start(profile)
    app.windows()
    app.process.terminate()
    assert app.process.wait(15) == 0
    assert not (profile.root / "window.lock").exists()


def children_of(app: RunningApp) -> str:
    found = psutil.Process(app.process.pid).children(recursive=True)
    return " | ".join(" ".join(child.cmdline()) for child in found if child.is_running())


def notice_mark(app: RunningApp, screen: Screen) -> bool:
    """Whether the red dot of an error stands at the top of the window."""
    box = app.main().box
    image = screen.picture("instance-notice", Box(box.x + 56, box.y, 60, 60))
    points = [(x, y) for y in range(image.height()) for x in range(image.width())]
    return sum(near(image.pixel(x, y), DANGER) for x, y in points) > 10
