"""The tools on offer: which provider a name belongs to. Calls go through the gate only."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from ankita.ids import TurnId
from ankita.messages import ToolSpec
from ankita.protocols import ToolProvider

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OfferedTool:
    spec: ToolSpec
    provider: ToolProvider


class Toolbox:
    """Providers in order; when two offer the same name, the first one keeps it."""

    def __init__(self, providers: Sequence[ToolProvider]) -> None:
        self._providers = tuple(providers)

    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(tool.spec for tool in self._offered().values())

    def find(self, name: str) -> OfferedTool | None:
        return self._offered().get(name)

    async def end_turn(self, turn_id: TurnId) -> None:
        for provider in self._providers:
            await provider.end_turn(turn_id)

    async def aclose(self) -> None:
        """Close the providers in reverse order."""
        for provider in reversed(self._providers):
            try:
                await provider.aclose()
            except Exception:
                log.exception("a tool provider did not close")

    def _offered(self) -> dict[str, OfferedTool]:
        offered: dict[str, OfferedTool] = {}
        for provider in self._providers:
            for spec in provider.tools():
                offered.setdefault(spec.name, OfferedTool(spec, provider))
        return offered
