"""The teammates and what each is doing now."""

from __future__ import annotations

from dataclasses import replace

from ankita.engine.event_bus import EventBus
from ankita.engine.events import TeammateChanged
from ankita.engine.state import Activity, TeammateState
from ankita.ids import TeammateId, ThreadId
from ankita.messages import Phase

MIRA = TeammateState(TeammateId("mira"), "Mira", "mint")

ACTIVITY_OF = {
    Phase.THINKING: Activity.THINKING,
    Phase.READING: Activity.READING,
    Phase.ACTING: Activity.ACTING,
    Phase.CHECKING: Activity.READING,
}


class Team:
    """The one writer of teammates in the state."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus

    def get(self, teammate_id: TeammateId) -> TeammateState | None:
        return next((t for t in self._bus.state.teammates if t.id == teammate_id), None)

    def show(
        self,
        teammate_id: TeammateId,
        activity: Activity,
        detail: str = "",
        *,
        progress: tuple[int, int] | None = None,
        thread_id: ThreadId | None = None,
        log: bool = False,
    ) -> None:
        """Tell what a teammate does. `log` also adds it to the island's newest lines."""
        teammate = self.get(teammate_id)
        if teammate is None:
            return
        asking = [a for a in self._bus.state.approvals if a.teammate_id == teammate_id]
        line = f"{teammate.name} · {detail}" if log and detail else ""
        if asking and activity is not Activity.ASKING:
            # Whatever else is done meanwhile, someone is waiting for the user.
            activity, detail, progress = Activity.ASKING, "asking you", None
            thread_id = asking[0].thread_id
        changed = replace(
            teammate, activity=activity, detail=detail, progress=progress, thread_id=thread_id
        )
        if changed != teammate or line:
            self._bus.emit(TeammateChanged(changed, line))
