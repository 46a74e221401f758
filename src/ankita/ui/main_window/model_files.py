"""Settings: model files that Ankita runs itself: choose one, or get one after a yes."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from ankita.engine import (
    CancelDownload,
    DownloadChanged,
    DownloadModel,
    ListModels,
    ModelOffer,
    UseModelFile,
)
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.download_row import DownloadRow
from ankita.ui.main_window.model_consent import ModelConsent
from ankita.ui.main_window.model_offer_row import ModelOfferRow
from ankita.ui.main_window.panel_rows import PanelRow
from ankita.ui.replies import Replies
from ankita.ui.widgets.announcements import announce
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.plain_label import PlainLabel, visible_text

FILE_WORDS = "A GGUF file, run by Ankita on this computer. No server, no key."


class ModelFilesPart(QWidget):
    """What is listed comes from the hub when it is asked, and is asked for only then."""

    def __init__(self, bridge: EngineBridge, replies: Replies) -> None:
        super().__init__()
        self._bridge = bridge
        self._replies = replies
        self._agreed: dict[str, ModelOffer] = {}
        self._name = ""
        self._end_words = ""
        self.consent: ModelConsent | None = None
        self.offers: list[ModelOfferRow] = []
        self._build()
        bridge.listen(DownloadChanged, lambda _: self._refresh())
        self._refresh()

    def use_file(self, path: str) -> None:
        """Let the file answer; what is wrong with it is said below the buttons."""
        if not path:
            return
        self._wait("Reading the file…")
        self._replies.ask(
            UseModelFile(path),
            lambda _: self._say("The file's model answers from now on.", "accent"),
            self._failed,
        )

    # --- building ---------------------------------------------------------------------

    def _build(self) -> None:
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.choose = ActButton("Choose a file…", small=True)
        self.choose.setAccessibleName("Choose a model file")
        self.get = ActButton("Get a model…", small=True)
        self.choose.clicked.connect(self._choose)
        self.get.clicked.connect(self._list)
        self.row = PanelRow("A model file", FILE_WORDS, [self.choose, self.get])
        self.result = PlainLabel("", role="small")
        self.result.setContentsMargins(16, 0, 16, 12)
        self.result.hide()
        self.download = DownloadRow()
        self.download.cancelled.connect(self._cancel)
        self.download.go_on_wanted.connect(self._go_on)
        for widget in (self.row, self.result, self.download):
            self._column.addWidget(widget)

    def _choose(self) -> None:
        dialog = QFileDialog(self, "Choose a model file")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(["Model files (*.gguf)", "All files (*)"])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.use_file)
        dialog.open()

    # --- the list ---------------------------------------------------------------------

    def _list(self) -> None:
        self._clear()
        self._wait("Asking what can be fetched…")
        self._replies.ask(ListModels(), self._listed, self._failed)

    def _listed(self, offers: tuple[ModelOffer, ...]) -> None:
        if not offers:
            self._say("Nothing can be fetched just now. Try again later.", "small")
            return
        count = "One model" if len(offers) == 1 else f"{len(offers)} models"
        self._say(f"{count} can be fetched. Nothing is until you say yes to one.", "small")
        for offer in offers:
            row = ModelOfferRow(offer)
            row.wanted.connect(partial(self._ask_consent, offer))
            self.offers.append(row)
            self._column.addWidget(row)
        self._refresh()

    def _clear(self) -> None:
        for row in self.offers:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.offers.clear()

    def _ask_consent(self, offer: ModelOffer) -> None:
        if self.consent is not None:
            return
        consent = ModelConsent(offer, self.window())
        consent.agreed.connect(partial(self._fetch, offer))
        consent.finished.connect(self._consent_closed)
        self.consent = consent
        consent.open()

    def _consent_closed(self) -> None:
        consent, self.consent = self.consent, None
        if consent is not None:
            consent.deleteLater()

    # --- the download -----------------------------------------------------------------

    def _fetch(self, offer: ModelOffer) -> None:
        self._agreed[offer.id] = offer
        self._end_words = ""
        self.result.hide()
        self._replies.ask(DownloadModel(offer), lambda _: None, self._failed)

    def _go_on(self, model_id: str) -> None:
        offer = self._agreed.get(model_id)
        if offer is not None:
            self._fetch(offer)

    def _cancel(self, discard: bool) -> None:
        self._end_words = "discarded" if discard else "kept, so that it can go on from there"
        self._replies.ask(CancelDownload(discard), lambda _: None, self._failed)

    def _refresh(self) -> None:
        download = self._bridge.state.download
        can_go_on = download is not None and download.id in self._agreed
        self.download.show_download(download, can_go_on=can_go_on)
        for row in self.offers:
            row.get.setEnabled(download is None)
        if download is not None:
            self._name = download.name
        elif self._name:
            name, self._name = self._name, ""
            self._ended(name)

    def _ended(self, name: str) -> None:
        if self._end_words:
            self._say(
                f"{name} is not fetched any more; what was there is {self._end_words}.", "small"
            )
        else:
            self._clear()
            self._say(f"{name} is here and answers from now on.", "accent")

    # --- words ------------------------------------------------------------------------

    def _wait(self, words: str) -> None:
        self._say(words, "small")
        self._set_enabled(False)

    def _failed(self, words: str) -> None:
        self._say(words, "danger")

    def _say(self, words: str, role: str) -> None:
        self._set_enabled(True)
        shown = visible_text(words)
        self.result.set_role(role)
        self.result.setText(shown)
        self.result.show()
        announce(self.result, shown)

    def _set_enabled(self, is_enabled: bool) -> None:
        for button in (self.choose, self.get):
            button.setEnabled(is_enabled)
