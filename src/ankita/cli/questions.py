"""Asks the person before an act; where nobody can answer, the answer is no."""

from __future__ import annotations

from ankita.cli.lines import approval_lines
from ankita.cli.talk import Talk
from ankita.engine import commands as c
from ankita.engine.state import PendingApproval
from ankita.errors import AnkitaError

SURFACE = "terminal"

_ANSWERS = {
    "y": c.Answer.YES_ONCE,
    "n": c.Answer.NO,
    "l": c.Answer.NOT_NOW,
    "r": c.Answer.YES_THIS_RUN,
    "a": c.Answer.YES_ALWAYS,
}


class Questions:
    """Only one of the offered letters, alone on a line, is an answer."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    def ask(self, approval: PendingApproval) -> None:
        """Show the act and take an answer. Raises KeyboardInterrupt."""
        for line in approval_lines(approval):
            self._talk.console.note(line)
        self._talk.shown.add(approval.id)
        if not self._talk.is_attended:
            self._refuse(approval)
            return
        choices = offered(approval)
        self._talk.console.note(", ".join(f"{letter} = {words}" for letter, words in choices))
        while self._is_open(approval):
            if self._decide(approval, self._choose([letter for letter, _ in choices])):
                return

    def _refuse(self, approval: PendingApproval) -> None:
        self._talk.console.note("Nobody can answer here, so the answer is no.")
        self._talk.outcome.was_not_allowed = True
        self._decide(approval, c.Answer.NO)

    def _choose(self, letters: list[str]) -> c.Answer:
        while (line := self._talk.console.read("? ", interruptible=True)) is not None:
            if (letter := line.strip().lower()) in letters:
                return _ANSWERS[letter]
        # Nobody is there to answer: that is a no.
        return c.Answer.NO

    def _decide(self, approval: PendingApproval, answer: c.Answer) -> bool:
        """Give the answer; False when it was refused, which is said."""
        try:
            self._talk.do(c.DecideApproval(approval.id, answer, SURFACE))
        except AnkitaError as error:
            self._talk.console.note(error.sentence())
            return False
        return True

    def _is_open(self, approval: PendingApproval) -> bool:
        return any(
            waiting.id == approval.id and not waiting.parked_at
            for waiting in self._talk.engine.state.approvals
        )


def offered(approval: PendingApproval) -> list[tuple[str, str]]:
    """The letters that answer this question, each with its meaning."""
    choices = [("y", approval.act.yes), ("n", approval.act.no), ("l", "not now")]
    if approval.scope_once:
        choices.append(("r", "yes until Ankita closes"))
    if approval.scope_always:
        choices.append(("a", "always"))
    return choices
