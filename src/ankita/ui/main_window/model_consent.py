"""The question before a model is fetched: it names the file, and the yes covers that file alone."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from ankita.engine import ModelOffer
from ankita.ui.main_window.model_file_words import offer_facts, size_words
from ankita.ui.theme import appearance_now
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.key_value_grid import KeyValueGrid
from ankita.ui.widgets.plain_label import PlainLabel, visible_text

_WIDTH = 440
_WHOLE = 400
"""Characters; no fact is folded here: what is agreed to is read whole."""


class ModelConsent(QDialog):
    """Open it with `open()`. The focus is on the no at first."""

    agreed = Signal()

    def __init__(self, offer: ModelOffer, parent: QWidget) -> None:
        super().__init__(parent)
        self.offer = offer
        name = visible_text(offer.name)
        self.setWindowTitle(f"Get {name}?")
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(10)
        column.addWidget(PlainLabel(f"Get {name}?", role="heading"))
        facts = offer_facts(offer)
        column.addWidget(KeyValueGrid(facts, limit=_WHOLE))
        words = consent_words(offer)
        column.addWidget(PlainLabel(words, role="small"))
        column.addWidget(self._buttons(offer))
        spoken = ", ".join(f"{label} {text}" for label, text in facts)
        self.setAccessibleDescription(visible_text(f"{spoken}. {words}"))
        self.refuse.setFocus()

    def _buttons(self, offer: ModelOffer) -> QWidget:
        holder = QWidget()
        row = FlowLayout(holder)
        self.refuse = ActButton("Don't get it")
        self.agree = ActButton(f"Get it, {size_words(offer.size)}", Variant.PRIMARY)
        self.refuse.clicked.connect(self.reject)
        self.agree.clicked.connect(self._agree)
        row.addWidget(self.refuse)
        row.addWidget(self.agree)
        return holder

    def _agree(self) -> None:
        self.agreed.emit()
        self.accept()

    def _fit(self) -> None:
        """As high as all that is said needs: a window does not ask its texts how they wrap."""
        layout = self.layout()
        assert layout is not None
        for part in reversed(self.findChildren(QWidget)):
            part.ensurePolished()
            if (inner := part.layout()) is not None:
                inner.activate()
        self.setMinimumWidth(appearance_now().space(_WIDTH))
        width = max(self.width(), self.minimumWidth())
        self.setMinimumHeight(layout.totalHeightForWidth(width))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()


def consent_words(offer: ModelOffer) -> str:
    """What happens after a yes."""
    note = f"{offer.note} " if offer.note else ""
    return visible_text(
        f"{note}It is fetched from {offer.host} and kept in Ankita's own folder. It is used only"
        " if its SHA-256 is exactly this one, and then it answers from now on."
    )
