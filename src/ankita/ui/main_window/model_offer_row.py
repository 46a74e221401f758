"""Settings: one model file that could be fetched, with everything a yes would cover."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout

from ankita.engine import ModelOffer
from ankita.ui.main_window.model_file_words import offer_words
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.key_value_grid import KeyValueGrid
from ankita.ui.widgets.plain_label import PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind

_SHORT_HASH = 12


class ModelOfferRow(Surface):
    """Fetches nothing: "Get…" leads to the question."""

    wanted = Signal()

    def __init__(self, offer: ModelOffer) -> None:
        super().__init__(SurfaceKind.DIVIDED)
        self.offer = offer
        name = visible_text(offer.name)
        self.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 16, 10)
        row.setSpacing(12)
        column = QVBoxLayout()
        column.setSpacing(2)
        row.addLayout(column, 1)
        column.addWidget(PlainLabel(name, role="strong"))
        column.addWidget(PlainLabel(offer_words(offer), role="small"))
        if offer.note:
            column.addWidget(PlainLabel(visible_text(offer.note), role="small"))
        column.addLayout(self._hash_line(name))
        self.get = ActButton("Get…", small=True)
        self.get.setAccessibleName(f"Get {name}")
        self.get.clicked.connect(self.wanted)
        row.addWidget(self.get)

    def _hash_line(self, name: str) -> QHBoxLayout:
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(KeyValueGrid([("SHA-256", self.offer.sha256)], limit=_SHORT_HASH), 1)
        self.copy = ActButton("copy", Variant.LINK)
        self.copy.setAccessibleName(f"Copy the SHA-256 of {name}")
        self.copy.clicked.connect(self._copy)
        line.addWidget(self.copy)
        return line

    def _copy(self) -> None:
        QApplication.clipboard().setText(self.offer.sha256)
        announce(self, "Copied")
