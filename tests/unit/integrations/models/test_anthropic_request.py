"""What is sent in Anthropic's format has the shape that the format insists on."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.ids import CallId
from ankita.integrations.models.anthropic_request import DEFAULT_MAX_TOKENS, request_body
from ankita.messages import Effect, Message, ModelRequest, Phase, Role, ToolCall, ToolSpec

pytestmark = pytest.mark.spec("PRV-1")

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
READ = ToolSpec("read", "Reads a file", SCHEMA, Effect.READS, "files", Phase.READING)
LIST = ToolSpec("list", "Lists", {}, Effect.READS, "files", Phase.READING)
CALL = ToolCall(CallId("c1"), "read", {"path": "ä"})
OTHER = ToolCall(CallId("c2"), "list", {})
USE = {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "ä"}}
EPHEMERAL = {"type": "ephemeral"}
THINKING = {"type": "thinking", "thinking": "Hmm", "signature": "s"}
HI = Message(Role.USER, "hi")


def body(
    *messages: Message, without: set[str] = frozenset(), parallel: bool = True, **fields: Any
) -> dict[str, Any]:
    request = ModelRequest(messages, **fields)
    return json.loads(
        request_body("the-model", request, server="host:1", is_parallel=parallel, without=without)
    )


def result(text: str, call: ToolCall = CALL) -> Message:
    return Message(Role.TOOL, text, tool_call_id=call.id)


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def with_echo(
    *before: dict[str, Any], model: str = "the-model", server: str = "host:1"
) -> ToolCall:
    echo = {"anthropic": {"server": server, "model": model, "before": list(before)}}
    return ToolCall(CALL.id, CALL.name, CALL.arguments, echo=echo)


def test_a_conversation_with_two_calls_and_their_results_is_sent_whole() -> None:
    sent = body(
        Message(Role.SYSTEM, "Be kind."),
        Message(Role.USER, "Read ä."),
        Message(Role.ASSISTANT, "Well.", tool_calls=(CALL, OTHER)),
        result("milk"),
        result("", OTHER),
        Message(Role.USER, "And now?"),
        Message(Role.ASSISTANT, "It says milk."),
        Message(Role.USER, "Thanks."),
        tools=(READ, LIST),
    )
    assert sent["system"] == [text("Be kind.") | {"cache_control": EPHEMERAL}]
    other_use = {"type": "tool_use", "id": "c2", "name": "list", "input": {}}
    assert sent["messages"] == [
        {"role": "user", "content": [text("Read ä.")]},
        {"role": "assistant", "content": [text("Well."), USE, other_use]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "milk"},
                {"type": "tool_result", "tool_use_id": "c2"},
                text("And now?"),
            ],
        },
        {"role": "assistant", "content": [text("It says milk.")]},
        {"role": "user", "content": [text("Thanks.")]},
    ]
    first, last = sent["tools"]
    assert first == {"name": "read", "description": "Reads a file", "input_schema": SCHEMA}
    assert last["input_schema"] == {"type": "object"}
    assert last["cache_control"] == EPHEMERAL
    assert sent["stream"] is True
    assert sent["model"] == "the-model"


def test_what_nobody_asked_for_is_left_out() -> None:
    sent = body(HI)
    assert sent.keys() == {"model", "max_tokens", "stream", "messages"}
    assert sent["max_tokens"] == DEFAULT_MAX_TOKENS
    assert body(HI, max_tokens=300)["max_tokens"] == 300


@pytest.mark.parametrize(
    ("must_call", "parallel", "choice"),
    [
        (False, True, None),
        (True, True, {"type": "any"}),
        (False, False, {"type": "auto", "disable_parallel_tool_use": True}),
        (True, False, {"type": "any", "disable_parallel_tool_use": True}),
    ],
)
def test_a_call_is_demanded_and_kept_single_where_that_is_asked_for(
    must_call: bool, parallel: bool, choice: dict[str, Any] | None
) -> None:
    sent = body(HI, tools=(READ,), must_call=must_call, parallel=parallel)
    assert sent.get("tool_choice") == choice
    assert "tool_choice" not in body(HI, must_call=must_call, parallel=parallel)


def test_what_the_server_refused_is_left_out() -> None:
    refused = {"cache_control", "tool_choice"}
    sent = body(Message(Role.SYSTEM, "x"), HI, tools=(READ,), must_call=True, without=refused)
    assert not any(name in json.dumps(sent) for name in refused)


@pytest.mark.parametrize("said", ["", " \n"])
def test_blank_text_is_never_sent(said: str) -> None:
    sent = body(
        Message(Role.SYSTEM, said),
        HI,
        Message(Role.ASSISTANT, said, tool_calls=(CALL,)),
        result(said),
        Message(Role.ASSISTANT, said),
        Message(Role.USER, said),
    )
    assert "system" not in sent
    assert [turn["content"] for turn in sent["messages"]] == [
        [text("hi")],
        [USE],
        [{"type": "tool_result", "tool_use_id": "c1"}],
    ]


def test_signed_thinking_comes_back_at_its_place() -> None:
    redacted = {"type": "redacted_thinking", "data": "eA=="}
    call = with_echo(THINKING, {"type": "text", "characters": 5}, redacted)
    sent = body(HI, Message(Role.ASSISTANT, "Look. There.", tool_calls=(call, OTHER)))
    _, said, _ = sent["messages"]
    assert [block["type"] for block in said["content"]] == [
        "thinking", "text", "redacted_thinking", "text", "tool_use", "tool_use",
    ]  # fmt: skip
    assert said["content"][:4] == [THINKING, text("Look."), redacted, text(" There.")]


def test_thinking_that_does_not_fit_the_text_any_more_still_comes_first() -> None:
    call = with_echo(THINKING, {"type": "text", "characters": 50})
    sent = body(HI, Message(Role.ASSISTANT, "Short.", tool_calls=(call,)))
    assert sent["messages"][1]["content"] == [THINKING, text("Short."), USE]


@pytest.mark.parametrize(
    "call",
    [
        with_echo(THINKING, model="another"),
        with_echo(THINKING, server="other:1"),
        ToolCall(CALL.id, CALL.name, CALL.arguments, echo={"gemini": "signature"}),
        ToolCall(CALL.id, CALL.name, CALL.arguments, echo={"anthropic": "damaged"}),
        ToolCall(CALL.id, CALL.name, CALL.arguments,
                 echo={"anthropic": {"model": "the-model", "before": [1]}}),
    ],
)  # fmt: skip
def test_an_echo_of_another_model_or_format_is_not_sent(call: ToolCall) -> None:
    sent = body(HI, Message(Role.ASSISTANT, "", tool_calls=(call,)))
    assert sent["messages"][1]["content"] == [USE]


def test_calls_of_other_formats_get_names_and_ids_that_this_one_takes() -> None:
    call = ToolCall(CallId("functions.read:0"), "files.read ä" + "x" * 200, {})
    unnamed = ToolCall(CallId(""), "", {})
    sent = body(
        HI,
        Message(Role.ASSISTANT, "", tool_calls=(call, unnamed)),
        result("a", call),
        result("b", unnamed),
    )
    _, said, results = sent["messages"]
    for use, answer in zip(said["content"], results["content"], strict=True):
        assert use["id"] == answer["tool_use_id"]
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", use["id"])
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,128}", use["name"])


def test_half_a_character_in_pasted_text_does_not_stop_the_request() -> None:
    sent = body(Message(Role.USER, "a\ud83db"))
    assert sent["messages"][0]["content"] == [text("a?b")]


texts = st.text(st.sampled_from(" \na."), max_size=3)
messages = st.lists(
    st.one_of(
        st.builds(Message, st.sampled_from([Role.SYSTEM, Role.USER, Role.ASSISTANT]), texts),
        st.builds(result, texts),
        st.builds(lambda said: Message(Role.ASSISTANT, said, tool_calls=(CALL,)), texts),
    ),
    max_size=8,
)


@given(messages)
def test_roles_take_turns_and_no_text_is_blank(told: list[Message]) -> None:
    turns = body(*told)["messages"]
    roles = [turn["role"] for turn in turns]
    assert roles[0] == roles[-1] == "user"
    assert all(one != other for one, other in pairwise(roles))
    blocks = [block for turn in turns for block in turn["content"]]
    assert all(turn["content"] for turn in turns)
    assert all(block["text"].strip() for block in blocks if block["type"] == "text")
    for role in (Role.USER, Role.ASSISTANT):
        said = {m.text for m in told if m.role is role and m.text.strip()}
        sent = {b["text"] for t in turns if t["role"] == role for b in t["content"] if "text" in b}
        assert said <= sent
