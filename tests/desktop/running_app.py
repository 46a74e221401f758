"""The real entry point as a child process on a virtual screen, with a profile of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.desktop.screen import Box, Screen, XWindow, blocks_of, is_blank, until

YES_COLOUR = "#7ccba2"
"""What fills the first yes of a question in the dark theme."""

CLICK_SECONDS = 1.0
"""A question ignores clicks just after it appeared, so a person clicks again after this."""

QUIT_SECONDS = 15.0


@dataclass
class Profile:
    """A profile folder, its settings, and the truth in its database."""

    root: Path
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        document = {"version": 1, "theme": "dark", "motion": "reduced", **self.settings}
        path = self.root / "settings.json"
        if not path.exists():
            path.write_text(json.dumps(document), encoding="utf-8")

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Read the engine's own database; empty while there is none yet."""
        database = self.root / "ankita.db"
        if not database.exists():
            return []
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=5)
        try:
            return list(connection.execute(query, values))
        except sqlite3.OperationalError:
            return []  # being created right now
        finally:
            connection.close()

    def items(self, kind: str) -> list[dict[str, Any]]:
        """The bodies of all items of a kind ("user", "reply", "tool", "notice"), in order."""
        found = self.rows("SELECT body FROM items WHERE kind = ? ORDER BY rowid", kind)
        return [json.loads(body) for (body,) in found]

    def approvals(self) -> list[str]:
        """The states of all requests, the oldest first."""
        return [state for (state,) in self.rows("SELECT state FROM approvals ORDER BY created_at")]

    def remembers(self, key: str) -> Any:
        """A value of the windows' own state on disk."""
        path = self.root / "ui-state.json"
        return json.loads(path.read_text("utf-8")).get(key) if path.exists() else None

    def turns(self) -> list[str]:
        return [status for (status,) in self.rows("SELECT status FROM turns ORDER BY started_at")]


class RunningApp:
    """Starts at once; `quit` or `kill` ends it, and `end` cleans up whatever happened."""

    def __init__(
        self, screen: Screen, profile: Profile, command: Sequence[str | Path] = ()
    ) -> None:
        self._screen = screen
        self._profile = profile
        self.errors = profile.root.with_name(f"{profile.root.name}-stderr.txt")
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                list(command) or [sys.executable, "-m", "ankita"],
                env=self.environment,
                cwd=profile.root.parent,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )

    @property
    def environment(self) -> dict[str, str]:
        run_time = self._profile.root.with_name(f"{self._profile.root.name}-run")
        run_time.mkdir(mode=0o700, exist_ok=True)
        return self._screen.environment | {
            "ANKITA_HOME": str(self._profile.root),
            "XDG_RUNTIME_DIR": str(run_time),
            "ANKITA_TRACE_START": "1",
        }

    def windows(self) -> tuple[XWindow, XWindow]:
        """The main window and the island, once both are there."""
        return until(self._both, "the two windows")

    def main(self) -> XWindow:
        return self.windows()[0]

    def island(self) -> XWindow:
        return self.windows()[1]

    def drawn(self, name: str) -> tuple[XWindow, XWindow]:
        """Both windows, after each shows something on the X server."""

        def look() -> tuple[XWindow, XWindow] | None:
            windows = self.windows()
            whole = self._screen.picture(name)
            parts = (whole.copy(w.box.x, w.box.y, w.box.width, w.box.height) for w in windows)
            return None if any(is_blank(part) for part in parts) else windows

        return until(look, "both windows to show something")

    def yes_button(self, which: Callable[[], XWindow], name: str) -> Box:
        """Where the question's first yes is on the screen; the window may still be growing."""

        def look() -> Box | None:
            window = which()
            found = blocks_of(self._screen.picture(name, window.box), YES_COLOUR)
            if not found:
                return None
            box = found[0]
            return Box(window.box.x + box.x, window.box.y + box.y, box.width, box.height)

        return until(look, "a yes button")

    def say_yes(self, which: Callable[[], XWindow], name: str) -> None:
        """Click the yes in a window until the engine's record has an answer."""
        before = self._profile.approvals().count("pending")

        def answered() -> bool:
            return self._profile.approvals().count("pending") < before

        for _ in range(10):
            self._screen.click(*self.yes_button(which, name).centre)
            with contextlib.suppress(AssertionError):
                until(answered, "the answer", CLICK_SECONDS)
                return
        raise AssertionError("clicks on yes were not taken")

    def say(self, text: str) -> None:
        """Type a message into the main window, which has the focus, and send it."""
        self._focus()
        self._screen.type(text)
        self._screen.press("Return")
        until(
            lambda: text in [item["text"] for item in self._profile.items("user")],
            f"the message {text!r} to be sent",
        )

    def quit(self) -> int:
        """Ctrl+Q in the main window; the exit code."""
        self._focus()
        self._screen.press("ctrl+q")
        return self.process.wait(QUIT_SECONDS)

    def _focus(self) -> None:
        """Bring the main window forward, as a click in a task bar does."""
        main = self.main()

        def is_active() -> bool:
            self._screen.run("xdotool", "windowactivate", main.id)
            return self._screen.active() == main.id

        until(is_active, "the window to have the focus")

    def kill(self) -> None:
        """As a power cut or the task manager does it."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(QUIT_SECONDS)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(QUIT_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait(QUIT_SECONDS)

    def _both(self) -> tuple[XWindow, XWindow]:
        assert self.process.poll() is None, self.errors.read_text(encoding="utf-8")
        found = self._screen.windows_of(self.process.pid)
        islands = [window for window in found if "_TYPE_UTILITY" in window.types]
        mains = [window for window in found if window not in islands]
        assert mains, f"no main window among {found}; {self.errors.read_text('utf-8')}"
        assert islands, f"no island among {found}; {self.errors.read_text('utf-8')}"
        return mains[0], islands[0]
