"""One desktop app for each profile: who is first, and what the others do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
from pytestqt.qtbot import QtBot

from ankita.ui.single_instance import Claim, SingleInstance, server_name

LAUNCH = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from ankita.ui.single_instance import SingleInstance
application = QCoreApplication([])
lock, name, version, seconds = sys.argv[1:5]
instance = SingleInstance(Path(lock), name, version, answer_seconds=float(seconds))
print(instance.claim().name, flush=True)
if len(sys.argv) > 5:
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)
"""

VERSION = "1.0"


class Place:
    """A lock file and a server's name of this test's own."""

    def __init__(self, folder: Path) -> None:
        self.lock = folder / "window.lock"
        self.name = server_name(folder, {})

    def instance(self) -> SingleInstance:
        return SingleInstance(self.lock, self.name, VERSION)

    def launch(
        self, *more: str, version: str = VERSION, answer_seconds: float = 20.0
    ) -> subprocess.Popen[str]:
        """Another process that claims the profile and prints what it found."""
        words = [str(self.lock), self.name, version, str(answer_seconds), *more]
        return subprocess.Popen(
            [sys.executable, "-c", LAUNCH, *words], stdout=subprocess.PIPE, text=True
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def first(place: Place, qtbot: QtBot) -> Iterator[SingleInstance]:
    del qtbot
    instance = place.instance()
    assert instance.claim() is Claim.FIRST
    assert instance.listen()
    yield instance
    instance.release()


def told(launch: subprocess.Popen[str]) -> str:
    output, _ = launch.communicate(timeout=30)
    return output.strip()


@pytest.mark.spec("APP-4")
def test_a_second_launch_has_the_first_show_its_window(
    place: Place, first: SingleInstance, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(first.show_requested, timeout=20_000) as shown:
        second = place.launch()
    assert shown.args == [VERSION]
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=20_000)
    assert told(second) == "SHOWN"


def test_a_launch_of_another_version_is_told_apart(
    place: Place, first: SingleInstance, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(first.show_requested, timeout=20_000) as shown:
        second = place.launch(version="2.0")
    assert shown.args == ["2.0"]
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=20_000)
    assert told(second) == "OTHER_VERSION"


@pytest.mark.spec("APP-4")
@pytest.mark.skipif(os.name != "posix", reason="kills a process the POSIX way")
def test_what_a_killed_instance_left_behind_is_taken_over(place: Place, qtbot: QtBot) -> None:
    del qtbot
    assert told(place.launch("die")) == "FIRST"
    assert place.lock.exists()
    instance = place.instance()
    assert instance.claim() is Claim.FIRST
    assert instance.listen()
    instance.release()


@pytest.mark.spec("APP-4")
def test_a_first_instance_that_hangs_is_reported_and_not_waited_for(
    place: Place, first: SingleInstance
) -> None:
    # This thread waits for the child and so never answers, as a hung window would.
    assert told(place.launch(answer_seconds=0.5)) == "SILENT"
    assert first.holder() == os.getpid()


def test_a_launch_waits_for_a_first_instance_that_does_not_listen_yet(
    place: Place, qtbot: QtBot
) -> None:
    instance = place.instance()
    assert instance.claim() is Claim.FIRST
    second = place.launch()
    qtbot.waitUntil(lambda: second.poll() is None, timeout=1000)
    assert instance.listen()
    qtbot.waitUntil(lambda: second.poll() is not None, timeout=20_000)
    assert told(second) == "SHOWN"
    instance.release()


def test_noise_on_the_socket_shows_nothing_and_is_cut_off(
    place: Place, first: SingleInstance, qtbot: QtBot
) -> None:
    heard: list[str] = []
    first.show_requested.connect(heard.append)
    for noise in (b"hide 1.0\n", b"\xff\xfe\n", b"x" * 10_000):
        socket = QLocalSocket()
        socket.connectToServer(place.name)
        socket.write(noise)
        qtbot.waitUntil(
            lambda s=socket: s.state() == QLocalSocket.LocalSocketState.UnconnectedState,
            timeout=5000,
        )
    assert heard == []


def test_after_a_release_the_next_launch_is_the_first(place: Place, qtbot: QtBot) -> None:
    del qtbot
    instance = place.instance()
    assert instance.claim() is Claim.FIRST
    instance.release()
    instance.release()
    following = place.instance()
    assert following.claim() is Claim.FIRST
    following.release()


@pytest.mark.skipif(os.name != "posix", reason="symbolic links need rights elsewhere")
def test_the_same_profile_by_another_path_is_the_same_profile(tmp_path: Path) -> None:
    profile, other, link = tmp_path / "p", tmp_path / "q", tmp_path / "link"
    profile.mkdir()
    other.mkdir()
    link.symlink_to(profile)
    assert server_name(link, {}) == server_name(profile, {})
    assert server_name(other, {}) != server_name(profile, {})


@pytest.mark.skipif(sys.platform == "win32", reason="names of pipes have no folder")
def test_the_socket_lies_in_the_users_own_run_time_folder(tmp_path: Path) -> None:
    name = server_name(tmp_path, {"XDG_RUNTIME_DIR": str(tmp_path)})
    assert Path(name).parent == tmp_path
    assert not Path(server_name(tmp_path, {"XDG_RUNTIME_DIR": "relative"})).is_absolute()
