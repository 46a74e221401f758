"""The stored teammates: every change is stored first and then shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from ankita.config import ServerSettings
from ankita.engine.limits import MAX_TEAMMATES
from ankita.engine.state import TeammateState
from ankita.engine.team import MIRA, Team
from ankita.engine.teammate_rules import checked_instructions, checked_look, checked_name
from ankita.errors import CommandRefusedError
from ankita.ids import TeammateId, new_id
from ankita.memory.teammates import TeammateRow, TeammateStore
from ankita.messages import ModelInfo

FIRST = TeammateRow(MIRA.id, MIRA.name, MIRA.look)


class Teammates:
    """`info_of(server)` says what answers for a teammate with this server of its own."""

    def __init__(
        self,
        store: TeammateStore,
        team: Team,
        info_of: Callable[[ServerSettings | None], ModelInfo],
    ) -> None:
        self._store = store
        self._team = team
        self._info_of = info_of
        self._changing = asyncio.Lock()
        self._leaving: set[TeammateId] = set()
        self.is_first_start = False
        """Whether no teammate had ever been stored in this profile."""

    async def load(self) -> Sequence[TeammateId]:
        """Show the stored ones, or the first; the ids of rows that cannot be read."""
        stored = await self._store.load()
        rows = stored.teammates
        self.is_first_start = not rows and not stored.damaged
        if not rows:
            # Its own id where the damaged row has the usual one: that row is kept.
            first = replace(FIRST, id=TeammateId(new_id())) if stored.damaged else FIRST
            await self._store.add(first)
            rows = (first,)
        for shown in self._team.all():
            if shown.id not in {row.id for row in rows}:
                self._team.remove(shown.id)
        for row in rows:
            self._show(row)
        return stored.damaged

    def check(self, teammate_id: TeammateId) -> TeammateState:
        """The teammate. Raises CommandRefusedError for one that is unknown or leaving."""
        teammate = self._team.get(teammate_id)
        if teammate is None or teammate_id in self._leaving:
            raise CommandRefusedError("There is no such teammate.")
        return teammate

    async def add(
        self, name: str, look: str, instructions: str, server: ServerSettings | None
    ) -> TeammateId:
        """Raises CommandRefusedError when there are as many as there may be."""
        async with self._changing:
            if len(self._team.all()) >= MAX_TEAMMATES:
                raise CommandRefusedError(f"There are {MAX_TEAMMATES} teammates already.")
            row = self._checked(TeammateId(new_id()), name, look, instructions, server)
            await self._store.add(row)
            self._show(row)
            return row.id

    async def change(
        self,
        teammate_id: TeammateId,
        name: str,
        look: str,
        instructions: str,
        server: ServerSettings | None,
    ) -> None:
        async with self._changing:
            self.check(teammate_id)
            await self._save(self._checked(teammate_id, name, look, instructions, server))

    async def change_server(
        self,
        teammate_id: TeammateId,
        changed: Callable[[ServerSettings | None], ServerSettings | None],
    ) -> None:
        """Store what `changed` makes of the teammate's present server."""
        async with self._changing:
            teammate = self.check(teammate_id)
            server = changed(teammate.server)
            if server != teammate.server:
                await self._save(_row(teammate, server))

    def begin_leaving(self, teammate_id: TeammateId) -> None:
        """From now on nothing new is begun for it. Raises CommandRefusedError for the last."""
        self.check(teammate_id)
        if len(self._team.all()) - len(self._leaving) <= 1:
            raise CommandRefusedError("One teammate has to stay.", advice="Make another one first.")
        self._leaving.add(teammate_id)

    async def end_leaving(self, teammate_id: TeammateId, *, is_gone: bool) -> None:
        """Delete its row when all its threads are gone, or keep it after all."""
        try:
            if is_gone:
                await self._store.remove(teammate_id)
                self._team.remove(teammate_id)
        finally:
            self._leaving.discard(teammate_id)

    def _checked(
        self,
        teammate_id: TeammateId,
        name: str,
        look: str,
        instructions: str,
        server: ServerSettings | None,
    ) -> TeammateRow:
        others = [t.name for t in self._team.all() if t.id != teammate_id]
        return TeammateRow(
            teammate_id,
            checked_name(self._store.scrubbed(name), others),
            checked_look(look),
            self._store.scrubbed(checked_instructions(instructions)),
            server,
        )

    async def _save(self, row: TeammateRow) -> None:
        await self._store.save(row)
        self._show(row)

    def _show(self, row: TeammateRow) -> None:
        self._team.put(row, self._info_of(row.server))


def _row(teammate: TeammateState, server: ServerSettings | None) -> TeammateRow:
    return TeammateRow(teammate.id, teammate.name, teammate.look, teammate.instructions, server)
