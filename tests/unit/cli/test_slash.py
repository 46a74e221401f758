"""The slash commands: what each asks of the engine and what it says (CLI-1)."""

from __future__ import annotations

import io

import pytest

from ankita.cli.chat import TerminalChat
from ankita.config import ToolMode, WireFormat
from ankita.engine import (
    Answer,
    CheckServer,
    CreateThread,
    DecideApproval,
    DeclineServer,
    LookForServers,
    OffersChanged,
    PinItem,
    PlanStep,
    QueuedMessage,
    ReplyItem,
    ReplyStatus,
    SendMessage,
    ServerReport,
    StepStatus,
    Surface,
    ThreadOpened,
    TryModel,
    UnqueueMessage,
    UseBuiltInAssistant,
    UserItem,
    UseServer,
    actions_on,
)
from ankita.errors import CommandRefusedError
from ankita.ids import ItemId, ThreadId, TurnId
from ankita.security.acts import Act
from tests.fakes.engine import ScriptedEngine
from tests.ui.main_window.window_lab import question, thread
from tests.unit.cli.chat_stage import (
    DEV,
    LM_STUDIO,
    LOCKED,
    MIRA,
    OLLAMA,
    play,
    state,
    with_server,
)

pytestmark = pytest.mark.spec("CLI-1")

THREAD = ThreadId("t1")
AT = "2026-05-04T10:00:00+00:00"


def engine_with(**changes: object) -> ScriptedEngine:
    engine = ScriptedEngine(state(**changes))
    engine.answers[CreateThread] = THREAD
    engine.answers[SendMessage] = CommandRefusedError("no turns in this test")
    return engine


def test_every_command_of_the_registry_is_carried_out_and_no_other() -> None:
    chat = TerminalChat(engine_with(), io.StringIO(), io.StringIO())  # type: ignore[arg-type]
    names = {action.name for action in actions_on(Surface.TERMINAL)}
    assert chat._slash.names() == names - {"quit"}


def test_the_window_is_offered_what_makes_sense_there() -> None:
    names = {action.name for action in actions_on(Surface.WINDOW)}
    assert {"new", "attach", "stop", "retry", "approvals", "servers", "settings", "quit"} <= names
    assert not {"yes", "no", "open", "help", "key", "passphrase"} & names


def test_offers_are_told_at_the_start_and_listed_with_their_models() -> None:
    engine = engine_with(offers=(OLLAMA, LOCKED))
    engine.answers[LookForServers] = 2
    shown = play(engine, "/servers")
    assert "Found Ollama at 127.0.0.1:11434 with 2 models. /use 1 lets it answer." in shown
    assert "Found vLLM at 127.0.0.1:8000, which wants a key. /use 2 lets it answer." in shown
    assert "  1 Ollama at http://127.0.0.1:11434/v1\n      llama3.1:8b · 8,192 tokens\n" in shown
    assert "tiny · without tools" in shown
    assert "  2 vLLM at http://127.0.0.1:8000/v1 · It wants a key." in shown
    assert len(engine.sent(LookForServers)) == 1


def test_a_number_stays_with_its_server_when_others_come_and_go() -> None:
    engine = engine_with(offers=(OLLAMA,))

    def look(_: object) -> int:
        engine.emit(OffersChanged((LM_STUDIO,)))
        return 1

    engine.answers[LookForServers] = look
    shown = play(engine, "/servers", "/use 1", "/use 2")
    assert "  2 LM Studio" in shown
    assert "Say which one: /servers lists them" in shown, "1 was Ollama, which is gone"
    assert [command.base_url for command in engine.sent(UseServer)] == [LM_STUDIO.base_url]


@pytest.mark.parametrize("wish", ["/use 1 tiny", "/use 1 2"])
def test_one_of_several_models_is_named_by_name_or_number(wish: str) -> None:
    engine = engine_with(offers=(OLLAMA,))
    play(engine, wish)
    assert engine.sent(UseServer) == [
        UseServer(OLLAMA.base_url, "tiny", None, WireFormat.OPENAI, None)
    ]


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ("/use 1", "Say which one: /use 1 MODEL"),
        ("/use 1 nonsense", "It has no model nonsense. It has: llama3.1:8b, tiny"),
        ("/use 9", "/servers lists them"),
        ("/use", "/servers lists them"),
        ("/use 2", "typed at a terminal"),
        ("/decline x", "/servers lists them"),
    ],
)
def test_what_cannot_be_used_is_said_and_nothing_is_changed(wish: str, words: str) -> None:
    engine = engine_with(offers=(OLLAMA, LOCKED))
    assert words in play(engine, wish)
    assert engine.sent(UseServer) == []
    assert engine.sent(DeclineServer) == []


