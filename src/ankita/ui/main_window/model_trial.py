"""How the answering model can act, in words, and whether that is being tried just now."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ankita.config import ToolMode
from ankita.engine import TryModel
from ankita.ids import TeammateId
from ankita.messages import ModelInfo
from ankita.ui.bridge import EngineBridge
from ankita.ui.replies import Replies

TRYING = "trying its tools…"

_MODES = {
    ToolMode.JSON_ACTION: (
        "acts through JSON",
        "This model can't call tools by itself. It is asked to write each act as JSON, which"
        " Ankita reads and runs.",
    ),
    ToolMode.CHAT_ONLY: (
        "chat only",
        "This model can talk, but it can't use tools: it reads no files and runs nothing.",
    ),
}


def mode_words(info: ModelInfo | None, *, is_tried: bool) -> tuple[str, str]:
    """A few words and a sentence about it; empty where there is nothing to say."""
    if info is None or info.is_built_in:
        return "", ""
    if info.tool_mode is ToolMode.UNKNOWN and is_tried:
        return TRYING, "Ankita finds out whether this model can call tools."
    return _MODES.get(info.tool_mode, ("", ""))


class ModelTrials(QObject):
    """Follows the self-test that the engine runs of a model that was just chosen.

    Asking for a trial joins the one that runs, so that its end is known here.
    """

    changed = Signal()

    def __init__(self, bridge: EngineBridge, parent: QObject) -> None:
        super().__init__(parent)
        self._replies = Replies(bridge, self)
        self._asked: set[str] = set()
        self._running: set[str] = set()

    def is_tried(self, info: ModelInfo | None) -> bool:
        return info is not None and info.label in self._running

    def follow(self, teammate_id: TeammateId, info: ModelInfo | None) -> None:
        """Wait for the end of the test of an untried model; once for each."""
        if info is None or info.is_built_in or info.tool_mode is not ToolMode.UNKNOWN:
            return
        label = info.label
        if label in self._asked:
            return
        self._asked.add(label)
        self._running.add(label)
        end = lambda _: self._ended(label)  # noqa: E731 - the same for both endings
        self._replies.ask(TryModel(teammate_id), end, end)
        self.changed.emit()

    def _ended(self, label: str) -> None:
        self._running.discard(label)
        self.changed.emit()
