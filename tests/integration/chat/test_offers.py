"""A model server of this machine is found while the chat waits, and is let answer (CLI-1)."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ankita.app import make_engine
from ankita.cli.chat import TerminalChat
from ankita.composition import Wanted
from ankita.paths import ProfilePaths
from tests.servers.scripted_chat_server import scripted_server_thread, text

pytestmark = pytest.mark.spec("CLI-1", "PRV-2")

SECONDS = 60.0


class Screen(io.StringIO):
    """What is shown, and a way to wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition()

    def write(self, text: str) -> int:
        with self._changed:
            written = super().write(text)
            self._changed.notify_all()
        return written

    def wait_for(self, words: str) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: words in self.getvalue(), SECONDS), (
                f"no {words!r} in {self.getvalue()}"
            )


class Person(io.StringIO):
    """Types each line once its words are on the screen."""

    def __init__(self, screen: Screen, script: Iterator[tuple[str, str]]) -> None:
        super().__init__()
        self._screen = screen
        self._script = script

    def readline(self, size: int = -1, /) -> str:
        del size
        words, line = next(self._script, ("", ""))
        self._screen.wait_for(words)
        return f"{line}\n" if line else ""


def test_what_is_found_is_told_while_the_chat_waits_and_one_command_uses_it(
    tmp_path: Path,
) -> None:
    with scripted_server_thread([text("I am here.")] * 30) as server:
        port = urlsplit(server.base_url).port
        assert port is not None
        engine = make_engine(ProfilePaths(tmp_path), Wanted(look_at=(port,)))
        engine.start()
        try:
            engine.ready.result(SECONDS)
            screen = Screen()
            script = [
                (f"at 127.0.0.1:{port}", "/use 1"),
                ("scripted-model · local", "hello"),
                ("I am here.", "/builtin"),
                ("Built-in assistant", "/servers"),
                ("  1 ", "/decline 1"),
                ("not offered again", "/servers"),
                ("No model server was found", "/quit"),
            ]
            assert TerminalChat(engine, Person(screen, iter(script)), screen).run() == 0
        finally:
            assert engine.stop(SECONDS)
    asked = {request.method for request in server.requests}
    assert asked == {"GET", "POST"}
