"""The main window over a scripted engine, with short ways to make what it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pytestqt.qtbot import QtBot

from ankita.engine import (
    Act,
    CallStatus,
    EngineState,
    PendingApproval,
    ReplyItem,
    ReplyStatus,
    RiskTier,
    Rule,
    TeammateState,
    ThreadStatus,
    ThreadSummary,
    ToolItem,
    UserItem,
    Verdict,
)
from ankita.ids import CallId, ItemId, RequestId, TeammateId, ThreadId, TurnId
from ankita.messages import Effect, ModelInfo, Phase
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.shell import MainShell
from ankita.ui.main_window.ui_state import MemoryUiState
from ankita.ui.main_window.window import MainWindow
from ankita.ui.view_models.window_models import WindowModels, make_models
from tests.fakes.engine import ScriptedEngine

AT = "2026-05-04T10:00:00+00:00"
MIRA = TeammateState(TeammateId("mira"), "Mira", "mint")
DEV = TeammateState(TeammateId("dev"), "Dev", "blue")
BUILT_IN = ModelInfo("Built-in assistant", "built-in", is_local=True, is_built_in=True)
LLAMA = ModelInfo("llama3.1:8b · local", "llama3.1:8b", is_local=True)
THREAD = ThreadId("t1")
TURN = TurnId("turn")


def thread(thread_id: str = THREAD, **changes: object) -> ThreadSummary:
    summary = ThreadSummary(ThreadId(thread_id), MIRA.id, "Rent agreement", AT)
    return replace(summary, **changes)  # type: ignore[arg-type]


def user(text: str, item_id: str = "u1") -> UserItem:
    return UserItem(ItemId(item_id), TURN, text, AT)


def reply(text: str, item_id: str = "r1", status: ReplyStatus = ReplyStatus.DONE) -> ReplyItem:
    return ReplyItem(ItemId(item_id), TURN, 1, text, status, AT)


def tool(item_id: str = "c1", status: CallStatus = CallStatus.OK, **changes: object) -> ToolItem:
    item = ToolItem(
        id=ItemId(item_id),
        turn_id=TURN,
        step=1,
        call_id=CallId(item_id),
        name="read_file",
        arguments={},
        effect=Effect.READS,
        phase=Phase.READING,
        title="files: read file",
        target="agreement.pdf",
        status=status,
        created_at=AT,
    )
    return replace(item, **changes)  # type: ignore[arg-type]


def question(
    request_id: str = "q1",
    call_id: str = "c1",
    tier: RiskTier = RiskTier.ALWAYS_ASK,
    **changes: object,
) -> PendingApproval:
    approval = PendingApproval(
        id=RequestId(request_id),
        thread_id=THREAD,
        turn_id=TURN,
        call_id=CallId(call_id),
        teammate_id=MIRA.id,
        act=Act("gmail", "send email", (("to", "r.mehta@example.org"),), "Send once", "Don't send"),
        verdict=Verdict(tier, Rule.APP_DEFAULT, "gmail always asks"),
        created_at=AT,
    )
    return replace(approval, **changes)  # type: ignore[arg-type]


def state(*threads: ThreadSummary, **changes: object) -> EngineState:
    made = EngineState(
        threads={each.id: each for each in threads},
        teammates=(MIRA, DEV),
        answering=BUILT_IN,
        workspace="/home/mira/Ankita",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@dataclass
class WindowLab:
    """A shown window in its shell, the engine behind it, and what it remembers."""

    shell: MainShell
    window: MainWindow
    engine: ScriptedEngine
    bridge: EngineBridge
    models: WindowModels
    store: MemoryUiState


@contextmanager
def window_lab(
    qtbot: QtBot, first: EngineState | None = None, store: MemoryUiState | None = None
) -> Iterator[WindowLab]:
    engine = ScriptedEngine(first or state())
    bridge = EngineBridge(engine)  # type: ignore[arg-type]
    kept = store or MemoryUiState()
    models = make_models(bridge, bridge)
    shell = MainShell(kept)
    window = MainWindow(bridge, models, kept)
    shell.fill(window)
    window.take_keyboard()
    with qtbot.waitActive(shell):
        shell.show()
        shell.activateWindow()
    try:
        yield WindowLab(shell, window, engine, bridge, models, kept)
    finally:
        bridge.close()
        shell.hide()
        shell.deleteLater()


OpenWindow = Callable[..., WindowLab]

BUSY = ThreadStatus.WORKING
