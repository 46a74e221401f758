"""Files dragged from a real file manager onto the mascot are read, or refused with a reason."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.desktop.conftest import Start
from tests.desktop.running_app import Profile, RunningApp
from tests.desktop.screen import Box, Screen, XWindow, near, until
from tests.samples.pdf import text_pdf
from tests.samples.word import docx, paragraph

pytestmark = [
    pytest.mark.desktop,
    pytest.mark.skipif(shutil.which("pcmanfm") is None, reason="no pcmanfm"),
    pytest.mark.skipif(shutil.which("dbus-run-session") is None, reason="no dbus-run-session"),
]

DANGER_TEXT = "#e6786c"
FILES_SIZE = (640, 400)
SETTINGS = """
[config]
single_click=0
[ui]
always_show_tabs=0
side_pane_mode=hidden;places
show_statusbar=0
view_mode=icon
"""

Show = Callable[[str, bytes], tuple[int, int]]


@pytest.fixture
def show_file(screen: Screen, tmp_path: Path) -> Iterator[Show]:
    """Opens a folder with this one file in the file manager; where its icon is."""
    managers: list[subprocess.Popen[bytes]] = []

    def show(name: str, content: bytes) -> tuple[int, int]:
        folder = tmp_path / f"files-{len(managers)}"
        folder.mkdir()
        (folder / name).write_bytes(content)
        config = tmp_path / f"config-{len(managers)}"
        (config / "pcmanfm" / "default").mkdir(parents=True)
        (config / "pcmanfm" / "default" / "pcmanfm.conf").write_text(SETTINGS, encoding="utf-8")
        environment = screen.environment | {
            "XDG_CONFIG_HOME": str(config),
            "XDG_RUNTIME_DIR": str(config),
            "HOME": str(config),
        }
        managers.append(
            subprocess.Popen(
                ["dbus-run-session", "--", "pcmanfm", str(folder)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
        window = until(lambda: folder_window(screen, folder.name), "the file manager")
        screen.run("wmctrl", "-i", "-r", window, "-e", "0,300,330,640,400")
        screen.run("wmctrl", "-i", "-a", window)
        return until(lambda: icon_place(screen, window), "the file's icon")

    yield show
    for manager in managers:
        os.killpg(manager.pid, signal.SIGTERM)
        manager.wait(10)


def folder_window(screen: Screen, title: str) -> str:
    lines = screen.run("wmctrl", "-l").splitlines()
    return next((line.split()[0] for line in lines if line.endswith(title)), "")


def icon_place(screen: Screen, window: str) -> tuple[int, int] | None:
    """The middle of what is drawn at the first place of the white icon view."""
    place = screen.box_of(window)
    view = Box(place.x + 4, place.y + 72, 110, 54)
    if (place.width, place.height) != FILES_SIZE:
        return None
    image = screen.picture("drop-files", view)
    dark = [
        (x, y)
        for y in range(image.height())
        for x in range(image.width())
        if (image.pixel(x, y) & 0xFFFFFF) < 0xF0F0F0
    ]
    if not 100 < len(dark) < image.width() * image.height() / 2:
        return None
    return (
        view.x + sum(x for x, _ in dark) // len(dark),
        view.y + sum(y for _, y in dark) // len(dark),
    )


def read_texts(profile: Profile) -> list[str]:
    """The texts of the files that were read and not sent yet."""
    rows = profile.rows("SELECT text FROM attachments WHERE is_sent = 0 ORDER BY created_at")
    return [text for (text,) in rows]


def mascot_of(island: XWindow) -> tuple[int, int]:
    return island.box.x + 34, island.box.y + 28


def open_thread(app: RunningApp, screen: Screen) -> None:
    """Click "Open", which stands right of the island's offer to ask what the file says."""
    offer = app.yes_button(app.island, "drop-offer")
    screen.click(offer.x + offer.width + 30, offer.centre[1])
    until(lambda: not app.main().is_minimised, "the window to come forward")


@pytest.mark.spec("ISL-4", "DOC-1")
@pytest.mark.parametrize(
    ("name", "content", "question", "answer"),
    [
        (
            "lease one.pdf",
            text_pdf("The rent is 900 euros.", "The lease ends in May."),
            "what does it say about rent?",
            "The rent is 900 euros.",
        ),
        (
            "letter.docx",
            docx(paragraph("The boiler was repaired in June.") + paragraph("Kind regards")),
            "what does it say about the boiler?",
            "The boiler was repaired in June.",
        ),
    ],
    ids=["pdf", "docx"],
)
def test_a_file_dropped_on_the_mascot_is_read_and_asked_about(
    profile: Profile,
    start: Start,
    screen: Screen,
    show_file: Show,
    name: str,
    content: bytes,
    question: str,
    answer: str,
) -> None:
    app = start(profile)
    island = app.island()
    screen.minimise(app.main())
    icon = show_file(name, content)
    screen.drag(icon, mascot_of(island))
    until(lambda: read_texts(profile), "the text of the file")
    screen.picture(f"drop-{name.rpartition('.')[2]}-read")
    open_thread(app, screen)
    app.say(question)
    until(
        lambda: any(
            answer in reply["text"] for reply in profile.items("reply") if reply["status"] == "done"
        ),
        "an answer that quotes the file",
    )
    screen.picture(f"drop-{name.rpartition('.')[2]}-answered")
    assert profile.approvals() == []
    assert app.quit() == 0


@pytest.mark.spec("ISL-4", "DOC-1")
def test_a_broken_file_is_refused_with_a_reason_and_nothing_is_attached(
    profile: Profile, start: Start, screen: Screen, show_file: Show
) -> None:
    app = start(profile)
    island = app.island()
    screen.minimise(app.main())
    quiet = screen.picture("drop-broken-before", island.box)
    icon = show_file("broken.pdf", b"%PDF-1.7\nthis is no document\n%%EOF\n")
    screen.drag(icon, mascot_of(island))
    until(lambda: app.island().box.height > island.box.height, "the island to say something")
    until(lambda: has_colour(screen, app, DANGER_TEXT), "the reason in the colour of a failure")
    screen.picture("drop-broken")
    assert not quiet.isNull()
    assert read_texts(profile) == []
    assert app.quit() == 0


def has_colour(screen: Screen, app: RunningApp, colour: str) -> bool:
    image = screen.picture("drop-broken", app.island().box)
    points = ((x, y) for y in range(image.height()) for x in range(image.width()))
    return sum(near(image.pixel(x, y), colour, 24) for x, y in points) > 20
