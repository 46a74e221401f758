"""The terminal chat on a real engine: streaming, questions, files, stop, help (CLI-1)."""

from __future__ import annotations

import io
import queue
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ankita.app import make_engine
from ankita.cli.chat import TerminalChat
from ankita.composition import Wanted
from ankita.engine import Engine
from ankita.messages import Effect, TextDelta
from ankita.paths import ProfilePaths
from ankita.protocols import ModelProvider
from tests.engine_lab import answering_with
from tests.fakes.documents import FakeDocumentReader
from tests.fakes.models import Gate, ScriptedModelProvider, calls, says
from tests.fakes.tools import FakeToolProvider, make_spec

SECONDS = 20.0
DELETE = make_spec("delete_it", effect=Effect.CHANGES, text={"type": "string"})
CREATE = make_spec("create_it", effect=Effect.CHANGES, text={"type": "string"})


class Stage:
    """One conversation: lines in, everything that was shown out."""

    def __init__(self, folder: Path, model: ModelProvider, tools: FakeToolProvider) -> None:
        self.tools = tools
        self.engine: Engine = make_engine(
            ProfilePaths(folder),
            Wanted(
                models=answering_with(model),
                reader=FakeDocumentReader,
                extra_tools=(tools,),
            ),
        )
        self.engine.start()
        self.engine.ready.result(SECONDS)

    def play(self, *lines: str) -> str:
        sink = io.StringIO()
        source = io.StringIO("".join(f"{line}\n" for line in lines))
        assert TerminalChat(self.engine, source, sink).run() == 0
        return sink.getvalue()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    model = ScriptedModelProvider()
    made = Stage(tmp_path, model, FakeToolProvider([DELETE, CREATE]))
    made.model = model  # type: ignore[attr-defined]
    yield made
    assert made.engine.stop(SECONDS)


def script(stage: Stage, *replies: object) -> None:
    stage.model.add(*replies)  # type: ignore[attr-defined]


@pytest.mark.spec("CLI-1")
def test_it_says_version_and_what_answers_and_shows_the_reply(stage: Stage) -> None:
    script(stage, says("Good ", "day."))
    shown = stage.play("hello")
    first, *rest = shown.splitlines()
    assert first == "Ankita 0.1.0 · scripted · local"
    assert "Good day." in rest


@pytest.mark.spec("CLI-1", "APR-6")
def test_a_question_is_asked_with_its_act_and_the_answer_counts(stage: Stage) -> None:
    script(stage, calls(("delete_it", {"text": "all"})), says("Gone."))
    shown = stage.play("go", "y", "/why")
    assert "? test: delete it" in shown
    assert "text: all" in shown
    assert "Gone." in shown
    assert "asked by you on the terminal" in shown
    assert len(stage.tools.calls) == 1


@pytest.mark.spec("CLI-1", "APR-12")
@pytest.mark.parametrize("lines", [("go", "n"), ("go", "what?", "no thanks", "n"), ("go",)])
def test_only_a_clear_yes_runs_it_and_the_end_of_input_is_a_no(
    stage: Stage, lines: tuple[str, ...]
) -> None:
    script(stage, calls(("delete_it", {"text": "all"})), says("As you wish."))
    assert "As you wish." in stage.play(*lines)
    assert stage.tools.calls == []


@pytest.mark.spec("APR-9")
def test_the_terminal_offers_the_longer_yes_where_it_exists(stage: Stage) -> None:
    script(stage, calls(("create_it", {})), says("1"), calls(("create_it", {})), says("2"))
    shown = stage.play("go", "r", "again")
    assert "r = yes until Ankita closes" in shown
    assert "you allowed it until Ankita closes" in shown
    assert len(stage.tools.calls) == 2


@pytest.mark.spec("CLI-1")
def test_help_and_typo_suggestions_come_from_the_one_registry(stage: Stage) -> None:
    shown = stage.play("/commands", "/help attach", "/aproval")
    assert "/attach FILE" in shown
    assert "/attach FILE: Read a file and send it with the next message" in shown
    assert "There is no command /aproval. Did you mean /approvals?" in shown


@pytest.mark.spec("CLI-1", "DOC-1")
def test_a_file_goes_with_the_next_message(stage: Stage, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("Rent is due on Friday.", encoding="utf-8")
    script(stage, says("Friday."))
    shown = stage.play(f"/attach {note}", "When is it due?")
    assert "note.txt · text: goes with your message." in shown
    request = stage.model.requests[0]  # type: ignore[attr-defined]
    assert "Rent is due on Friday." in request.messages[-1].text


@pytest.mark.spec("CLI-1")
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(stage: Stage) -> None:
    assert "missing.txt" in stage.play("/attach /no/where/missing.txt")


@pytest.mark.spec("ENG-4")
def test_threads_can_be_listed_and_opened_again(stage: Stage) -> None:
    script(stage, says("One."))
    stage.play("first question")
    shown = stage.play("/threads", "/open 1")
    assert "  1 first question · idle" in shown
    assert "> first question\nOne." in shown


def test_text_of_a_model_cannot_drive_the_terminal(stage: Stage) -> None:
    script(stage, says("\x1b[2Jgone\x07"))
    shown = stage.play("hello")
    assert "\x1b" not in shown
    assert "⟨U+001B⟩[2Jgone⟨U+0007⟩" in shown


class InterruptedQueue(queue.Queue[object]):
    """Raises KeyboardInterrupt once, when the reply has begun, as Ctrl+C does."""

    def __init__(self) -> None:
        super().__init__()
        self._pressed = threading.Event()

    def get(self, block: bool = True, timeout: float | None = None) -> object:
        item = super().get(block, timeout)
        if "ReplyItem" in repr(item) and not self._pressed.is_set():
            self._pressed.set()
            self.put(item)
            raise KeyboardInterrupt
        return item


@pytest.mark.spec("CLI-1", "ENG-3")
def test_ctrl_c_stops_the_reply_and_the_conversation_goes_on(stage: Stage) -> None:
    endless = [TextDelta("word "), Gate()]
    script(stage, endless, says("Here."))
    sink = io.StringIO()
    chat = TerminalChat(stage.engine, io.StringIO("talk\nhello\n"), sink)
    chat.talk.events = InterruptedQueue()  # type: ignore[assignment]
    assert chat.run() == 0
    assert "! Stopped." in sink.getvalue()
    assert "Here." in sink.getvalue()
