"""What comes with a call goes back to the server and model that sent it, and to nobody else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.ids import CallId
from ankita.integrations.models.chat_echo import MAX_ECHO_BYTES
from ankita.integrations.models.chat_request import request_body
from ankita.integrations.models.chat_stream import ReplyParser
from ankita.integrations.models.server_errors import Refusal, sort_refusal
from ankita.messages import Message, ModelRequest, Role, ToolCall, ToolCallReady
from tests.servers.scripted_chat_server import call_delta, delta

pytestmark = pytest.mark.spec("PRV-5")

SIGNED = {"google": {"thought_signature": "c2lnbmF0dXJl"}}
SECRET = {"type": "reasoning.encrypted", "data": "b3BhcXVl", "id": "r1", "index": 1}


def text_detail(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "reasoning.text", "text": text, "format": "x-v1", "index": 0, **more}


def call(number: int, **more: Any) -> dict[str, Any]:
    return {**call_delta(number, f"id{number}", "read", "{}"), **more}


def calls_of(*deltas: dict[str, Any], end: str = "tool_calls") -> list[ToolCall]:
    parser = ReplyParser(
        lambda body: sort_refusal(Refusal(200, body, "host:1", "m")), server="host:1", model="m"
    )
    events = parser.feed(b"".join(delta(**each) for each in deltas) + delta(end))
    events += parser.close()
    return [event.call for event in events if isinstance(event, ToolCallReady)]


def sent_back(calls: list[ToolCall], server: str = "host:1", model: str = "m") -> dict[str, Any]:
    """The assistant message as this server gets it."""
    request = ModelRequest((Message(Role.ASSISTANT, "", tool_calls=tuple(calls)),))
    body = json.loads(request_body(model, request, server=server, is_parallel=True))
    message: dict[str, Any] = body["messages"][0]
    return message


def stored(calls: list[ToolCall]) -> list[ToolCall]:
    """As the thread keeps them on disk."""
    echoes = (json.loads(json.dumps(dict(each.echo))) for each in calls)
    return [
        ToolCall(each.id, each.name, each.arguments, echo=echo)
        for each, echo in zip(calls, echoes, strict=True)
    ]


def test_a_signature_goes_back_beside_its_own_call() -> None:
    calls = calls_of({"tool_calls": [call(0, extra_content=SIGNED)]}, {"tool_calls": [call(1)]})
    first, second = sent_back(stored(calls))["tool_calls"]
    assert first["extra_content"] == SIGNED
    assert "extra_content" not in second


def test_a_signature_in_a_later_piece_belongs_to_the_call_too() -> None:
    later = {"index": 0, "extra_content": SIGNED, "function": {"arguments": "}"}}
    (only,) = calls_of({"tool_calls": [call_delta(0, "a", "read", "{")]}, {"tool_calls": [later]})
    assert only.arguments == {}
    assert sent_back([only])["tool_calls"][0]["extra_content"] == SIGNED


def test_details_go_back_with_the_message_as_they_were_before_the_cuts() -> None:
    calls = calls_of(
        {"reasoning": "Hmm, ", "reasoning_details": [text_detail("Hmm, ")]},
        {"reasoning": "so.", "reasoning_details": [text_detail("so.")]},
        {"reasoning_details": [text_detail("", signature="sig")]},
        {"reasoning_details": [SECRET]},
        {"tool_calls": [call(0), call(1)]},
    )
    message = sent_back(stored(calls))
    assert message["reasoning_details"] == [text_detail("Hmm, so.", signature="sig"), SECRET]
    assert all("reasoning_details" not in each for each in message["tool_calls"])
    assert calls[1].echo == {}


@pytest.mark.parametrize(
    "pieces",
    [
        [text_detail("a"), text_detail("b", index=1)],
        [text_detail("a", id="1"), text_detail("b", id="2")],
        [text_detail("a", signature="s"), text_detail("b")],
        [SECRET, {**SECRET, "data": "bW9yZQ=="}],
        [text_detail("a"), {"type": "reasoning.summary", "summary": "b", "index": 0}],
    ],
    ids=["another index", "another id", "after a signature", "sealed", "another type"],
)
def test_details_of_their_own_stay_apart(pieces: list[dict[str, Any]]) -> None:
    calls = calls_of(*({"reasoning_details": [each]} for each in pieces), {"tool_calls": [call(0)]})
    assert sent_back(calls)["reasoning_details"] == pieces


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=5))
def test_no_piece_of_a_thought_is_lost(pieces: list[str]) -> None:
    deltas = [{"reasoning_details": [text_detail(piece)]} for piece in pieces]
    message = sent_back(calls_of(*deltas, {"tool_calls": [call(0)]}))
    whole = "".join(each["text"] for each in message.get("reasoning_details", ()))
    assert whole == "".join(pieces)


@pytest.mark.parametrize(("server", "model"), [("other:1", "m"), ("host:1", "other")])
def test_nobody_else_sees_it(server: str, model: str) -> None:
    calls = calls_of({"reasoning_details": [SECRET], "tool_calls": [call(0, extra_content=SIGNED)]})
    assert calls[0].echo
    written = json.dumps(sent_back(calls, server, model))
    assert "extra_content" not in written
    assert "reasoning_details" not in written


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "thinking"])
def test_plain_thinking_is_never_kept_or_sent_back(name: str) -> None:
    calls = calls_of({name: "a private thought"}, {"tool_calls": [call(0)]})
    assert calls[0].echo == {}
    message = sent_back(calls)
    assert message.keys() == {"role", "content", "tool_calls"}


@pytest.mark.parametrize(
    "extra", [None, [], "text", {}, {"n": float("nan")}, {"half": "\ud83d"},
              {"big": "x" * MAX_ECHO_BYTES}],
)  # fmt: skip
def test_what_cannot_be_kept_is_left_out_and_the_call_still_stands(extra: Any) -> None:
    (only,) = calls_of({"tool_calls": [call(0, extra_content=extra)]})
    assert (only.name, only.echo) == ("read", {})


@pytest.mark.parametrize(
    "echo",
    [
        {"anthropic": {"model": "m", "before": []}},
        {"chat": "damaged"},
        {"chat": {"server": "host:1", "model": "m", "extra_content": [1]}},
        {"chat": {"server": "host:1", "model": "m", "reasoning_details": {"a": 1}}},
    ],
)
def test_an_echo_of_another_form_is_not_sent(echo: dict[str, Any]) -> None:
    message = sent_back([ToolCall(CallId("a"), "read", {}, echo=echo)])
    assert message.keys() == {"role", "content", "tool_calls"}
    assert message["tool_calls"][0].keys() == {"id", "type", "function"}
