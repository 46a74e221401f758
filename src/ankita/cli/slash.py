"""The slash commands of the terminal chat, each by the name it has in the one list of actions."""

from __future__ import annotations

from collections.abc import Callable

from ankita.cli.following import Following
from ankita.cli.lines import help_lines
from ankita.cli.slash_answers import AnswerCommands
from ankita.cli.slash_models import ModelCommands
from ankita.cli.slash_team import TeamCommands
from ankita.cli.slash_threads import ThreadCommands
from ankita.cli.talk import Talk

Carry = Callable[[str], object]
"""Carries out one command with its argument; may raise AnkitaError."""


class SlashCommands:
    """`run(name, argument)` carries one out; it may raise AnkitaError."""

    def __init__(
        self, talk: Talk, following: Following, has_passphrase: Callable[[], bool]
    ) -> None:
        self._talk = talk
        self._actions: dict[str, Carry] = {
            "help": self._help,
            "commands": self._help,
            "stop": lambda _: talk.console.say("Nothing is running."),
            **ThreadCommands(talk, following).by_name(),
            **AnswerCommands(talk, following).by_name(),
            **TeamCommands(talk).by_name(),
            **ModelCommands(talk, has_passphrase).by_name(),
        }

    def names(self) -> frozenset[str]:
        return frozenset(self._actions)

    def run(self, name: str, argument: str) -> None:
        self._actions[name](argument)

    def _help(self, argument: str) -> None:
        for line in help_lines(argument):
            self._talk.console.say(line)
