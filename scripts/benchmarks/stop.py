"""How long Stop takes: until nothing new is admitted, and until a tree of processes is gone."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from ankita.app import make_engine
from ankita.composition import Wanted
from ankita.engine import (
    Answer,
    ApprovalRequested,
    CreateThread,
    DecideApproval,
    Engine,
    EngineState,
    NumberedEvent,
    SendMessage,
    StopTurn,
)
from ankita.engine.team import MIRA
from ankita.ids import ThreadId
from ankita.messages import JsonObject, ToolResult, ToolStatus
from ankita.paths import ProfilePaths
from ankita.protocols import CallContext, ModelProvider, ToolProvider
from benchmarks.measures import CannotMeasureError, Measure, Part
from tests.engine_lab import answering_with, tool_items
from tests.fakes.models import ScriptedModelProvider, calls
from tests.fakes.tools import FakeToolProvider, make_spec

MOST_ADMISSION_MILLISECONDS = 100.0
MOST_TREE_MILLISECONDS = 2000.0
SECONDS = 30.0
STEPS = 100
STEPS_BEFORE = 10

TREE = """
import subprocess, sys, time
depth = int(sys.argv[1])
if depth:
    subprocess.Popen([sys.executable, __file__, str(depth - 1)]).wait()
print("standing", flush=True)
time.sleep(600)
"""
PROCESSES = 3


class Stopwatch:
    """An engine whose thread is stopped in the middle of its work; answers every question."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._changed = threading.Condition()
        engine.subscribe(self._hear)

    def start(self) -> ThreadId:
        thread_id = ThreadId(self._engine.submit(CreateThread(MIRA.id)).result(SECONDS))
        self._engine.submit(SendMessage(thread_id, "go")).result(SECONDS)
        return thread_id

    def until(self, is_so: Callable[[EngineState], bool]) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: is_so(self._engine.state), SECONDS):
                raise SystemExit("bench: the work before Stop did not come about")

    def stop(self, thread_id: ThreadId) -> float:
        """Press Stop and wait until it says that nothing runs; the moment it was pressed."""
        pressed = time.perf_counter()
        self._engine.submit(StopTurn(thread_id)).result(SECONDS)
        return pressed

    def _hear(self, numbered: NumberedEvent) -> None:
        if isinstance(numbered.event, ApprovalRequested):
            approval = numbered.event.approval
            self._engine.submit(DecideApproval(approval.id, Answer.YES_ONCE, "terminal"))
        with self._changed:
            self._changed.notify_all()


def measure(runs: int) -> Part:
    """Raises CannotMeasureError where the command of this part can't be run."""
    if os.name == "nt":
        raise CannotMeasureError("a POSIX shell for the command that is stopped")
    admissions, trees, returns = [], [], []
    for _ in range(runs):
        admissions.append(_admitted_after_stop())
        tree, returned = _tree_gone()
        trees.append(tree)
        returns.append(returned)
    return Part(
        "Stop",
        (
            _figure("until the last call was admitted", admissions, MOST_ADMISSION_MILLISECONDS),
            _figure(
                "until a command and its grandchildren are gone", trees, MOST_TREE_MILLISECONDS
            ),
            _figure("until Stop says that nothing runs", returns, MOST_TREE_MILLISECONDS),
        ),
    )


def _figure(what: str, taken: Sequence[float], limit: float) -> Measure:
    return Measure(what, statistics.median(taken), "ms", limit, max(taken))


def _admitted_after_stop() -> float:
    """Milliseconds from Stop to the last call that still reached its provider; 0 for none."""
    moments: list[float] = []

    def tick(_name: str, _arguments: JsonObject, _context: CallContext) -> ToolResult:
        moments.append(time.perf_counter())
        return ToolResult(ToolStatus.OK, f"{len(moments)}")

    tools = FakeToolProvider([make_spec("tick", number={"type": "integer"})], tick)
    model = ScriptedModelProvider([calls(("tick", {"number": n})) for n in range(STEPS)])
    with _running(model, tools) as (watch, _):
        thread_id = watch.start()
        watch.until(lambda _: len(moments) >= STEPS_BEFORE)
        pressed = watch.stop(thread_id)
    if len(moments) == STEPS:
        raise SystemExit("bench: the work was over before Stop")
    return max(0.0, (moments[-1] - pressed) * 1000)


def _tree_gone() -> tuple[float, float]:
    """Milliseconds from Stop until three processes are gone, and until Stop has returned."""
    command = f"{sys.executable} tree.py {PROCESSES - 1}; echo never"
    model = ScriptedModelProvider([calls(("run_command", {"command": command}))])
    with _running(model) as (watch, paths):
        (paths.workspace / "tree.py").write_text(TREE, encoding="utf-8")
        thread_id = watch.start()
        watch.until(lambda s: any("standing" in i.output for i in tool_items(s.items[thread_id])))
        tree = psutil.Process().children(recursive=True)
        if len(tree) < PROCESSES:
            raise SystemExit("bench: the processes before Stop are not there")
        gone: list[float] = []
        looking = threading.Thread(target=lambda: gone.append(_moment_without(tree)))
        looking.start()
        pressed = watch.stop(thread_id)
        returned = time.perf_counter()
        looking.join(SECONDS)
    if not gone:
        raise SystemExit("bench: the processes outlived Stop")
    return (gone[0] - pressed) * 1000, (returned - pressed) * 1000


def _moment_without(tree: Sequence[psutil.Process]) -> float:
    while any(_lives(process) for process in tree):
        time.sleep(0.002)
    return time.perf_counter()


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@contextmanager
def _running(
    model: ModelProvider, *tools: ToolProvider
) -> Iterator[tuple[Stopwatch, ProfilePaths]]:
    with tempfile.TemporaryDirectory(prefix="ankita-stop-") as name:
        paths = ProfilePaths(Path(name))
        wanted = Wanted(models=answering_with(model), extra_tools=tools, look_at=())
        engine = make_engine(paths, wanted)
        watch = Stopwatch(engine)
        engine.start()
        engine.ready.result(SECONDS)
        try:
            yield watch, paths
        finally:
            engine.stop(SECONDS)
