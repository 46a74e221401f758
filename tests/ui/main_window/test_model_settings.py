"""Settings for models: the wire format, what is found here, the self-test, and model files."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from ankita.config import ServerSettings, Settings, ToolMode, WireFormat
from ankita.engine import (
    ApprovalRequested,
    CancelDownload,
    CheckServer,
    DeclineServer,
    DownloadChanged,
    DownloadModel,
    EngineState,
    ListModels,
    LookForServers,
    ModelDownload,
    ModelOffer,
    OfferedModel,
    OffersChanged,
    ServerOffer,
    ServerReport,
    SettingsChanged,
    TryModel,
    UseModelFile,
    UseServer,
)
from ankita.errors import CommandRefusedError, ModelUnreachableError
from ankita.ui.main_window.model_consent import ModelConsent
from ankita.ui.main_window.model_file_words import progress_words, size_words
from ankita.ui.main_window.model_files import ModelFilesPart
from ankita.ui.main_window.rail import Pane
from ankita.ui.main_window.server_search import declined_words
from ankita.ui.main_window.settings_pane import SettingsPane
from ankita.ui.theme import Theme, ThemeMode, apply
from tests.ui.main_window.test_settings import settings_of, tab_to, words_in
from tests.ui.main_window.window_lab import AT, OpenWindow, WindowLab, question, state

ADDRESS = "http://127.0.0.1:11434/v1"
SERVER = ServerSettings(ADDRESS, "llama3.1:8b", tool_mode=ToolMode.NATIVE, context_tokens=8192)
HASH = "9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031"
SMALL = ModelOffer(
    "Qwen/Small/small.gguf", "Small", "Qwen", "Apache-2.0", 639_446_688, HASH, "hub.example", "Note"
)
FOUND = ServerOffer("http://127.0.0.1:1234/v1", "LM Studio", models=(OfferedModel("qwen3:4b"),))


def using(server: ServerSettings | None = SERVER, **changes: Any) -> EngineState:
    return state(settings=replace(Settings(server=server), **changes))


# a server by its address


def test_the_wire_format_goes_with_the_test_and_with_the_use(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, pane = settings_of(open_window)
    lab.engine.answers[CheckServer] = ServerReport(("claude-like",))
    form = pane.adding.form
    form.address.setText("https://api.example.org")
    form.wires.chips[WireFormat.ANTHROPIC].click()
    form.test.click()
    qtbot.waitUntil(lambda: form.model.count() == 1)
    form.use.click()
    assert [c.wire for c in lab.engine.sent(CheckServer)] == [WireFormat.ANTHROPIC]
    assert [c.wire for c in lab.engine.sent(UseServer)] == [WireFormat.ANTHROPIC]


def test_the_form_shows_how_the_server_in_use_is_spoken_to(open_window: OpenWindow) -> None:
    _, pane = settings_of(open_window, using(replace(SERVER, wire=WireFormat.ANTHROPIC)))
    assert pane.adding.form.wires.wire is WireFormat.ANTHROPIC
    assert "Anthropic" in words_in(pane.answers)


# servers on this computer


@pytest.mark.spec("PRV-2")
def test_a_look_is_shown_while_it_lasts_and_what_it_found_can_be_used_or_declined(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, pane = settings_of(open_window, using())
    search = pane.adding.search
    tab_to(qtbot, search.look)
    qtbot.keyClick(search.look, Qt.Key.Key_Return)
    assert lab.engine.sent(LookForServers) == [LookForServers()]
    lab.engine.emit(OffersChanged((), is_looking=True))
    qtbot.waitUntil(lambda: search.row.words.text() == "Looking…")
    assert not search.look.isEnabled()
    lab.engine.emit(OffersChanged((FOUND,)))
    qtbot.waitUntil(lambda: len(search.offers.views()) == 1)
    assert search.look.isEnabled()
    (view,) = search.offers.views()
    view.use.click()
    assert lab.engine.sent(UseServer) == [UseServer(FOUND.base_url, "qwen3:4b")]
    view.decline_wanted.emit(FOUND.base_url)
    assert lab.engine.sent(DeclineServer) == [DeclineServer(FOUND.base_url)]


@pytest.mark.spec("PRV-2")
def test_a_look_that_finds_nothing_says_what_to_do(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab, pane = settings_of(open_window)
    lab.engine.answers[LookForServers] = 0
    pane.adding.search.look.click()
    qtbot.waitUntil(lambda: "Start one" in pane.adding.search.row.words.text())


@pytest.mark.spec("PRV-2")
def test_declined_servers_are_named(open_window: OpenWindow) -> None:
    _, pane = settings_of(open_window, using(declined_servers=(FOUND.base_url,)))
    assert "Not offered again: 127.0.0.1:1234." in pane.adding.search.row.words.text()
    assert declined_words(()) == ""


# the self-test


@pytest.mark.spec("PRV-9")
@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (ToolMode.UNKNOWN, "Not known yet whether it can use tools"),
        (ToolMode.NATIVE, "Tools work"),
        (ToolMode.JSON_ACTION, "Tools work through JSON"),
        (ToolMode.CHAT_ONLY, "Chat only"),
    ],
)
def test_what_the_self_test_found_is_said(
    open_window: OpenWindow, mode: ToolMode, words: str
) -> None:
    lab, pane = settings_of(open_window, using(replace(SERVER, tool_mode=mode)))
    assert pane.answers.self_test.title.text() == words
    assert "8,192 tokens" in pane.answers.self_test.words.text()
    assert not [c for c in lab.engine.sent(TryModel) if mode is not ToolMode.UNKNOWN]


@pytest.mark.spec("PRV-9")
def test_the_self_test_can_be_tried_again_and_says_why_it_could_not(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, pane = settings_of(open_window, using())
    row = pane.answers.self_test
    held: Future[Any] = Future()
    lab.engine.held[TryModel] = held
    row.again.click()
    assert row.title.text() == "Trying its tools…"
    assert not row.again.isEnabled()
    held.set_exception(ModelUnreachableError("Nothing answers there.", advice="Start it."))
    qtbot.waitUntil(lambda: row.words.text() == "Nothing answers there. Start it.")
    assert row.again.isEnabled()


@pytest.mark.spec("PRV-9")
def test_a_new_model_is_shown_while_it_is_tried(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab, pane = settings_of(open_window)
    row = pane.answers.self_test
    assert not row.isVisible()
    held: Future[Any] = Future()
    lab.engine.held[TryModel] = held
    untried = replace(SERVER, tool_mode=ToolMode.UNKNOWN)
    lab.engine.emit(SettingsChanged(Settings(server=untried)))
    qtbot.waitUntil(lambda: row.title.text() == "Trying its tools…")
    lab.engine.emit(SettingsChanged(Settings(server=SERVER)))
    held.set_result(ToolMode.NATIVE)
    qtbot.waitUntil(lambda: row.title.text() == "Tools work")


@pytest.mark.spec("PRV-9")
def test_the_end_of_an_earlier_models_test_says_nothing_of_the_present_one(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, pane = settings_of(open_window, using())
    row = pane.answers.self_test
    first: Future[Any] = Future()
    second: Future[Any] = Future()
    lab.engine.held[TryModel] = first
    row.again.click()
    lab.engine.held[TryModel] = second
    other = replace(SERVER, model="other", tool_mode=ToolMode.UNKNOWN)
    lab.engine.emit(SettingsChanged(Settings(server=other)))
    qtbot.waitUntil(lambda: len(lab.engine.sent(TryModel)) == 2)
    first.set_exception(ModelUnreachableError("Nothing answers there."))
    # What the engine tells afterwards is drawn after it.
    lab.engine.emit(OffersChanged((), is_looking=True))
    qtbot.waitUntil(lambda: pane.adding.search.row.words.text() == "Looking…")
    assert row.title.text() == "Trying its tools…"
    second.set_exception(ModelUnreachableError("The other is not there."))
    qtbot.waitUntil(lambda: row.words.text() == "The other is not there.")


# model files


def files_of(
    open_window: OpenWindow, first: EngineState | None = None
) -> tuple[WindowLab, SettingsPane, ModelFilesPart]:
    lab, pane = settings_of(open_window, first)
    lab.engine.answers[ListModels] = (SMALL,)
    return lab, pane, pane.adding.files


def asked(open_window: OpenWindow, qtbot: QtBot) -> tuple[WindowLab, ModelFilesPart, ModelConsent]:
    """The question before a download."""
    lab, _, files = files_of(open_window)
    files.get.click()
    qtbot.waitUntil(lambda: len(files.offers) == 1)
    files.offers[0].get.click()
    assert files.consent is not None
    return lab, files, files.consent


@pytest.mark.spec("PRV-9")
def test_a_chosen_file_is_used_and_a_refusal_is_said_in_place(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, _, files = files_of(open_window)
    lab.engine.answers[UseModelFile] = CommandRefusedError(
        "Model files can't be run here.", advice="Install ankita[local]."
    )
    files.choose.click()
    dialog = files.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit("/home/mira/m.gguf")
    assert lab.engine.sent(UseModelFile) == [UseModelFile("/home/mira/m.gguf")]
    words = "Model files can't be run here. Install ankita[local]."
    qtbot.waitUntil(lambda: files.result.text() == words)
    assert files.choose.isEnabled()
    dialog.close()


@pytest.mark.spec("PRV-9")
def test_nothing_is_asked_of_the_hub_or_fetched_before_the_user_says_so(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, files, consent = asked(open_window, qtbot)
    assert lab.engine.sent(ListModels) == [ListModels()]
    assert consent.refuse.hasFocus() or consent.focusWidget() is consent.refuse
    consent.refuse.click()
    qtbot.waitUntil(lambda: files.consent is None)
    assert lab.engine.sent(DownloadModel) == []


@pytest.mark.spec("PRV-9")
def test_the_yes_names_the_file_whole_and_covers_it_alone(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, _, consent = asked(open_window, qtbot)
    words = "\n".join(e.text().replace("\u200b", "") for e in consent.findChildren(QLabel))
    for fact in ("Small", "Qwen", "Apache-2.0", "639 MB", HASH, "hub.example", SMALL.id, "Note"):
        assert fact in words
    assert all(e.textFormat() is Qt.TextFormat.PlainText for e in consent.findChildren(QLabel))
    consent.agree.click()
    assert lab.engine.sent(DownloadModel) == [DownloadModel(SMALL)]


@pytest.mark.spec("PRV-9")
def test_the_hash_of_a_listed_model_can_be_copied_whole(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    _, _, files = files_of(open_window)
    files.get.click()
    qtbot.waitUntil(lambda: len(files.offers) == 1)
    files.offers[0].copy.click()
    assert QApplication.clipboard().text() == HASH


@pytest.mark.spec("PRV-9")
def test_a_hub_that_cannot_be_asked_is_said(open_window: OpenWindow, qtbot: QtBot) -> None:
    lab, _, files = files_of(open_window)
    lab.engine.answers[ListModels] = ModelUnreachableError("The hub can't be reached.")
    files.get.click()
    qtbot.waitUntil(lambda: files.result.text() == "The hub can't be reached.")
    assert files.get.isEnabled()


@pytest.mark.spec("PRV-9")
@pytest.mark.parametrize("discard", [False, True])
def test_a_download_shows_how_far_it_is_and_ends_in_two_ways(
    open_window: OpenWindow, qtbot: QtBot, discard: bool
) -> None:
    lab, _, files = files_of(open_window)
    row = files.download
    lab.engine.emit(DownloadChanged(ModelDownload(SMALL.id, "Small", 320_000_000, SMALL.size)))
    qtbot.waitUntil(row.isVisible)
    assert row.words.text() == "320 of 639 MB"
    assert not row.discard.isVisible()
    row.cancel.click()
    assert lab.engine.sent(CancelDownload) == []
    (row.discard if discard else row.keep).click()
    assert lab.engine.sent(CancelDownload) == [CancelDownload(discard)]
    lab.engine.emit(DownloadChanged(None))
    qtbot.waitUntil(lambda: not row.isVisible())
    assert ("discarded" if discard else "kept") in files.result.text()


@pytest.mark.spec("PRV-9")
def test_a_download_that_stopped_goes_on_with_the_same_yes(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, files, consent = asked(open_window, qtbot)
    consent.agree.click()
    stopped = ModelDownload(SMALL.id, "Small", 1_000_000, SMALL.size, problem="It hung up.")
    lab.engine.emit(DownloadChanged(stopped))
    qtbot.waitUntil(files.download.go_on.isVisible)
    assert files.download.words.text().startswith("It hung up.")
    files.download.go_on.click()
    assert lab.engine.sent(DownloadModel) == [DownloadModel(SMALL)] * 2
    lab.engine.emit(DownloadChanged(None))
    qtbot.waitUntil(lambda: "answers from now on" in files.result.text())


@pytest.mark.spec("PRV-9")
def test_without_a_yes_of_this_run_a_stopped_download_does_not_go_on(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    lab, _, files = files_of(open_window)
    stopped = ModelDownload("other/id/x.gguf", "Small", 1, 2, problem="It hung up.")
    lab.engine.emit(DownloadChanged(stopped))
    qtbot.waitUntil(files.download.isVisible)
    assert not files.download.go_on.isVisible()
    assert files.download.discard.isVisible()


@pytest.mark.parametrize(
    ("size", "words"), [(1, "1 MB"), (639_446_688, "639 MB"), (2_497_280_256, "2.5 GB")]
)
def test_sizes_are_said_in_the_unit_that_fits(size: int, words: str) -> None:
    assert size_words(size) == words


def test_what_is_done_is_told_without_a_whole_and_while_it_is_checked() -> None:
    download = ModelDownload("x", "Small", 5_000_000, 0)
    assert progress_words(download) == "5 MB"
    assert "hash" in progress_words(replace(download, is_checking=True))


class ShownWindows(QObject):
    """Notes every widget that is shown as a window, be it for a moment."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        is_window = isinstance(watched, QWidget) and watched.isWindow()
        if event.type() is QEvent.Type.Show and is_window:
            self.names.append(type(watched).__name__)
        return False


