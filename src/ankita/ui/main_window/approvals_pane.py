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
from ankita.ui.main_window.record_list import RecordList
from ankita.ui.view_models.window_models import WindowModels
from ankita.ui.widgets.approval_card import ApprovalCard
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.plain_label import PlainLabel, SectionHead, Tag, visible_text
from ankita.ui.widgets.surfaces import Card, CardVariant, Surface, SurfaceKind

RECORD_HEIGHT = 320
"""Pixels of the record where it stands below the rest."""

_TIER_TAGS = {0: ("no asking", "ok"), 1: ("asks once", "info"), 2: ("always asks", "ask")}


class ApprovalsPane(Page):
    """Two columns: questions and permissions, and the record."""

    thread_wanted = Signal(str)

    def __init__(
        self, bridge: EngineBridge, models: WindowModels, parent: QWidget | None = None
    ) -> None:
        super().__init__("Approvals", parent)
        self._bridge = bridge
        self._approvals = models.approvals
        self._cards: dict[RequestId, ApprovalCard] = {}
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
        for kind in (GateLoaded, RulesChanged):
            bridge.listen(kind, lambda _: self._show_gate())
        bridge.listen(DecisionRecorded, lambda _: self._show_counts())
        self._sync()
        self._show_gate()

    def cards(self) -> list[ApprovalCard]:
        """The cards on show, the oldest first."""
        return list(self._cards.values())

    def close_confirm(self) -> bool:
        """Take back the step that a question is at; False without one."""
        return any(card.close_confirm() for card in self.cards())

    # --- building ----------------------------------------------------------------

    def _build_left(self) -> None:
        column = self._left.column
        self._closed = QVBoxLayout()
        column.addLayout(self._closed)
        section = QVBoxLayout()
        section.setSpacing(2)
        section.addWidget(SectionHead("Waiting"))
        waiting = QVBoxLayout()
        waiting.setSpacing(10)
        section.addLayout(waiting)
        self._none = PlainLabel("Nothing waits for your answer.", role="muted")
        self._none.setContentsMargins(8, 0, 8, 0)
        waiting.addWidget(self._none)
        self._waiting = waiting
        column.addLayout(section)
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
        return next((t.name for t in team if t.id == teammate_id), teammate_id)

    def _stack(self, is_stacked: bool) -> None:
        """Side by side each half scrolls for itself; in one column the page does."""
        self._left.set_whole(is_stacked)
        self._record_frame.setMinimumHeight(RECORD_HEIGHT if is_stacked else 0)

    # --- the questions -------------------------------------------------------------

    def _sync(self) -> None:
        waiting = self._approvals.all()
        for gone in set(self._cards) - {approval.id for approval in waiting}:
            self._remove(self._cards.pop(gone))
        for approval in waiting:
            if approval.id not in self._cards:
                card = ApprovalCard(approval, self._name_of(approval.teammate_id))
                card.answered.connect(self._answered)
                self._cards[approval.id] = card
                self._waiting.addWidget(card)
        self._none.setVisible(not waiting)
        self._show_line()

    def _remove(self, card: ApprovalCard) -> None:
        focus = card.focusWidget()
        if focus is not None and focus.hasFocus():
            self.record.setFocus()
        self._waiting.removeWidget(card)
        card.hide()
        card.deleteLater()

    def _answered(self, request_id: str, answer: str) -> None:
        self._approvals.answer(RequestId(request_id), Answer(answer), "window")

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
        name = f"{rule.server}: {rule.tool}" if rule.server else rule.tool
        if rule.kind == "blocked":
            return PanelRow(name, rule.scope, [Tag("denied", "danger")], first=first)
        remove = ActButton("Remove", small=True)
        remove.setAccessibleName(f"Remove the permission for {visible_text(name)}")
        remove.clicked.connect(
            lambda: self._bridge.do(RemoveRule(rule.kind, rule.server, rule.tool, rule.teammate_id))
        )
        words, tone = _TIER_TAGS.get(rule.tier, ("", "plain"))
        if rule.kind == "run":
            words, tone = "until closed", "info"
        who = "" if rule.teammate_id is None else f" · {self._name_of(rule.teammate_id)}"
        return PanelRow(name, f"{rule.scope}{who}", [Tag(words, tone), remove], first=first)

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
        count = len(self._approvals.all())
        waiting = f"{count} waiting" if count else "Nothing waiting"
        self.line.setText(f"{waiting} · why anything happened")


def record_heading(gate: GateState) -> str:
    """Such as "Record · chain intact, 1,284 entries"."""
    if gate.chain_broken_at is not None:
        return f"Record · chain broken at entry {gate.chain_broken_at:,}"
    entries = "1 entry" if gate.record_length == 1 else f"{gate.record_length:,} entries"
    return f"Record · chain intact, {entries}"
