"""The tools on offer: which provider a name belongs to. Calls go through the gate only."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_

from ankita.engine import limits
from ankita.engine.tool_names import offered_names
from ankita.ids import TurnId
from ankita.messages import ToolSpec
from ankita.protocols import ToolProvider

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool by its own declaration. Its name there may differ from the one a model knows."""

    spec: ToolSpec
    provider: ToolProvider


class Toolbox:
    """Providers in order; when two offer the same tool of the same server, the first keeps it."""

    def __init__(self, providers: Sequence[ToolProvider]) -> None:
        self._providers = tuple(providers)
        self._told: tuple[Sequence[ToolSpec], ...] = ()
        self._declared: tuple[OfferedTool, ...] = ()
        self._offered: Mapping[str, OfferedTool] = {}
        self._specs: tuple[ToolSpec, ...] = ()

    def specs(self) -> tuple[ToolSpec, ...]:
        """What is offered now, under the names that a model is told.

        The same values for as long as the providers declare the same.
        """
        self._look()
        return self._specs

    def find(self, name: str) -> OfferedTool | None:
        """The tool that is offered under this name."""
        self._look()
        return self._offered.get(name)

    async def end_turn(self, turn_id: TurnId) -> None:
        """End what a stopped turn left running; one provider's fault spares no other."""
        for provider in self._providers:
            try:
                async with asyncio.timeout(limits.STOP_SECONDS):
                    await provider.end_turn(turn_id)
            except Exception:
                log.exception("a tool provider did not end the work of a turn")

    async def aclose(self) -> None:
        """Close the providers in reverse order."""
        for provider in reversed(self._providers):
            try:
                await provider.aclose()
            except Exception:
                log.exception("a tool provider did not close")

    def _look(self) -> None:
        told = tuple(provider.tools() for provider in self._providers)
        if len(told) == len(self._told) and all(map(is_, told, self._told)):
            return  # The very same lists, as nearly always.
        self._told = told
        declared = self._ask()
        is_same = len(declared) == len(self._declared) and all(
            new.spec is old.spec for new, old in zip(declared, self._declared, strict=True)
        )
        if not is_same:
            self._declared = declared
            self._name()

    def _ask(self) -> tuple[OfferedTool, ...]:
        tools: dict[tuple[str, str], OfferedTool] = {}
        for provider in self._providers:
            for spec in provider.tools():
                tools.setdefault((spec.server, spec.name), OfferedTool(spec, provider))
        return tuple(tools.values())

    def _name(self) -> None:
        names = offered_names([(tool.spec.server, tool.spec.name) for tool in self._declared])
        self._offered = {names[(tool.spec.server, tool.spec.name)]: tool for tool in self._declared}
        self._specs = tuple(
            tool.spec if tool.spec.name == name else replace(tool.spec, name=name)
            for name, tool in self._offered.items()
        )