def test_an_offer_is_declined() -> None:
    engine = engine_with(offers=(OLLAMA,))
    assert "not offered again" in play(engine, "/decline 1")
    assert engine.sent(DeclineServer) == [DeclineServer(OLLAMA.base_url)]


@pytest.mark.parametrize(
    ("mode", "words"),
    [(ToolMode.NATIVE, "calls tools"), (ToolMode.JSON_ACTION, "JSON"), ("chat_only", "not act")],
)
def test_the_model_is_tried(mode: str, words: str) -> None:
    engine = ScriptedEngine(with_server())
    engine.answers[TryModel] = mode
    assert words in play(engine, "/try")
    assert engine.sent(TryModel) == [TryModel(None)]


def test_a_refusal_is_said_and_the_conversation_goes_on() -> None:
    engine = engine_with()
    engine.answers[TryModel] = CommandRefusedError("There is no model.", advice="Choose one.")
    shown = play(engine, "/try", "/builtin")
    assert "There is no model. Choose one." in shown
    assert engine.sent(UseBuiltInAssistant) == [UseBuiltInAssistant()]


def test_a_server_is_asked_for_its_models() -> None:
    engine = engine_with()
    engine.answers[CheckServer] = ServerReport(("a", "b"))
    assert "Models there: a, b" in play(engine, "/server http://x/v1")


def test_teammates_are_listed_and_talked_to_in_threads_of_their_own() -> None:
    engine = engine_with()
    shown = play(engine, "/teammates", "/as dev", "/teammates", "hello", "/as Mirra", "/as")
    assert "* Mira · llama · local\n  Dev · llama · local\n" in shown
    assert "You talk to Dev in a new thread · llama · local" in shown
    assert "  Mira · llama · local\n* Dev" in shown
    assert engine.sent(CreateThread) == [CreateThread(DEV.id)]
    assert "Did you mean Mira?" in shown
    assert "Say whom: Mira, Dev" in shown


def test_opening_a_thread_goes_on_with_its_teammate() -> None:
    mine = thread("t1", teammate_id=DEV.id)
    engine = engine_with(threads={mine.id: mine})
    assert "* Dev" in play(engine, "/open 1", "/teammates")


def opened(**changes: object) -> ScriptedEngine:
    """A thread that is listed, with two messages."""
    mine = thread("t1")
    turn = TurnId("turn")
    engine = engine_with(threads={mine.id: mine}, **changes)
    engine.emit(
        ThreadOpened(
            THREAD,
            (
                UserItem(ItemId("u"), turn, "When is the rent due?", AT),
                ReplyItem(ItemId("r"), turn, 1, "On Friday.", ReplyStatus.DONE, AT, True),
            ),
        )
    )
    return engine


def test_messages_are_pinned_and_unpinned_by_their_numbers() -> None:
    engine = opened()
    shown = play(engine, "/open 1", "/pins", "/pin 1", "/pin 2", "/pin 3")
    assert "  1        > When is the rent due?" in shown
    assert "  2 pinned   On Friday." in shown
    assert engine.sent(PinItem) == [
        PinItem(THREAD, ItemId("u"), True),
        PinItem(THREAD, ItemId("r"), False),
    ]
    assert "/pins lists the messages" in shown


def test_the_plan_is_shown_with_where_it_stands() -> None:
    steps = tuple(PlanStep(str(status), status) for status in StepStatus)
    shown = play(opened(plans={THREAD: steps}), "/plan", "/open 1", "/plan")
    assert "This thread has no plan." in shown
    assert "[ ] todo\n[>] doing\n[x] done\n[-] dropped\n" in shown


def test_what_waits_is_listed_and_taken_back() -> None:
    waiting = (QueuedMessage("q1", "and this", AT, ("a.txt",)), QueuedMessage("q2", "last", AT))
    engine = opened(queued={THREAD: waiting})
    shown = play(engine, "/queue", "/open 1", "/queue", "/unqueue 2", "/unqueue 3")
    assert shown.index("Nothing waits.") < shown.index("  1 and this [a.txt]\n  2 last")
    assert engine.sent(UnqueueMessage) == [UnqueueMessage(THREAD, "q2")]


@pytest.mark.spec("APR-18")
def test_the_oldest_question_can_be_put_off() -> None:
    engine = opened(approvals=(question(),))
    play(engine, "/later")
    assert engine.sent(DecideApproval) == [
        DecideApproval(question().id, Answer.NOT_NOW, "terminal")
    ]


