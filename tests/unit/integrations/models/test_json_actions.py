"""A model that acts by JSON, and one that can only talk."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import jsonschema
import pytest

from ankita.config import ToolMode
from ankita.errors import ModelInterruptedError
from ankita.ids import CallId
from ankita.integrations.models.action_check import fits
from ankita.integrations.models.action_schema import reply_schema
from ankita.integrations.models.json_actions import ChatOnly, JsonActions
from ankita.messages import (
    Effect,
    Finished,
    FinishReason,
    Message,
    ModelEvent,
    ModelRequest,
    Phase,
    ReasoningDelta,
    Role,
    TextDelta,
    ToolCall,
    ToolCallReady,
    ToolSpec,
    Usage,
)
from ankita.protocols import ModelProvider
from tests.fakes.models import ScriptedModelProvider, calls, says

pytestmark = pytest.mark.spec("PRV-9")

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ToolSpec("read_file", "Reads a text file.", PATH, Effect.READS, "files", Phase.READING)
CALL = '{"tool": "read_file", "arguments": {"path": "a.txt"}}'
FIGURES = Usage(9, 4)


def ask(*messages: Message, **fields: object) -> ModelRequest:
    told = messages or (Message(Role.USER, "Read a.txt."),)
    return replace(ModelRequest(told, (READ,)), **fields)  # type: ignore[arg-type]


async def events_of(provider: ModelProvider, request: ModelRequest) -> list[ModelEvent]:
    return [event async for event in provider.stream(request)]


async def reply_to(*pieces: str, reason: FinishReason = FinishReason.STOP) -> list[ModelEvent]:
    script = [*(TextDelta(piece) for piece in pieces), FIGURES, Finished(reason)]
    return await events_of(JsonActions(ScriptedModelProvider([script])), ask())


def said(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_one_valid_object_is_a_call_with_an_id_of_its_own() -> None:
    first, second = [await reply_to(CALL[:20], CALL[20:]) for _ in range(2)]
    assert first[0] == FIGURES
    assert isinstance(first[1], ToolCallReady)
    assert isinstance(second[1], ToolCallReady)
    call = first[1].call
    assert (call.name, call.arguments, call.problem) == ("read_file", {"path": "a.txt"}, "")
    assert call.id
    assert call.id != second[1].call.id
    assert first[2:] == [Finished(FinishReason.TOOL_CALLS)]


@pytest.mark.parametrize(
    "text",
    [
        f"I will do it: {CALL}",
        f"{CALL} There.",
        f"{CALL}\n{CALL}",
        CALL.replace("read_file", "erase_all"),
        CALL.replace('"path": "a.txt"', '"path": 7'),
        CALL.replace('"path": "a.txt"', ""),
        CALL[:-1],
        CALL.replace("tool", "name"),
    ],
)
async def test_anything_else_is_text_and_nothing_is_run(text: str) -> None:
    events = await reply_to(text)
    assert said(events) == text
    assert not any(isinstance(event, ToolCallReady) for event in events)
    assert events[-1] == Finished(FinishReason.STOP)


@pytest.mark.parametrize("reason", [FinishReason.LENGTH, FinishReason.FILTERED])
async def test_a_reply_that_did_not_end_by_itself_is_no_call(reason: FinishReason) -> None:
    events = await reply_to(CALL, reason=reason)
    assert said(events) == CALL
    assert events[-1] == Finished(reason)


async def test_an_answer_streams_as_it_comes() -> None:
    pieces = ('{"tool": "none", "reply": "Good', " day\\u0", '0e9\\n"', "}")
    events = await reply_to(*pieces)
    assert events[:3] == [TextDelta("Good"), TextDelta(" day"), TextDelta("é\n")]
    assert events[3:] == [FIGURES, Finished(FinishReason.STOP)]


async def test_plain_text_streams_once_it_is_clear() -> None:
    events = await reply_to(" ", "{", " so", " it is", " }")
    assert events[:3] == [TextDelta(" { so"), TextDelta(" it is"), TextDelta(" }")]


async def test_a_native_call_that_nobody_asked_for_is_only_shown() -> None:
    script = calls(("read_file", {"path": "a.txt"}))
    for wrapped in (JsonActions, ChatOnly):
        events = await events_of(wrapped(ScriptedModelProvider([script])), ask())
        assert said(events) == CALL
        assert events[-1] == Finished(FinishReason.STOP)


async def test_thinking_passes_and_a_broken_reply_shows_what_there_was() -> None:
    broken = ModelInterruptedError("It broke off.")
    script = [ReasoningDelta("hm"), TextDelta(CALL[:30]), broken]
    seen: list[ModelEvent] = []

    async def watch() -> None:
        async for event in JsonActions(ScriptedModelProvider([script])).stream(ask()):
            seen.append(event)

    with pytest.raises(ModelInterruptedError):
        await watch()
    assert seen == [ReasoningDelta("hm"), TextDelta(CALL[:30])]


async def test_the_request_lists_the_tools_and_asks_for_one_action() -> None:
    model = ScriptedModelProvider([says("x")])
    system = Message(Role.SYSTEM, "You are Ankita.")
    await events_of(JsonActions(model), ask(system, Message(Role.USER, "Hello."), max_tokens=5))
    (sent,) = model.requests
    assert (sent.tools, sent.must_call, sent.max_tokens) == ((), False, 5)
    assert sent.reply_schema is not None
    for text in (CALL, '{"tool": "none", "reply": "x"}'):
        jsonschema.validate(json.loads(text), dict(sent.reply_schema))
    first, *_, last = sent.messages
    assert first.role is Role.SYSTEM
    assert first.text.startswith("You are Ankita.")
    assert "- read_file(path: string): Reads a text file." in first.text
    assert last == Message(Role.USER, "Hello.")


async def test_examples_are_valid_actions_and_roles_take_turns() -> None:
    model = ScriptedModelProvider([says("x")])
    await events_of(JsonActions(model), ask())
    (sent,) = model.requests
    roles = [message.role for message in sent.messages]
    assert roles == [Role.SYSTEM, *[Role.USER, Role.ASSISTANT] * ((len(roles) - 2) // 2), Role.USER]
    assert sent.reply_schema is not None
    shown = [json.loads(m.text) for m in sent.messages if m.role is Role.ASSISTANT]
    for each in shown:
        jsonschema.validate(each, dict(sent.reply_schema))
    assert {each["tool"] for each in shown} == {"read_file", "none"}


async def test_what_was_done_is_told_in_the_same_form() -> None:
    one, two = (ToolCall(CallId(name), "read_file", {"path": name}) for name in ("a.txt", "b.txt"))
    thread = (
        Message(Role.USER, "Read both."),
        Message(Role.ASSISTANT, "Of course.", tool_calls=(one, two)),
        Message(Role.TOOL, "milk", tool_call_id=one.id),
        Message(Role.TOOL, "bread", tool_call_id=two.id),
        Message(Role.ASSISTANT, "Milk and bread."),
        Message(Role.USER, "Thanks."),
    )
    model = ScriptedModelProvider([says("x"), says("x")])
    await events_of(JsonActions(model), ask(*thread))
    await events_of(ChatOnly(model), ask(*thread))
    acting, talking = model.requests
    told = [message.text for message in acting.messages[-7:]]
    assert told[1] == CALL
    assert told[2].endswith("\nmilk")
    assert json.loads(told[3])["arguments"] == {"path": "b.txt"}
    assert json.loads(told[5]) == {"tool": "none", "reply": "Milk and bread."}
    assert told[6] == "Thanks."
    for sent in (acting, talking):
        roles = [message.role for message in sent.messages[1:]]
        assert all(a is not b for a, b in itertools.pairwise(roles))
        assert not any(message.tool_calls for message in sent.messages)
    assert any('read_file was used with {"path": "a.txt"}' in m.text for m in talking.messages)


async def test_without_tools_nothing_is_asked_for() -> None:
    model = ScriptedModelProvider([says(CALL)])
    events = await events_of(JsonActions(model), replace(ask(), tools=()))
    assert said(events) == CALL
    assert model.requests == [replace(ask(), tools=())]


async def test_a_model_that_can_only_talk_is_told_so() -> None:
    model = ScriptedModelProvider([says("Hello.")])
    events = await events_of(ChatOnly(model), ask(must_call=True))
    assert said(events) == "Hello."
    (sent,) = model.requests
    assert (sent.tools, sent.must_call, sent.reply_schema) == ((), False, None)
    assert "You have no tools" in sent.messages[0].text


async def test_they_say_what_they_are_and_close_what_is_below() -> None:
    for wrapped, mode in (
        (JsonActions, ToolMode.JSON_ACTION),
        (ChatOnly, ToolMode.CHAT_ONLY),
    ):
        model = ScriptedModelProvider()
        provider = wrapped(model)
        assert provider.info() == replace(model.info(), tool_mode=mode)
        await provider.aclose()
        assert model.is_closed


async def test_a_reply_that_is_left_early_is_closed_below() -> None:
    model = ScriptedModelProvider([says("One", " two", " three")])
    stream = JsonActions(model).stream(ask())
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]
    assert model.abandoned == 1


def test_a_schema_keeps_the_definitions_of_each_tool_apart() -> None:
    def tool(name: str, kind: str) -> ToolSpec:
        schema = {
            "type": "object",
            "properties": {"item": {"$ref": "#/$defs/Item"}},
            "required": ["item"],
            "$defs": {"Item": {"type": kind, "pattern": "^x"}},
        }
        return replace(READ, name=name, parameters=schema)

    schema = reply_schema([tool("one", "string"), tool("two", "integer")], must_call=True)

    def is_valid(name: str, item: object) -> bool:
        action = {"tool": name, "arguments": {"item": item}}
        return jsonschema.Draft202012Validator(schema).is_valid(action)

    assert is_valid("one", "x")
    assert is_valid("two", 1)
    assert not is_valid("one", 1)
    assert not is_valid("two", "x")
    assert not jsonschema.Draft202012Validator(schema).is_valid({"tool": "none", "reply": ""})
    assert "pattern" not in json.dumps(schema)


def test_a_schema_of_another_maker_can_neither_fetch_nor_hang() -> None:
    assert fits({"a": "x1"}, {"properties": {"a": {"pattern": "^x"}}})
    assert not fits({"a": "y1"}, {"properties": {"a": {"pattern": "^x"}}})
    assert not fits({"a": "a" * 60 + "!"}, {"properties": {"a": {"pattern": "^(a|aa)+$"}}})
    assert not fits({"a": 1}, {"properties": {"a": {"$ref": "http://127.0.0.1:9/x.json"}}})
    assert not fits({"a": 1}, {"type": "nonsense"})
    assert not fits({"a": 1}, {"patternProperties": {"a": {}}})
