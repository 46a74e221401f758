"""The commands that list and answer questions, and say what was decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ankita.cli.following import Following
from ankita.cli.lines import approval_lines, decision_line
from ankita.cli.questions import SURFACE
from ankita.cli.talk import Talk
from ankita.engine import commands as c
from ankita.engine.state import PendingApproval

SHOWN_DECISIONS = 10


class AnswerCommands:
    """The oldest question is the oldest one that holds up a turn, before any put off."""

    def __init__(self, talk: Talk, following: Following) -> None:
        self._talk = talk
        self._following = following

    def by_name(self) -> dict[str, Callable[[str], object]]:
        return {
            "approvals": lambda _: self._approvals(),
            "yes": lambda _: self._answer(c.Answer.YES_ONCE),
            "no": lambda _: self._answer(c.Answer.NO),
            "later": lambda _: self._answer(c.Answer.NOT_NOW),
            "why": lambda _: self._why(),
        }

    def _say(self, line: str) -> None:
        self._talk.console.say(line)

    def _oldest_first(self) -> list[PendingApproval]:
        return sorted(self._talk.engine.state.approvals, key=lambda a: bool(a.parked_at))

    def _approvals(self) -> None:
        approvals = self._oldest_first()
        self._show(approvals)
        if approvals:
            self._say("/yes, /no or /later answers the first one.")
        else:
            self._say("Nothing waits for an answer.")

    def _show(self, approvals: Sequence[PendingApproval]) -> None:
        are_known = all(approval.id in self._talk.shown for approval in approvals)
        for approval in approvals:
            self._talk.shown.add(approval.id)
            for line in approval_lines(approval):
                self._say(line)
        if not are_known:
            # An answer that was typed before the question stood there is no answer to it.
            self._following.forget_typed()

    def _answer(self, answer: c.Answer) -> None:
        approval = next(iter(self._oldest_first()), None)
        if approval is None:
            self._say("Nothing waits for an answer.")
        elif answer is c.Answer.YES_ONCE and not self._talk.is_attended:
            self._talk.outcome.was_not_allowed = True
            self._say("Nobody can answer here. A yes is taken at a terminal or in the window.")
        elif approval.id not in self._talk.shown:
            # A yes to what was never on this screen would be a yes to anything.
            self._show([approval])
            self._say("This is the question. Answer it with /yes, /no or /later.")
        else:
            self._decide(approval, answer)

    def _decide(self, approval: PendingApproval, answer: c.Answer) -> None:
        self._talk.catch_up()
        self._talk.do(c.OpenThread(approval.thread_id))
        self._talk.do(c.DecideApproval(approval.id, answer, SURFACE))
        self._talk.switch_to(approval.thread_id)
        if answer is not c.Answer.NOT_NOW and (answer is not c.Answer.NO or not approval.parked_at):
            self._following.follow(approval.thread_id)

    def _why(self) -> None:
        record = self._talk.engine.state.gate.record[-SHOWN_DECISIONS:]
        for decision in record:
            self._say(decision_line(decision))
        if not record:
            self._say("Nothing was decided yet.")
