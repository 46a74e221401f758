"""One found model server: which model, its key if it wants one, and yes or never."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from ankita.engine import ServerOffer, UseServer
from ankita.ui.main_window.offer_words import UNTIL_THEN, model_line, offer_line
from ankita.ui.theme import appearance_now
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.icons import Icon, draw_icon
from ankita.ui.widgets.plain_label import PlainLabel, visible_text

BESIDE_FROM = 820
"""Pixels of width (at 100 % text) from which the controls stand beside the words."""

FIELD_WIDTH = 200
LEAST_FIELD = 80


class ModelBox(QComboBox):
    """The models of the server; a long name ends in … until the list is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Model")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        hint = super().sizeHint()
        return QSize(min(hint.width(), appearance_now().space(FIELD_WIDTH)), hint.height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(min(self.sizeHint().width(), LEAST_FIELD), self.sizeHint().height())

    def showPopup(self) -> None:  # noqa: N802
        # The list is as wide as its longest name, not as the field.
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + 24)
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        side = appearance_now().space(14)
        place = QRectF(self.width() - side - 8, (self.height() - side) / 2, side, side)
        draw_icon(QPainter(self), Icon.CHEVRON_DOWN, place, appearance_now().palette.muted)


class KeyField(QLineEdit):
    def __init__(self) -> None:
        super().__init__()
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self.setAccessibleName("Key of the server")
        self.setPlaceholderText("Key")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        hint = super().sizeHint()
        return QSize(appearance_now().space(160), hint.height())


class OfferView(QWidget):
    """Sends nothing itself; `slim` is for the bar over a thread."""

    use_wanted = Signal(object)
    """The UseServer command that the user chose."""
    decline_wanted = Signal(str)

    def __init__(
        self, offer: ServerOffer, *, slim: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._slim = slim
        self._offer = offer
        self._is_waiting = False
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(8)
        self._build_words()
        self._build_controls()
        self.show_offer(offer)

    @property
    def offer(self) -> ServerOffer:
        return self._offer

    def show_offer(self, offer: ServerOffer) -> None:
        """What was chosen or typed stays as far as it still fits."""
        self._offer = offer
        self._line.setText(offer_line(offer))
        note = visible_text(offer.note)
        self._note.setText(note)
        self._note.setVisible(bool(note))
        self._show_models()
        self.key.setVisible(offer.needs_key)
        self._refresh()

    def show_waiting(self, is_waiting: bool) -> None:
        """While the command is under way, its buttons do nothing; they keep the keyboard."""
        self._is_waiting = is_waiting

    def show_error(self, words: str) -> None:
        """Why it was refused; empty takes the words away."""
        self.error.setText(visible_text(words))
        self.error.setVisible(bool(words))

    def command(self) -> UseServer:
        """What "Use it" asks for."""
        key = self.key.text().strip() if self._offer.needs_key else ""
        name = self.models.currentData() or ""
        return UseServer(self._offer.base_url, name, key or None, self._offer.wire)

    def _build_words(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        self._line = PlainLabel("", role="control" if self._slim else "body")
        self._note = PlainLabel("", role="small")
        self._promise = PlainLabel(UNTIL_THEN, role="faint")
        self.error = PlainLabel("", role="danger")
        self.error.hide()
        for label in (self._line, self._note, self._promise, self.error):
            words.addWidget(label)
        self._box.addLayout(words, 1)

    def _build_controls(self) -> None:
        self._controls = QWidget()
        flow = FlowLayout(self._controls, gap=8)
        self.models = ModelBox()
        self.key = KeyField()
        self.key.textChanged.connect(self._refresh)
        self.key.returnPressed.connect(self._use)
        self.use = ActButton("Use it", Variant.PRIMARY, small=True)
        self.use.clicked.connect(self._use)
        self.decline = ActButton("Don't offer again", small=True)
        self.decline.clicked.connect(self._decline)
        for widget in (self.models, self.key, self.use, self.decline):
            flow.addWidget(widget)
        self._box.addWidget(self._controls, 0, Qt.AlignmentFlag.AlignVCenter)

    def _show_models(self) -> None:
        names = [model.name for model in self._offer.models]
        self.models.setVisible(bool(names))
        if [self.models.itemData(n) for n in range(self.models.count())] == names:
            return
        chosen = self.models.currentData()
        self.models.clear()
        for model in self._offer.models:
            self.models.addItem(model_line(model), model.name)
        self.models.setCurrentIndex(max(self.models.findData(chosen), 0) if names else -1)
        self.models.updateGeometry()

    def _refresh(self) -> None:
        kind = visible_text(self._offer.kind)
        has_key = not self._offer.needs_key or bool(self.key.text().strip())
        self.use.setEnabled(bool(self._offer.models) and has_key)
        self.use.setAccessibleName(f"Use it: {kind}")
        self.decline.setAccessibleName(f"Don't offer {kind} again")

    def _decline(self) -> None:
        if not self._is_waiting:
            self.decline_wanted.emit(self._offer.base_url)

    def _use(self) -> None:
        if self.use.isEnabled() and not self._is_waiting:
            self.show_error("")
            self.use_wanted.emit(self.command())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        direction = QBoxLayout.Direction
        beside = self._slim and event.size().width() >= appearance_now().space(BESIDE_FROM)
        wanted = direction.LeftToRight if beside else direction.TopToBottom
        if self._box.direction() != wanted:
            self._box.setDirection(wanted)
