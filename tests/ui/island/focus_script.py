"""Run in a process of its own on a real X screen: an editor, an island, and what is typed.

Prints one JSON line a step. The parent types with xdotool when it reads "type".
"""

from __future__ import annotations

import json
import sys

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QApplication, QLineEdit

from ankita.engine import ApprovalRequested, DecideApproval
from ankita.ui.bridge import EngineBridge
from ankita.ui.island.window import IslandWindow
from ankita.ui.view_models.window_models import make_models
from tests.fakes.engine import ScriptedEngine
from tests.ui.island.island_lab import RememberingStore, question, state

POLL_MILLISECONDS = 50


def say(step: str, **more: object) -> None:
    print(json.dumps({"step": step, **more}), flush=True)


class Play:
    """Emits the question once the editor has the focus, then reports what changes."""

    def __init__(self) -> None:
        self.editor = QLineEdit()
        self.editor.setWindowTitle("editor")
        self.editor.setGeometry(100, 400, 400, 60)
        self.engine = ScriptedEngine(state())
        self.bridge = EngineBridge(self.engine)  # type: ignore[arg-type]
        self.island = IslandWindow(self.bridge, make_models(self.bridge), RememberingStore())
        self.last: dict[str, object] = {}
        self.is_asked = False
        self.editor.show()
        self.editor.activateWindow()
        self.timer = QTimer()
        self.timer.timeout.connect(self.look)
        self.timer.start(POLL_MILLISECONDS)

    def look(self) -> None:
        if not self.is_asked:
            if not self.editor.hasFocus():
                return
            self.is_asked = True
            self.island.show()
            self.engine.emit(ApprovalRequested(question()))
        card = self.island.content.question.card
        body = self.island.body().translated(self.island.pos())
        grip: QPoint = body.topLeft() + QPoint(body.width() // 2, 6)
        now = {
            "text": self.editor.text(),
            "editor_has_focus": self.editor.hasFocus(),
            "island_has_keyboard": self.island.keyboard.has_keyboard,
            "island_is_cut": not self.island.mask().isEmpty(),
            "island_visible": self.island.isVisible(),
            "form": self.island.form.value,
            "can_answer": card is not None and not card.is_guarded,
            "answers": [c.answer.value for c in self.engine.sent(DecideApproval)],
            "grip": [grip.x(), grip.y()],
        }
        if now != self.last:
            self.last = now
            say("now", **now)


def main() -> int:
    application = QApplication(sys.argv)
    play = Play()
    assert play
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
