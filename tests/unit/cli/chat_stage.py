"""A conversation over an engine that does what a test says."""

from __future__ import annotations

import io
from dataclasses import replace

from ankita.cli.chat import TerminalChat
from ankita.config import ServerSettings, Settings
from ankita.engine import EngineState, OfferedModel, ServerOffer, TeammateState
from ankita.ids import TeammateId
from ankita.messages import ModelInfo
from tests.fakes.engine import ScriptedEngine

BUILT_IN = ModelInfo("Built-in assistant", "built-in", is_local=True, is_built_in=True)
LLAMA = ModelInfo("llama · local", "llama", is_local=True)
MIRA = TeammateState(TeammateId("mira"), "Mira", "mint")
DEV = TeammateState(TeammateId("dev"), "Dev", "blue", answering=LLAMA)
OLLAMA = ServerOffer(
    "http://127.0.0.1:11434/v1",
    "Ollama",
    models=(OfferedModel("llama3.1:8b", 8192), OfferedModel("tiny", has_tools=False)),
)
LM_STUDIO = ServerOffer("http://127.0.0.1:1234/v1", "LM Studio", models=(OfferedModel("qwen"),))
LOCKED = ServerOffer("http://127.0.0.1:8000/v1", "vLLM", needs_key=True, note="It wants a key.")


def state(**changes: object) -> EngineState:
    made = EngineState(teammates=(MIRA, DEV), answering=LLAMA)
    return replace(made, **changes)  # type: ignore[arg-type]


def with_server(base_url: str = "http://127.0.0.1:1/v1") -> EngineState:
    return state(settings=Settings(server=ServerSettings(base_url, "m")))


def play(engine: ScriptedEngine, *lines: str) -> str:
    """Everything that is shown when these lines are typed."""
    sink = io.StringIO()
    source = io.StringIO("".join(f"{line}\n" for line in lines))
    assert TerminalChat(engine, source, sink).run() == 0  # type: ignore[arg-type]
    return sink.getvalue()
