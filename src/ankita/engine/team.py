"""What each teammate is doing now, computed from all that it works on at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ankita.config import ServerSettings
from ankita.engine.event_bus import EventBus
from ankita.engine.events import TeammateChanged, TeammateRemoved
from ankita.engine.state import Activity, PendingApproval, TeammateState
from ankita.ids import TeammateId, ThreadId
from ankita.memory.teammates import TeammateRow
from ankita.messages import ModelInfo, Phase

MIRA = TeammateState(TeammateId("mira"), "Mira", "mint")

ACTIVITY_OF = {
    Phase.THINKING: Activity.THINKING,
    Phase.READING: Activity.READING,
    Phase.ACTING: Activity.ACTING,
    Phase.CHECKING: Activity.READING,
}

_ENDINGS = (Activity.IDLE, Activity.DONE, Activity.FAILED)


@dataclass(frozen=True, slots=True)
class _Shown:
    """One piece of work as it would be shown if it were the only one."""

    activity: Activity
    detail: str = ""
    progress: tuple[int, int] | None = None
    thread_id: ThreadId | None = None


_Matter = tuple[ThreadId | None, str]


class Team:
    """The one writer of teammates in the state."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        # By teammate; the piece of work that was shown last stands last.
        self._work: dict[TeammateId, dict[_Matter, _Shown]] = {}

    def all(self) -> Sequence[TeammateState]:
        return self._bus.state.teammates

    def get(self, teammate_id: TeammateId) -> TeammateState | None:
        return next((t for t in self.all() if t.id == teammate_id), None)

    def put(self, row: TeammateRow, answering: ModelInfo | None) -> None:
        """Show a new teammate or a known one as it is stored now."""
        teammate = self.get(row.id) or TeammateState(row.id, row.name, row.look)
        changed = replace(
            teammate,
            name=row.name,
            look=row.look,
            instructions=row.instructions,
            server=row.server,
            answering=answering,
        )
        self._bus.emit(TeammateChanged(changed))

    def answer_with(self, teammate_id: TeammateId, answering: ModelInfo) -> None:
        """Tell what answers for a teammate from now on."""
        teammate = self.get(teammate_id)
        if teammate is not None and teammate.answering != answering:
            self._bus.emit(TeammateChanged(replace(teammate, answering=answering)))

    def servers(self) -> set[ServerSettings]:
        """The servers that teammates have of their own."""
        return {t.server for t in self.all() if t.server is not None}

    def remove(self, teammate_id: TeammateId) -> None:
        self._work.pop(teammate_id, None)
        if self.get(teammate_id) is not None:
            self._bus.emit(TeammateRemoved(teammate_id))

    def show(
        self,
        teammate_id: TeammateId,
        activity: Activity,
        detail: str = "",
        *,
        progress: tuple[int, int] | None = None,
        thread_id: ThreadId | None = None,
        matter: str = "",
        log: bool = False,
    ) -> None:
        """Tell what a teammate does. `log` also adds it to the island's newest lines.

        `matter` tells apart what goes on in one thread at once: the turn ("") and the
        files that are read. Idle, done and failed end a piece of work; while another
        one goes on, that is what is shown.
        """
        teammate = self.get(teammate_id)
        if teammate is None:
            return
        line = f"{teammate.name} · {detail}" if log and detail else ""
        shown = self._latest(
            teammate_id, (thread_id, matter), _Shown(activity, detail, progress, thread_id)
        )
        if asking := self._asking(teammate_id):
            # Whatever else is done meanwhile, someone is waiting for the user.
            shown = _asked(shown, asking)
        changed = replace(
            teammate,
            activity=shown.activity,
            detail=shown.detail,
            progress=shown.progress,
            thread_id=shown.thread_id,
        )
        if changed != teammate or line:
            self._bus.emit(TeammateChanged(changed, line))

    def _latest(self, teammate_id: TeammateId, matter: _Matter, now: _Shown) -> _Shown:
        """Note a piece of work; what is to be shown of all that goes on."""
        work = self._work.setdefault(teammate_id, {})
        work.pop(matter, None)
        if now.activity in _ENDINGS:
            return next(reversed(work.values()), now)
        work[matter] = now
        return now

    def _asking(self, teammate_id: TeammateId) -> Sequence[PendingApproval]:
        return [
            approval
            for approval in self._bus.state.approvals
            if approval.teammate_id == teammate_id and not approval.parked_at
        ]


def _asked(shown: _Shown, asking: Sequence[PendingApproval]) -> _Shown:
    """The question of the thread that is shown, or else the oldest."""
    if shown.activity is Activity.ASKING:
        return shown
    return _Shown(Activity.ASKING, "asking you", None, asking[0].thread_id)
