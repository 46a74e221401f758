"""The form for one teammate: name, look, instructions, model. It sends, the engine decides."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from ankita.config import ServerSettings
from ankita.engine import (
    MAX_INSTRUCTIONS,
    MAX_NAME,
    ChangeTeammate,
    CreateTeammate,
    TeammateState,
    UseServer,
)
from ankita.ids import TeammateId
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.team_looks import LookChoice
from ankita.ui.main_window.team_model import ModelFields, ModelWish
from ankita.ui.replies import Replies
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.mascot_mood import look_of
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.mascot_paint import MascotLook
from ankita.ui.widgets.plain_label import PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

_LINES, _LINE_PIXELS = 5, 18
_NEARLY_FULL = 10
"""So many characters before a name is too long, its length is shown."""


class TeamForm(Surface):
    """Keeps what was typed until it is saved or cancelled. New while it has no id."""

    created = Signal(str)
    """The teammate exists now; carries its id. The form may still have a model to set."""
    closed = Signal()

    def __init__(
        self,
        bridge: EngineBridge,
        replies: Replies,
        teammate: TeammateState | None = None,
        look: MascotLook = MascotLook.MINT,
    ) -> None:
        super().__init__(SurfaceKind.DIVIDED)
        self._bridge = bridge
        self._replies = replies
        self.teammate_id: TeammateId | None = None if teammate is None else teammate.id
        self._is_saving = False
        self.name = QLineEdit()
        self.looks = LookChoice()
        self.instructions = QPlainTextEdit()
        self.model = ModelFields(replies, None if teammate is None else teammate.server)
        self._name_count = PlainLabel("", role="faint")
        self._count = PlainLabel("", role="faint")
        self.result = PlainLabel("", role="danger")
        self._build(visible_text(teammate.name) if teammate is not None else "")
        if teammate is None:
            self.looks.choose(look)
        else:
            self.name.setText(teammate.name)
            self.looks.choose(look_of(teammate))
            self.instructions.setPlainText(teammate.instructions)
        self._show_counts()
        self._at_first = self._typed()

    def take_focus(self) -> None:
        self.name.setFocus()

    def _build(self, name: str) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(8)
        words = f"Edit {name}" if name else "New teammate"
        self.setAccessibleName(words)
        column.addWidget(PlainLabel(words, role="strong"))
        column.addLayout(self._fields())
        self.result.hide()
        column.addWidget(self.result)
        row = QHBoxLayout()
        self.save = ActButton("Save", Variant.PRIMARY, small=True)
        self.cancel = ActButton("Cancel", small=True)
        self.cancel.setAccessibleDescription("What was typed here is forgotten.")
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.closed)
        for button in (self.save, self.cancel):
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)

    def _fields(self) -> QFormLayout:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        form.setVerticalSpacing(6)
        self.name.returnPressed.connect(self._save)
        self.name.textChanged.connect(self._show_counts)
        self.instructions.setTabChangesFocus(True)
        self.instructions.setPlaceholderText(
            "How it shall work, in your own words. For example: Answer in two sentences."
        )
        # The style takes the border from everything that scrolls, unless it is a field.
        self.instructions.setProperty("field", True)
        self._set_height()
        self.instructions.textChanged.connect(self._show_counts)
        for words, field, under in (
            ("Name", self.name, self._name_count),
            ("Look", self.looks, None),
            ("Instructions", self.instructions, self._count),
            ("Model", self.model, None),
        ):
            field.setAccessibleName(words)
            label = PlainLabel(words, role="key", wraps=False)
            label.setBuddy(field)
            form.addRow(label, _with_below(field, under))
        return form

    def _set_height(self) -> None:
        look = appearance_now()
        self.instructions.setFixedHeight(round(look.points(_LINE_PIXELS)) * _LINES + look.space(20))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and hasattr(self, "result"):
            self._set_height()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            # Else the window's own Escape would take the key.
            event.setAccepted(event.key() == Qt.Key.Key_Escape)
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Escape closes the form; where something was typed it only goes to Cancel."""
        if event.key() != Qt.Key.Key_Escape or self._is_saving:
            super().keyPressEvent(event)
        elif self._typed() == self._at_first:
            self.closed.emit()
        else:
            self.cancel.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _typed(self) -> tuple[object, ...]:
        """All that the user can change here."""
        return (
            self.name.text(),
            self.looks.look,
            self.instructions.toPlainText(),
            self.model.wish(),
        )

    def _show_counts(self) -> None:
        self.result.hide()  # it was about what stood here before
        name, text = len(self.name.text().strip()), len(self.instructions.toPlainText().strip())
        _show_count(self._name_count, name, MAX_NAME)
        self._name_count.setVisible(name > MAX_NAME - _NEARLY_FULL)
        _show_count(self._count, text, MAX_INSTRUCTIONS)

    # --- saving -----------------------------------------------------------------------

    def _before(self) -> ServerSettings | None:
        team = self._bridge.state.teammates
        return next((t.server for t in team if t.id == self.teammate_id), None)

    def _save(self) -> None:
        if self._is_saving:
            return
        # The button stays enabled, or the focus would go away from it.
        self._is_saving = True
        self.result.hide()
        wish, before = self.model.wish(), self._before()
        name, look = self.name.text(), self.looks.look.value
        text, server = self.instructions.toPlainText(), wish.server(before)
        if self.teammate_id is None:
            self._replies.ask(
                CreateTeammate(name, look, text, server),
                lambda new: self._made(TeammateId(new), wish),
                self._refused,
            )
            return
        self._replies.ask(
            ChangeTeammate(self.teammate_id, name, look, text, server),
            lambda _: self._give_key(wish, before),
            self._refused,
        )

    def _made(self, teammate_id: TeammateId, wish: ModelWish) -> None:
        self.teammate_id = teammate_id
        self.created.emit(teammate_id)
        self._give_key(wish, None)

    def _give_key(self, wish: ModelWish, before: ServerSettings | None) -> None:
        if not wish.needs_key(before):
            self.closed.emit()
            return
        command = UseServer(wish.base_url, wish.model, wish.key, wish.wire, self.teammate_id)
        self._replies.ask(command, lambda _: self.closed.emit(), self._key_refused)

    def _key_refused(self, words: str) -> None:
        self._refused(f"All but its model's key is saved. {words}")

    def _refused(self, words: str) -> None:
        self._is_saving = False
        shown = visible_text(words)
        self.result.setText(shown)
        self.result.show()
        announce(self.result, shown)


def _with_below(field: QWidget, below: QWidget | None) -> QWidget:
    if below is None:
        return field
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(3)
    column.addWidget(field)
    column.addWidget(below)
    return holder


def _show_count(label: PlainLabel, count: int, most: int) -> None:
    label.setText(f"{count:,} of {most:,} characters")
    label.set_role("danger" if count > most else "faint")