@pytest.mark.spec("APR-18")
def test_what_was_put_off_is_answered_after_what_holds_up_a_turn() -> None:
    parked = question("q0", parked_at=AT)
    engine = opened(approvals=(parked, question("q1")))
    shown = play(engine, "/approvals", "/later")
    assert "put off" in shown
    assert [command.request_id for command in engine.sent(DecideApproval)] == ["q1"]


@pytest.mark.spec("APR-12")
def test_a_yes_to_what_was_never_shown_shows_it_and_answers_nothing() -> None:
    engine = opened()
    sink = io.StringIO()
    chat = TerminalChat(engine, io.StringIO(), sink)  # type: ignore[arg-type]
    assert chat.run() == 0
    hidden = ScriptedEngine(state(approvals=(question(),)))
    hidden.answers[DecideApproval] = CommandRefusedError("this was not to be asked")
    chat.talk.engine = hidden  # type: ignore[assignment]
    chat._slash.run("yes", "")
    assert hidden.sent(DecideApproval) == []
    assert "send email" in sink.getvalue()


@pytest.mark.spec("APR-12")
@pytest.mark.parametrize("command", ["", "/approvals"])
def test_an_argument_with_lines_of_its_own_can_not_pass_for_other_arguments(command: str) -> None:
    text = "hello\n    to: r.mehta@example.org\n? files: read file · it only reads"
    act = Act("gmail", "send email", (("body", text), ("to", "x@evil.example")), "Send", "Don't")
    shown = play(opened(approvals=(question(act=act),)), command).splitlines()
    assert "    to: x@evil.example" in shown
    assert "    to: r.mehta@example.org" not in shown
    assert not any(line.startswith("? files") for line in shown)
    assert any("r.mehta@example.org" in line for line in shown)


def test_the_present_teammate_of_a_fresh_chat_is_the_first() -> None:
    chat = TerminalChat(engine_with(), io.StringIO(), io.StringIO())  # type: ignore[arg-type]
    assert chat.talk.teammate() == MIRA


class Typing:
    """A terminal on which these lines were typed before anything was shown."""

    has_ended = False

    def __init__(self, *lines: str) -> None:
        self.source = io.StringIO("".join(f"{line}\n" for line in lines))

    def lines(self) -> list[str]:
        return []

    def forget(self) -> None:
        self.source.seek(0, io.SEEK_END)


@pytest.mark.spec("APR-12")
@pytest.mark.parametrize("lines", [("/yes", "/yes"), ("/approvals", "/yes")])
def test_what_was_typed_ahead_answers_no_question_that_was_not_on_the_screen(
    lines: tuple[str, str],
) -> None:
    engine, typing = opened(), Typing(*lines)
    chat = TerminalChat(engine, typing.source, io.StringIO(), typed=typing)  # type: ignore[arg-type]
    asking = ScriptedEngine(state(approvals=(question(),)))
    asking.answers[DecideApproval] = CommandRefusedError("this was not to be asked")
    chat._greet(engine.state)
    chat.talk.engine = asking  # type: ignore[assignment]
    while line := chat.talk.ask("> "):
        chat._carry_out(line)
    assert asking.sent(DecideApproval) == []


@pytest.mark.spec("APR-12")
def test_what_was_typed_before_the_greeting_answers_no_question_in_it() -> None:
    engine, typing = opened(approvals=(question(),)), Typing("/yes")
    engine.answers[DecideApproval] = CommandRefusedError("this was not to be asked")
    chat = TerminalChat(engine, typing.source, io.StringIO(), typed=typing)  # type: ignore[arg-type]
    assert chat.run() == 0
    assert engine.sent(DecideApproval) == []


@pytest.mark.spec("APR-12")
def test_a_pipe_says_yes_to_nothing() -> None:
    engine = opened(approvals=(question(),))
    engine.answers[DecideApproval] = CommandRefusedError("this was not to be asked")
    sink = io.StringIO()
    source = io.StringIO("/approvals\n/yes\n/yes\n")
    chat = TerminalChat(engine, source, sink, is_attended=False)  # type: ignore[arg-type]
    assert chat.run() == 3
    assert engine.sent(DecideApproval) == []
    assert "Nobody can answer here" in sink.getvalue()


@pytest.mark.parametrize("command", ["/open", "/pin", "/unqueue"])
def test_a_number_of_any_length_is_at_most_unknown(command: str) -> None:
    assert "Say which one" in play(opened(), f"{command} {'1' * 5_000}")
