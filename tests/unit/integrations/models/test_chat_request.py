"""What is sent to a server has the shape that all of them take."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ankita.ids import CallId
from ankita.integrations.models.chat_request import optional_fields, request_body
from ankita.messages import Effect, Message, ModelRequest, Phase, Role, ToolCall, ToolSpec

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
READ = ToolSpec("read", "Reads a file", SCHEMA, Effect.READS, "files", Phase.READING)
CALL = ToolCall(CallId("c1"), "read", {"path": "ä"})


def body(request: ModelRequest, **options: Any) -> dict[str, Any]:
    return json.loads(
        request_body("the-model", request, **{"server": "host", "is_parallel": True, **options})
    )


@pytest.mark.spec("PRV-1")
def test_a_conversation_with_a_call_and_its_result_is_sent_whole() -> None:
    messages = (
        Message(Role.SYSTEM, "Be kind."),
        Message(Role.USER, "Read ä."),
        Message(Role.ASSISTANT, "", tool_calls=(CALL,)),
        Message(Role.TOOL, "milk", tool_call_id=CALL.id),
        Message(Role.ASSISTANT, "It says milk."),
    )
    sent = body(ModelRequest(messages, (READ,)))
    *plain, _ = sent["messages"]
    assert plain == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Read ä."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "read", "arguments": '{"path": "ä"}'},
                }
            ],
        },
        {"role": "tool", "content": "milk", "tool_call_id": "c1"},
    ]
    function = {"name": "read", "description": "Reads a file", "parameters": SCHEMA}
    assert sent["tools"] == [{"type": "function", "function": function}]
    assert sent["model"] == "the-model"
    assert sent["stream"] is True
    assert sent["stream_options"] == {"include_usage": True}
    assert sent["parallel_tool_calls"] is True


@pytest.mark.spec("PRV-1")
def test_tool_options_are_left_out_without_tools() -> None:
    sent = body(ModelRequest((Message(Role.USER, "hi"),)))
    assert sent.keys() == {"model", "messages", "stream", "stream_options"}


def test_options_that_a_server_refused_are_left_out() -> None:
    request = ModelRequest((Message(Role.USER, "hi"),), (READ,))
    sent = body(request, without={"stream_options", "parallel_tool_calls"})
    assert sent.keys() == {"model", "messages", "stream", "tools"}


@pytest.mark.spec("PRV-1")
def test_the_form_and_the_length_of_the_reply_are_asked_for() -> None:
    request = ModelRequest(
        (Message(Role.USER, "hi"),), (READ,), reply_schema=SCHEMA, must_call=True, max_tokens=300
    )
    sent = body(request)
    assert sent["tool_choice"] == "required"
    assert sent["max_tokens"] == 300
    assert sent["response_format"]["type"] == "json_schema"
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA
    fields = optional_fields(request)
    assert set(fields) == sent.keys() - {"model", "messages", "stream", "tools"}
    assert not body(request, without=fields).keys() & set(fields)


def test_no_call_is_demanded_where_there_is_no_tool() -> None:
    assert "tool_choice" not in body(ModelRequest((Message(Role.USER, "hi"),), must_call=True))


def test_half_a_character_in_pasted_text_does_not_stop_the_request() -> None:
    sent = body(ModelRequest((Message(Role.USER, "a\ud83db"),)))
    assert sent["messages"][0]["content"] == "a?b"
