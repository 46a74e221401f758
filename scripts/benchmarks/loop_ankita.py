"""The loop with Ankita's whole engine on a profile on disk, windows aside. A process of its own.

Run as `python loop_ankita.py BASE_URL MESSAGE PROFILE`; see peers/steps.py for the lines.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path

from ankita.app import make_engine
from ankita.composition import Wanted
from ankita.config import ServerSettings, Settings, ToolMode, settings_to_json
from ankita.durable import DurableFiles
from ankita.engine import (
    Answer,
    ApprovalRequested,
    CallStatus,
    CreateThread,
    DecideApproval,
    Engine,
    NumberedEvent,
    SendMessage,
    ThreadSaved,
    ThreadStatus,
    ToolItem,
)
from ankita.engine.team import MIRA
from ankita.ids import ThreadId
from ankita.paths import ProfilePaths, prepare

SECONDS = 60.0
FOLDERS = 20
WORKING = (ThreadStatus.WORKING, ThreadStatus.ASKING)


class Contender:
    """One engine; a run is one message in a thread of its own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_over = threading.Event()
        self._thread: ThreadId | None = None
        engine.subscribe(self._hear)

    def run(self, message: str) -> dict[str, float]:
        """From handing over the message until the thread is idle again."""
        self._thread = ThreadId(self._engine.submit(CreateThread(MIRA.id)).result(SECONDS))
        self._is_over.clear()
        started = time.perf_counter()
        self._engine.submit(SendMessage(self._thread, message))
        if not self._is_over.wait(SECONDS):
            raise SystemExit("the turn did not end")
        took = (time.perf_counter() - started) * 1000
        return {"ms": took, "calls": self._calls()}

    def _calls(self) -> int:
        assert self._thread is not None
        items = self._engine.state.items[self._thread]
        return sum(isinstance(i, ToolItem) and i.status is CallStatus.OK for i in items)

    def _hear(self, numbered: NumberedEvent) -> None:
        match numbered.event:
            case ApprovalRequested(approval):
                # Once, in the round that is not counted: from then on a rule allows it.
                yes = DecideApproval(approval.id, Answer.YES_ALWAYS, "terminal")
                self._engine.submit(yes)
            case ThreadSaved(thread) if thread.id == self._thread and thread.status not in WORKING:
                if self._engine.state.items.get(thread.id):
                    self._is_over.set()


def write_profile(paths: ProfilePaths, base_url: str) -> None:
    """A server whose model was tried before, and folders to list."""
    prepare(paths)
    server = ServerSettings(base_url, "mock", tool_mode=ToolMode.NATIVE)
    document = settings_to_json(Settings(server=server))
    DurableFiles(paths.root).write_json(paths.settings, document)
    for number in range(FOLDERS):
        (paths.workspace / f"folder-{number}").mkdir(exist_ok=True)


def main() -> None:
    base_url, message, profile = sys.argv[1:]
    paths = ProfilePaths(Path(profile))
    write_profile(paths, base_url)
    engine = make_engine(paths, Wanted(look_at=()))
    contender = Contender(engine)
    engine.start()
    engine.ready.result(SECONDS)
    for _ in sys.stdin:
        print(json.dumps(contender.run(message)), flush=True)
    engine.stop(10)


if __name__ == "__main__":
    main()
