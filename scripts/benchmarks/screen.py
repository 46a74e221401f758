"""A screen of its own for the windows that are measured, and an eye that looks at it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

LEAST_COLOURS = 4
"""A picture of the screen with fewer colours than this is a blank window on a plain ground."""

NEEDED = ("Xvfb", "openbox")

# No frames and no titles: whatever is drawn on the plain screen was drawn by the app.
OPENBOX = """<?xml version="1.0"?><openbox_config xmlns="http://openbox.org/3.4/rc">
<applications><application class="*"><decor>no</decor></application></applications>
</openbox_config>"""


class VirtualScreen:
    """An X server and a window manager for as long as the block lasts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._servers: list[subprocess.Popen[bytes]] = []
        self.environment: dict[str, str] = {}

    def __enter__(self) -> VirtualScreen:
        reads, writes = os.pipe()
        command = ["Xvfb", "-displayfd", str(writes), "-screen", "0", "1280x800x24"]
        self._serve([*command, "-nolisten", "tcp"], dict(os.environ), writes)
        os.close(writes)
        with os.fdopen(reads) as pipe:
            display = f":{pipe.readline().strip()}"
        kept = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
        # As an installed app: its byte code is compiled once, in the round that is not counted.
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        self.environment = kept | {
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "ANKITA_TRACE_START": "1",
            "PYTHONPYCACHEPREFIX": str(self._folder / "bytecode"),
        }
        rules = self._folder / "openbox.xml"
        rules.write_text(OPENBOX, encoding="utf-8")
        self._serve(["openbox", "--config-file", str(rules)], self.environment)
        return self

    def __exit__(self, *_: object) -> None:
        for server in reversed(self._servers):
            server.terminate()
            server.wait(10)

    def _serve(self, command: list[str], environment: dict[str, str], *keep: int) -> None:
        self._servers.append(
            subprocess.Popen(
                command,
                env=environment,
                pass_fds=keep,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )


class Watcher:
    """Looks at the screen from outside, the same way for every app."""

    def __init__(self, environment: dict[str, str]) -> None:
        os.environ.update(environment)
        from PySide6.QtGui import QGuiApplication

        self._application = QGuiApplication(["bench"])

    def is_blank(self) -> bool:
        screen = self._application.primaryScreen()
        image = screen.grabWindow(0).toImage()
        points = ((x, y) for y in range(4, image.height(), 29) for x in range(4, image.width(), 29))
        return len({image.pixel(x, y) & 0xF0F0F0 for x, y in points}) < LEAST_COLOURS