@pytest.mark.spec("APR-22")
def test_no_part_of_a_pane_is_ever_a_window_of_its_own(
    open_window: OpenWindow, qtbot: QtBot, qapp: QApplication
) -> None:
    asks_once = question(scope_once="x", scope_always="x")
    put_off = question("q2", parked_at=AT)
    first = using(private_hosts=("nas.local",))
    lab = open_window(replace(first, approvals=(asks_once, put_off)))
    windows = ShownWindows()
    qapp.installEventFilter(windows)
    lab.window.show_pane(Pane.SETTINGS)
    lab.window.show_pane(Pane.APPROVALS)
    lab.engine.emit(OffersChanged((FOUND,)), ApprovalRequested(question("q3")))
    qtbot.waitUntil(lambda: len(lab.models.approvals.waiting()) == 2)
    qapp.removeEventFilter(windows)
    assert windows.names == []


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_what_is_agreed_to_is_never_cut_off(
    open_window: OpenWindow, qtbot: QtBot, qapp: QApplication, scale: float
) -> None:
    apply(qapp, Theme(ThemeMode.DARK, text_scale=scale))
    try:
        _, _, consent = asked(open_window, qtbot)
        qtbot.waitExposed(consent)
        labels = [each for each in consent.findChildren(QLabel) if each.isVisible()]
        qtbot.waitUntil(lambda: all(e.height() >= e.heightForWidth(e.width()) for e in labels))
        consent.reject()
    finally:
        apply(qapp, Theme(ThemeMode.DARK))
