"""The commands about teammates: who there is, and whom one talks to."""

from __future__ import annotations

import difflib
from collections.abc import Callable

from ankita.cli.lines import answering_words
from ankita.cli.talk import Talk
from ankita.engine.state import Activity, TeammateState


class TeamCommands:
    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    def by_name(self) -> dict[str, Callable[[str], object]]:
        return {"teammates": lambda _: self._list(), "as": self._talk_as}

    def _list(self) -> None:
        present = self._talk.teammate().id
        for teammate in self._talk.engine.state.teammates:
            self._talk.console.say(self._line(teammate, teammate.id == present))

    def _line(self, teammate: TeammateState, is_present: bool) -> str:
        answering = teammate.answering or self._talk.engine.state.answering
        doing = teammate.detail or str(teammate.activity)
        busy = "" if teammate.activity is Activity.IDLE else f" · {doing}"
        return f"{'*' if is_present else ' '} {teammate.name} · {answering_words(answering)}{busy}"

    def _talk_as(self, argument: str) -> None:
        team = self._talk.engine.state.teammates
        by_name = {teammate.name.casefold(): teammate for teammate in team}
        teammate = by_name.get(argument.casefold())
        if teammate is None:
            self._talk.console.say(_unknown(argument, by_name))
            return
        self._talk.talk_to(teammate.id)
        answering = answering_words(self._talk.answering())
        self._talk.console.say(f"You talk to {teammate.name} in a new thread · {answering}")


def _unknown(name: str, by_name: dict[str, TeammateState]) -> str:
    near = difflib.get_close_matches(name.casefold(), by_name, n=1)
    if near:
        return f"There is no teammate {name}. Did you mean {by_name[near[0]].name}?"
    return f"Say whom: {', '.join(teammate.name for teammate in by_name.values())}"
