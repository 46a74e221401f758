"""`ankita chat`: a conversation with the engine in the terminal or in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TextIO

from ankita import __version__
from ankita.cli.console import Console, complete_names
from ankita.cli.following import Following
from ankita.cli.lines import answering_words, approval_lines, unknown_command
from ankita.cli.slash import SlashCommands
from ankita.cli.standard_streams import nobody_reads, take_any_text
from ankita.cli.talk import Talk
from ankita.cli.typed_ahead import NothingAhead, TypedAhead, typed_ahead
from ankita.engine import commands as c
from ankita.engine.actions import Action, Surface, find_action
from ankita.engine.engine import Engine
from ankita.engine.state import EngineState
from ankita.errors import AnkitaError
from ankita.paths import ProfilePaths

STOP_SECONDS = 10.0
EXIT_OK, EXIT_FAILED = 0, 1


def run_chat(paths: ProfilePaths, message: str | None = None) -> int:
    """Talk until /quit or the end of the input, or send one message; the exit code."""
    from ankita.app import make_engine

    take_any_text()
    engine = make_engine(paths)
    engine.start()
    try:
        engine.ready.result()
        return _talk(engine, paths, message)
    except BrokenPipeError:
        nobody_reads()
        return EXIT_FAILED
    finally:
        engine.stop(STOP_SECONDS)


def _talk(engine: Engine, paths: ProfilePaths, message: str | None) -> int:
    if message is not None:
        chat = TerminalChat(engine, sys.stdin, sys.stdout, aside=sys.stderr, is_attended=False)
        return chat.once(message)
    complete_names()
    return TerminalChat(
        engine,
        sys.stdin,
        sys.stdout,
        is_attended=sys.stdin.isatty(),
        typed=typed_ahead(),
        has_passphrase=paths.passphrase_vault.exists,
    ).run()


class TerminalChat:
    """Reads lines, shows the engine's events until the turn is over, reads again.

    `is_attended`: a person answers questions; otherwise each is answered with no, and
    the exit code says how the turns ended. `aside` takes everything but the replies.
    """

    def __init__(
        self,
        engine: Engine,
        source: TextIO,
        sink: TextIO,
        *,
        aside: TextIO | None = None,
        is_attended: bool = True,
        typed: TypedAhead | None = None,
        has_passphrase: Callable[[], bool] = lambda: False,
    ) -> None:
        self._console = Console(source, sink, aside)
        self._typed = typed or NothingAhead()
        self.talk = Talk(engine, self._console, is_attended=is_attended)
        following = Following(self.talk, self._typed, self._command_meanwhile)
        self._slash = SlashCommands(self.talk, following, has_passphrase)
        self._following = following
        self._wants_quit = False

    def run(self) -> int:
        """A conversation; the exit code is 0 for a person, and tells a script more."""
        state, unsubscribe = self.talk.engine.subscribe(self.talk.events.put)
        try:
            self._greet(state)
            while not self._is_over() and (line := self.talk.ask("> ")) is not None:
                self._carry_out(line.strip())
        finally:
            unsubscribe()
        return EXIT_OK if self.talk.is_attended else self.talk.outcome.exit_code()

    def once(self, message: str) -> int:
        """Send one message and show the reply; the exit code."""
        _, unsubscribe = self.talk.engine.subscribe(self.talk.events.put)
        try:
            self._carry_out(message.strip())
        finally:
            unsubscribe()
        return self.talk.outcome.exit_code()

    def _is_over(self) -> bool:
        return self._wants_quit or self._typed.has_ended

    def _carry_out(self, line: str) -> None:
        try:
            self._line(line)
        except KeyboardInterrupt:
            self.talk.outcome.was_interrupted = True
            self._console.note("Left.")
        except AnkitaError as error:
            self.talk.outcome.has_failed = True
            self._console.note(error.sentence())

    def _greet(self, state: EngineState) -> None:
        self._console.say(f"Ankita {__version__} · {answering_words(state.answering)}")
        for notice in state.notices:
            self._console.say(f"! {notice.text}")
        for line in self.talk.news.told_offers(state.offers):
            self._console.say(line)
        if state.approvals:
            self._console.say(f"{len(state.approvals)} waiting for your answer: /approvals")
        for approval in state.approvals:
            self.talk.shown.add(approval.id)
            for line in approval_lines(approval):
                self._console.say(line)
        if state.approvals:
            self._following.forget_typed()
        self._console.say("Type a message, or /help.")

    def _line(self, line: str) -> None:
        if not line:
            return
        name, argument, action = self._read_command(line)
        if name is None:
            self._following.turn(c.SendMessage(self.talk.thread(), line))
        elif action is None:
            self.talk.outcome.has_failed = True
            self._console.note(unknown_command(name))
        elif action.name == "quit":
            self._wants_quit = True
        else:
            self._slash.run(action.name, argument)

    def _command_meanwhile(self, line: str) -> None:
        """A line with a slash that was typed while a reply is being worked on."""
        name, argument, action = self._read_command(line)
        if name is not None and action is None:
            self._console.note(unknown_command(name))
        elif action is not None and action.name in ("stop", "quit"):
            self._wants_quit = action.name == "quit"
            self.talk.do(c.StopTurn(self.talk.thread()))
        elif action is not None and action.while_working:
            self._slash.run(action.name, argument)
        else:
            self._console.note("Not while a reply is being worked on. /stop ends it.")

    def _read_command(self, line: str) -> tuple[str | None, str, Action | None]:
        """Name, argument and action; the name is None for what is a message."""
        if not line.startswith("/"):
            return None, "", None
        name, _, argument = line[1:].partition(" ")
        action = find_action(name, Surface.TERMINAL)
        if action is None and self._is_built_in():
            # The built-in assistant has commands of its own, which begin like these.
            return None, "", None
        return name, argument.strip(), action

    def _is_built_in(self) -> bool:
        answering = self.talk.answering()
        return answering is not None and answering.is_built_in
