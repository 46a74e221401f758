"""Approvals: what waits for an answer, what may run without one, and why anything happened."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ankita.engine import (
    Answer,
    DecisionRecorded,
    GateLoaded,
    GateState,
    RemoveRule,
    RepairRules,
    RulesChanged,
    RuleState,
)
from ankita.ids import RequestId
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.panel_rows import Page, Panel, PanelRow, ScrollColumn, TwoColumns
from ankita.ui.main_window.question_cards import QuestionCards
from ankita.ui.main_window.record_list import RecordList
from ankita.ui.main_window.rule_words import rule_scope, rule_tag, rule_title
from ankita.ui.view_models.window_models import WindowModels
from ankita.ui.widgets.approval_card import ApprovalCard
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.plain_label import PlainLabel, SectionHead, Tag, visible_text
from ankita.ui.widgets.surfaces import Card, CardVariant, Surface, SurfaceKind

RECORD_HEIGHT = 320
"""Pixels of the record where it stands below the rest."""

REMOVED_WORDS = "a removed teammate"


class ApprovalsPane(Page):
    """Two columns: questions and permissions, and the record."""

    thread_wanted = Signal(str)

    def __init__(
        self, bridge: EngineBridge, models: WindowModels, parent: QWidget | None = None
    ) -> None:
        super().__init__("Approvals", parent)
        self._bridge = bridge
        self._approvals = models.approvals
        columns = TwoColumns()
        page = ScrollColumn("Approvals")
        page.column.setContentsMargins(0, 0, 0, 0)
        page.column.addWidget(columns)
        self.body.addWidget(page, 1)
        self._left = ScrollColumn("Questions and permissions")
        columns.left.addWidget(self._left)
        self._build_left()
        columns.right.addLayout(self._build_record(models))
        columns.stacked.connect(self._stack)
        self._approvals.rowsInserted.connect(self._sync)
        self._approvals.rowsRemoved.connect(self._sync)
        self._approvals.dataChanged.connect(self._sync)
        for kind in (GateLoaded, RulesChanged):
            bridge.listen(kind, lambda _: self._show_gate())
        bridge.listen(DecisionRecorded, lambda _: self._show_counts())
        self._sync()
        self._show_gate()

    def cards(self) -> list[ApprovalCard]:
        """The cards of what waits, the oldest first."""
        return self._waiting.cards()

    def put_off_cards(self) -> list[ApprovalCard]:
        """The cards of what the user said "not now" to."""
        return self._put_off.cards()

    def close_confirm(self) -> bool:
        """Take back the step that a question is at; False without one."""
        return self._waiting.close_confirm() or self._put_off.close_confirm()

    # --- building ----------------------------------------------------------------

    def _build_left(self) -> None:
        column = self._left.column
        self._closed = QVBoxLayout()
        column.addLayout(self._closed)
        self._waiting = QuestionCards(
            "Waiting", self._name_of, none="Nothing waits for your answer."
        )
        self._put_off = QuestionCards("Put off", self._name_of, announces=False)
        for cards in (self._waiting, self._put_off):
            cards.answered.connect(self._answered)
            cards.thread_wanted.connect(self.thread_wanted)
            cards.left.connect(self._keep_focus)
            column.addWidget(cards)
        self._rules = Panel("Standing permissions")
        self._blocked = Panel("Blocked")
        self._counters = Panel("Counts by server")
        for panel in (self._rules, self._blocked, self._counters):
            column.addWidget(panel)
        column.addStretch(1)

    def _build_record(self, models: WindowModels) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(2)
        column.setContentsMargins(0, 0, 6, 20)
        self._record_head = SectionHead("Record")
        column.addWidget(self._record_head)
        frame = self._record_frame = Surface(SurfaceKind.PANEL)
        inner = QVBoxLayout(frame)
        inner.setContentsMargins(1, 1, 1, 1)
        self.record = RecordList(models.decisions, self._name_of)
        self.record.setMinimumHeight(120)
        self.record.thread_wanted.connect(self.thread_wanted)
        self._empty_record = PlainLabel("Nothing was decided yet.", role="muted")
        self._empty_record.setContentsMargins(16, 12, 16, 12)
        self._empty_record.setAlignment(Qt.AlignmentFlag.AlignTop)
        inner.addWidget(self._empty_record)
        inner.addWidget(self.record)
        column.addWidget(frame, 1)
        return column

    def _name_of(self, teammate_id: str) -> str:
        team = self._bridge.state.teammates
        return next((t.name for t in team if t.id == teammate_id), REMOVED_WORDS)

    def _stack(self, is_stacked: bool) -> None:
        """Side by side each half scrolls for itself; in one column the page does."""
        self._left.set_whole(is_stacked)
        self._record_frame.setMinimumHeight(RECORD_HEIGHT if is_stacked else 0)

    # --- the questions -------------------------------------------------------------

    def _sync(self) -> None:
        put_off = self._approvals.put_off()
        self._waiting.show_questions(self._approvals.waiting())
        self._put_off.show_questions(put_off)
        self._put_off.setVisible(bool(put_off))
        self._show_line()

    def _keep_focus(self) -> None:
        (self.record if self.record.isVisible() else self).setFocus()

    def _answered(self, request_id: str, answer: str, days: int) -> None:
        self._approvals.answer(RequestId(request_id), Answer(answer), "window", days or None)

    # --- the gate --------------------------------------------------------------------

    def _show_gate(self) -> None:
        gate = self._bridge.state.gate
        self._show_closed(gate.closed_reason)
        self._show_rules(
            self._rules,
            (r for r in gate.rules if r.kind != "blocked"),
            "Nothing runs without asking because of an earlier answer.",
        )
        blocked = [rule for rule in gate.rules if rule.kind == "blocked"]
        self._blocked.setVisible(bool(blocked))
        self._show_rules(self._blocked, blocked, "")
        self._show_counts()

    def _show_closed(self, reason: str) -> None:
        while (item := self._closed.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        if not reason:
            return
        words = visible_text(reason[:1].upper() + reason[1:])
        banner = Card("Everything asks", CardVariant.LOWERS)
        banner.column.addWidget(PlainLabel("Everything asks", role="heading"))
        banner.column.addWidget(
            PlainLabel(
                f"{words}. The file was kept aside; until it is repaired nothing"
                " runs without your yes.",
                role="value",
            )
        )
        repair = ActButton("Repair")
        repair.setAccessibleDescription("Starts a fresh rules file.")
        repair.clicked.connect(lambda: self._bridge.do(RepairRules()))
        banner.column.addSpacing(6)
        banner.column.addWidget(repair)
        self._closed.addWidget(banner)

    def _show_rules(self, panel: Panel, rules: Iterable[RuleState], none: str) -> None:
        panel.clear()
        first = True
        for rule in rules:
            panel.add(self._rule_row(rule, first))
            first = False
        if first and none:
            panel.add(PanelRow(words=none, first=True))

    def _rule_row(self, rule: RuleState, first: bool) -> PanelRow:
        name = rule_title(rule)
        tag = Tag(*rule_tag(rule))
        if rule.kind == "blocked":
            return PanelRow(name, rule_scope(rule), [tag], first=first)
        remove = ActButton("Remove", small=True)
        remove.setAccessibleName(f"Remove the permission for {visible_text(name)}")
        remove.setAccessibleDescription(visible_text(rule.scope))
        remove.clicked.connect(
            lambda: self._bridge.do(RemoveRule(rule.kind, rule.server, rule.tool, rule.teammate_id))
        )
        who = "" if rule.teammate_id is None else f" · {self._name_of(rule.teammate_id)}"
        return PanelRow(name, f"{rule_scope(rule)}{who}", [tag, remove], first=first)

    def _show_counts(self) -> None:
        gate = self._bridge.state.gate
        self._counters.clear()
        self._counters.setVisible(bool(gate.counters))
        for number, (server, count) in enumerate(sorted(gate.counters.items())):
            words = f"{count.allowed} allowed · {count.asked} asked · {count.denied} denied"
            self._counters.add(PanelRow(server, words, first=number == 0))
        self._record_head.setText(record_heading(gate))
        broken = gate.chain_broken_at is not None
        self._record_head.set_role("danger" if broken else "section")
        self._empty_record.setVisible(gate.record_length == 0)
        self.record.setVisible(gate.record_length > 0)

    def _show_line(self) -> None:
        count, later = len(self._approvals.waiting()), len(self._approvals.put_off())
        waiting = f"{count} waiting" if count else "Nothing waiting"
        put_off = f" · {later} put off" if later else ""
        self.line.setText(f"{waiting}{put_off} · why anything happened")


def record_heading(gate: GateState) -> str:
    """Such as "Record · chain intact, 1,284 entries"."""
    if gate.chain_broken_at is not None:
        return f"Record · chain broken at entry {gate.chain_broken_at:,}"
    entries = "1 entry" if gate.record_length == 1 else f"{gate.record_length:,} entries"
    return f"Record · chain intact, {entries}"
