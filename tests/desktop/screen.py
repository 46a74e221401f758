"""A virtual X screen with a window manager and a compositor, and what a person does on it.

Everything waits for states: `until` asks again and again and fails with what it last saw.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from PySide6.QtGui import QImage

T = TypeVar("T")

WIDTH, HEIGHT = 1280, 800
PATIENCE_SECONDS = 30.0
LOOK_AGAIN_SECONDS = 0.05
PICTURES = Path(__file__).resolve().parents[2] / "build" / "desktop"


def until(look: Callable[[], T], what: str, seconds: float = PATIENCE_SECONDS) -> T:
    """The first true value of `look`. AssertionErrors of it count as not yet."""
    deadline = time.monotonic() + seconds
    last: object = None
    while time.monotonic() < deadline:
        try:
            found = look()
        except AssertionError as error:
            last = error
        else:
            if found:
                return found
            last = found
        time.sleep(LOOK_AGAIN_SECONDS)
    raise AssertionError(f"waited {seconds:.0f} s for {what}; last: {last!r}")


@dataclass(frozen=True)
class Box:
    """A rectangle of the screen in pixels."""

    x: int
    y: int
    width: int
    height: int

    @property
    def centre(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2


@dataclass(frozen=True)
class XWindow:
    """One top-level window as the X server tells it."""

    id: str
    title: str
    box: Box
    types: str
    states: str

    @property
    def is_minimised(self) -> bool:
        return "_NET_WM_STATE_HIDDEN" in self.states


class Screen:
    """Starts the servers in `start`, ends them in `stop`."""

    def __init__(self, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.width, self.height = width, height
        self.display = ""
        self._servers: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        reads, writes = os.pipe()
        size = f"{self.width}x{self.height}x24"
        command = ["Xvfb", "-displayfd", str(writes), "-screen", "0", size]
        self._servers.append(
            subprocess.Popen(
                [*command, "-nolisten", "tcp"],
                pass_fds=(writes,),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        os.close(writes)
        with os.fdopen(reads) as pipe:
            number = pipe.readline().strip()
        assert number, "Xvfb did not start"
        self.display = f":{number}"
        self._serve("openbox")
        until(lambda: "window id" in self.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"), "wm")
        self._serve("picom", "--backend", "xrender", "--config", os.devnull)

    def stop(self) -> None:
        for server in reversed(self._servers):
            server.terminate()
            server.wait(10)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
        return kept | {"DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb"}

    def run(self, *command: str) -> str:
        """Standard output; a failing command gives what it printed all the same."""
        found = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=30
        )
        return found.stdout

    def windows_of(self, process_id: int) -> list[XWindow]:
        """The visible and minimised top-level windows of a process."""
        listed = self.run("wmctrl", "-l", "-p", "-G")
        found = []
        for line in listed.splitlines():
            parts = line.split(None, 8)
            if len(parts) >= 8 and parts[2] == str(process_id):
                found.append(self._window(parts[0]))
        return [window for window in found if window is not None]

    def box_of(self, window_id: str) -> Box:
        """Where a window's own surface is, without its frame; all zero when it is gone."""
        told = self.run("xwininfo", "-id", window_id)
        words = ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")
        found = [re.search(rf"{each}:\s+(-?\d+)", told) for each in words]
        return Box(*(int(number.group(1)) if number else 0 for number in found))

    def picture(self, name: str, box: Box | None = None) -> QImage:
        """Grab the screen, keep the whole of it as build/desktop/`name`.png, give the part."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        path = PICTURES / f"{name}.png"
        self.run("import", "-window", "root", str(path))
        image = QImage(str(path))
        assert not image.isNull(), f"no picture at {path}"
        return image if box is None else image.copy(box.x, box.y, box.width, box.height)

    def click(self, x: int, y: int) -> None:
        self.run("xdotool", "mousemove", str(x), str(y), "click", "1")

    def move(self, x: int, y: int) -> None:
        self.run("xdotool", "mousemove", str(x), str(y))

    def press(self, *keys: str) -> None:
        self.run("xdotool", "key", "--clearmodifiers", *keys)

    def type(self, text: str) -> None:
        self.run("xdotool", "type", "--delay", "8", text)

    def minimise(self, window: XWindow) -> None:
        self.run("xdotool", "windowminimize", window.id)

    def close(self, window: XWindow) -> None:
        self.run("wmctrl", "-i", "-c", window.id)

    def active(self) -> str:
        """The id of the window that has the focus, as in XWindow.id, or an empty text."""
        found = re.search(r"0x[0-9a-f]+", self.run("xprop", "-root", "_NET_ACTIVE_WINDOW"))
        return f"0x{int(found.group(), 16):08x}" if found else ""

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Press, move in small steps as a hand does, and let go."""
        self.move(*start)
        self.run("xdotool", "mousedown", "1")
        steps = 24
        for step in range(1, steps + 1):
            x = start[0] + (end[0] - start[0]) * step // steps
            y = start[1] + (end[1] - start[1]) * step // steps
            self.move(x, y)
            time.sleep(0.02)  # the speed of a hand: a file manager ignores a jump
        self.move(end[0] + 1, end[1])
        self.run("xdotool", "mouseup", "1")

    def _serve(self, *command: str) -> None:
        self._servers.append(
            subprocess.Popen(
                command,
                env=self.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )

    def _window(self, window_id: str) -> XWindow | None:
        told = self.run("xprop", "-id", window_id, "_NET_WM_NAME", "_NET_WM_WINDOW_TYPE")
        states = self.run("xprop", "-id", window_id, "_NET_WM_STATE")
        box = self.box_of(window_id)
        if box.width == 0:
            return None
        title = re.search(r'_NET_WM_NAME\(UTF8_STRING\) = "(.*)"', told)
        return XWindow(
            window_id,
            title.group(1) if title else "",
            box,
            told,
            states,
        )


def is_blank(image: QImage, least_colours: int = 6) -> bool:
    """Whether a picture shows nothing: next to no difference between its parts."""
    return len(colours(image)) < least_colours


def colours(image: QImage) -> set[int]:
    """The colours at a grid of points, with the lowest bits left out."""
    step = max(min(image.width(), image.height()) // 60, 1)
    return {
        image.pixel(x, y) & 0xF8F8F8
        for y in range(0, image.height(), step)
        for x in range(0, image.width(), step)
    }


def near(pixel: int, colour: str, tolerance: int = 6) -> bool:
    """Whether a pixel has the colour, written as #rrggbb, or nearly so."""
    parts = (pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255)
    wanted = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return all(abs(a - b) <= tolerance for a, b in zip(parts, wanted, strict=True))


def blocks_of(image: QImage, colour: str, *, tolerance: int = 20) -> list[Box]:
    """The filled rectangles of one colour, as large as a button, from the top.

    The tolerance takes in the tint of a button under the pointer.
    """
    rows: list[Box] = []
    open_boxes: list[Box] = []
    for y in range(image.height()):
        runs = _runs(image, y, colour, tolerance)
        kept: list[Box] = []
        for left, right in runs:
            match = next((b for b in open_boxes if b.x < right and left < b.x + b.width), None)
            if match is None:
                kept.append(Box(left, y, right - left, 1))
            else:
                x, end = min(match.x, left), max(match.x + match.width, right)
                kept = [each for each in kept if not (each.x < end and x < each.x + each.width)]
                kept.append(Box(x, match.y, end - x, y - match.y + 1))
        rows += [b for b in open_boxes if not any(k.y == b.y and _meet(k, b) for k in kept)]
        open_boxes = kept
    rows += open_boxes
    return sorted((b for b in rows if b.width >= 40 and 18 <= b.height <= 60), key=lambda b: b.y)


def _meet(first: Box, second: Box) -> bool:
    return first.x < second.x + second.width and second.x < first.x + first.width


def _runs(image: QImage, y: int, colour: str, tolerance: int) -> list[tuple[int, int]]:
    """Stretches of the colour in one row; the letters on a button may interrupt them."""
    gap, least = 14, 20
    runs: list[tuple[int, int]] = []
    for x in range(image.width()):
        if near(image.pixel(x, y), colour, tolerance):
            if runs and x - runs[-1][1] <= gap:
                runs[-1] = (runs[-1][0], x + 1)
            else:
                runs.append((x, x + 1))
    return [(left, right) for left, right in runs if right - left >= least]
