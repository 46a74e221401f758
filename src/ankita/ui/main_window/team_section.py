"""Settings: the teammates, with a form below each one that is being edited."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QSizePolicy, QVBoxLayout, QWidget

from ankita.engine import (
    MAX_TEAMMATES,
    Activity,
    RemoveTeammate,
    TeammateChanged,
    TeammateRemoved,
    TeammateState,
    ThreadDeleted,
    ThreadSaved,
)
from ankita.ids import TeammateId
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.panel_rows import Panel, PanelRow
from ankita.ui.main_window.team_form import TeamForm
from ankita.ui.main_window.team_removal import TeamRemoval
from ankita.ui.replies import Replies
from ankita.ui.view_models.mascot_mood import look_of
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.mascot import MascotWidget
from ankita.ui.widgets.mascot_paint import MascotLook
from ankita.ui.widgets.plain_label import PlainLabel, visible_text
from ankita.ui.widgets.surfaces import SurfaceKind

_MASCOT_SIDE = 34
_AT_REST = (Activity.IDLE, Activity.DONE, Activity.FAILED)
ADD_WORDS = "its own look, instructions, model and threads"
FULL_WORDS = f"There are {MAX_TEAMMATES} already, as many as the island shows. Remove one first."


class TeamRow(PanelRow):
    """One teammate: mascot, name, what answers for it."""

    def __init__(self, teammate: TeammateState) -> None:
        self.mascot = MascotWidget("", size=_MASCOT_SIDE, takes_focus=False)
        self.mascot.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.mascot.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.edit = ActButton("Edit", small=True)
        self.remove = ActButton("Remove…", Variant.DANGER, small=True)
        super().__init__(teammate.name, " ", [self.edit, self.remove], lead=self.mascot)
        self.is_leaving = False
        # Beside its mascot, whichever way the name is written.
        self.title.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
        self.show_teammate(teammate)

    def show_teammate(self, teammate: TeammateState) -> None:
        """Draw it as it is now."""
        name = visible_text(teammate.name)
        self.title.setText(name)
        self.mascot.set_name(name)
        self.mascot.set_look(look_of(teammate))
        self.edit.setAccessibleName(f"Edit {name}")
        self.remove.setAccessibleName(f"Remove {name}")
        self.set_words("Removing…" if self.is_leaving else answers_words(teammate))

    def set_leaving(self, is_leaving: bool) -> None:
        """While it is being removed nothing else can be done with it."""
        self.is_leaving = is_leaving
        for button in (self.edit, self.remove):
            button.setEnabled(not is_leaving)

    def set_first(self, is_first: bool) -> None:
        """The first row has no line above it."""
        kind = SurfaceKind.ROW if is_first else SurfaceKind.DIVIDED
        if self.property("surface") != kind.value:
            self.setProperty("surface", kind.value)
            self.style().unpolish(self)
            self.style().polish(self)


class TeamSection(Panel):
    """Rows follow the state; forms are left alone by it, so that nothing typed is lost."""

    def __init__(self, bridge: EngineBridge, replies: Replies) -> None:
        super().__init__("Teammates")
        self._bridge = bridge
        self._replies = replies
        self.rows: dict[TeammateId, TeamRow] = {}
        self.forms: dict[TeammateId, TeamForm] = {}
        self.new_form: TeamForm | None = None
        self.removal: TeamRemoval | None = None
        self._build()
        bridge.listen(TeammateChanged, lambda _: self._refresh())
        bridge.listen(TeammateRemoved, lambda event: self._removed(event.teammate_id))
        bridge.listen(ThreadSaved, lambda _: self._show_removal())
        bridge.listen(ThreadDeleted, lambda _: self._show_removal())
        self._refresh()

    def _build(self) -> None:
        holder = QWidget()
        self._column = QVBoxLayout(holder)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.add_button = ActButton("Add", small=True)
        self.add_button.setAccessibleName("Add a teammate")
        self.add_button.clicked.connect(self._begin_new)
        self.add_row = PanelRow("Add a teammate", ADD_WORDS, [self.add_button])
        self.result = PlainLabel("", role="danger")
        self.result.setContentsMargins(16, 0, 16, 12)
        self.result.hide()
        self._column.addWidget(self.add_row)
        self._column.addWidget(self.result)
        self.add(holder)

    # --- rows ---------------------------------------------------------------------------

    def _refresh(self) -> None:
        team = self._bridge.state.teammates
        for place, teammate in enumerate(team):
            row = self.rows.get(teammate.id) or self._add_row_for(teammate)
            row.show_teammate(teammate)
            row.set_first(place == 0)
            row.remove.setVisible(len(team) > 1)
        self._refresh_add()
        self._show_removal()

    def _refresh_add(self) -> None:
        is_full = len(self._bridge.state.teammates) >= MAX_TEAMMATES
        words = FULL_WORDS if is_full else ADD_WORDS
        self.add_button.setEnabled(not is_full and self.new_form is None)
        self.add_button.setAccessibleDescription(words)
        self.add_row.set_words(words)

    def _add_row_for(self, teammate: TeammateState) -> TeamRow:
        row = TeamRow(teammate)
        row.edit.clicked.connect(partial(self._edit, teammate.id))
        row.remove.clicked.connect(partial(self._ask_removal, teammate.id))
        self.rows[teammate.id] = row
        self._column.insertWidget(self._column.indexOf(self.new_form or self.add_row), row)
        return row

    def _removed(self, teammate_id: TeammateId) -> None:
        focus = QApplication.focusWidget()
        gone = [self.forms.pop(teammate_id, None), self.rows.pop(teammate_id, None)]
        had_focus = any(each.isAncestorOf(focus) for each in gone if each and focus)
        for widget in gone:
            if widget is not None:
                self._take_away(widget)
        if self.removal is not None and self.removal.teammate_id == teammate_id:
            self.removal.reject()
        self._refresh()
        if had_focus:
            self._stay_focused()

    def _stay_focused(self) -> None:
        """After the control with the focus is gone: at the first teammate that stays."""
        staying = (row.edit for row in self.rows.values() if not row.is_leaving)
        next(staying, self.add_button).setFocus()

    def _take_away(self, widget: QWidget) -> None:
        self._column.removeWidget(widget)
        widget.hide()
        widget.deleteLater()

    # --- forms --------------------------------------------------------------------------

    def _edit(self, teammate_id: TeammateId) -> None:
        teammate = self._teammate(teammate_id)
        if teammate is None:
            return
        form = self.forms.get(teammate_id)
        if form is None:
            form = TeamForm(self._bridge, self._replies, teammate)
            form.closed.connect(partial(self._close, form))
            self.forms[teammate_id] = form
            self._column.insertWidget(self._column.indexOf(self.rows[teammate_id]) + 1, form)
            form.show()
        form.take_focus()

    def _begin_new(self) -> None:
        if self.new_form is None:
            form = TeamForm(self._bridge, self._replies, look=self._free_look())
            form.created.connect(partial(self._created, form))
            form.closed.connect(partial(self._close, form))
            self.new_form = form
            self._column.insertWidget(self._column.indexOf(self.add_row), form)
            form.show()
            self._refresh_add()
        self.new_form.take_focus()

    def _created(self, form: TeamForm, teammate_id: str) -> None:
        """It is the form of a teammate that exists from now on."""
        self.new_form = None
        self.forms[TeammateId(teammate_id)] = form
        self._refresh_add()

    def _close(self, form: TeamForm) -> None:
        back: QWidget = self.add_button
        if form is self.new_form:
            self.new_form = None
        elif form.teammate_id is not None:
            self.forms.pop(form.teammate_id, None)
            row = self.rows.get(form.teammate_id)
            back = row.edit if row is not None else back
        self._refresh_add()
        focus = QApplication.focusWidget()
        if focus is not None and form.isAncestorOf(focus):
            back.setFocus()
        self._take_away(form)

    def _free_look(self) -> MascotLook:
        """The first colour that no teammate has."""
        taken = {look_of(teammate) for teammate in self._bridge.state.teammates}
        return next((look for look in MascotLook if look not in taken), MascotLook.MINT)

    # --- removal ------------------------------------------------------------------------

    def _ask_removal(self, teammate_id: TeammateId) -> None:
        teammate = self._teammate(teammate_id)
        if teammate is None or self.removal is not None:
            return
        removal = TeamRemoval(teammate_id, teammate.name, self.window())
        removal.confirmed.connect(partial(self._remove, teammate_id))
        removal.finished.connect(self._removal_closed)
        self.removal = removal
        self._show_removal()
        removal.open()

    def _removal_closed(self) -> None:
        removal, self.removal = self.removal, None
        if removal is not None:
            removal.deleteLater()

    def _show_removal(self) -> None:
        """The question says what is so now, also when that changes under it."""
        removal = self.removal
        teammate = self._teammate(removal.teammate_id) if removal is not None else None
        if removal is None or teammate is None:
            return
        threads = self._bridge.state.threads.values()
        count = sum(thread.teammate_id == teammate.id for thread in threads)
        removal.show_threads(count, is_working=teammate.activity not in _AT_REST)

    def _remove(self, teammate_id: TeammateId) -> None:
        self.result.hide()
        self.rows[teammate_id].set_leaving(True)
        self._refresh()
        self._stay_focused()
        self._replies.ask(
            RemoveTeammate(teammate_id),
            lambda _: None,
            lambda words: self._not_removed(teammate_id, words),
        )

    def _not_removed(self, teammate_id: TeammateId, words: str) -> None:
        row = self.rows.get(teammate_id)
        if row is not None:
            row.set_leaving(False)
        self.result.setText(visible_text(words))
        self.result.show()
        announce(self.result, visible_text(words))
        self._refresh()

    def _teammate(self, teammate_id: TeammateId) -> TeammateState | None:
        team = self._bridge.state.teammates
        return next((teammate for teammate in team if teammate.id == teammate_id), None)


def answers_words(teammate: TeammateState) -> str:
    """ "llama3.1:8b · local · as in Settings", or "… · its own model"."""
    whose = "as in Settings" if teammate.server is None else "its own model"
    if teammate.answering is None:
        return whose
    return f"{teammate.answering.label} · {whose}"
