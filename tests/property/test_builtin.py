"""Whatever is said, attached or returned: at most one call, of an offered tool, that fits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ankita.attachment_text import compose_message
from ankita.ids import CallId
from ankita.integrations.models.builtin_markdown import code, fenced
from ankita.messages import (
    DocumentText,
    Effect,
    Finished,
    FinishReason,
    Message,
    ModelEvent,
    Phase,
    Role,
    ToolCall,
    ToolCallReady,
    ToolSpec,
)
from tests.fakes.builtin_threads import events_for
from tests.fakes.builtin_tool_specs import TOOLS

VOCABULARY = """
read open show me list find search for in run execute remember that write to replace with the file
folder files named it this please don't not if and then what is does say about notes.txt docs/ *.py
. .. / \\ C:\\a.txt `ls` "two words" 'x' ` " ' ? ! , : rent job 1 page 3 /tool /read /run /find
/help read_file write_file path=a content= {"path":"a"} [ ] { } = never mind yes 7 ~~~~ [attachment
"""
PIECES = st.sampled_from([*VOCABULARY.split(), "\n", "\t", "\ue000", "\ue0000\ue001"])
SPOKEN = st.lists(PIECES, max_size=10).map(" ".join)
TEXTS = st.one_of(SPOKEN, st.text(), st.builds("/tool {} {}".format, PIECES, SPOKEN))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["type", "properties", "required", "enum", "anyOf", "$ref", "items", "a", "path"]
            ),
            st.one_of(inner, st.sampled_from(["object", "string", "integer", "#", "#/a", "a"])),
            max_size=4,
        ),
    ),
    max_leaves=12,
)
SCHEMAS = st.dictionaries(
    st.sampled_from(["type", "properties", "required", "additionalProperties", "$defs", "enum"]),
    JSON,
    max_size=4,
)
ODD_TOOLS = st.builds(
    lambda name, schema, description: ToolSpec(
        name, description, schema, Effect.CHANGES, "x", Phase.ACTING
    ),
    st.sampled_from(["read_file", "list_notes", "run_command", "odd"]),
    SCHEMAS,
    st.text(max_size=20),
)
DOCUMENTS = st.builds(DocumentText, name=st.text(max_size=8), kind=st.just("PDF"), text=TEXTS)


def said(role: Role, text: str) -> Message:
    return Message(role, text)


CALLS = st.builds(
    ToolCall,
    id=st.sampled_from([CallId("1"), CallId("2")]),
    name=st.sampled_from(["read_file", "run_command", "nothing"]),
    arguments=st.dictionaries(st.sampled_from(["path", "command"]), JSON, max_size=2),
)
HISTORY = st.lists(
    st.one_of(
        st.builds(said, st.sampled_from([Role.SYSTEM, Role.USER, Role.ASSISTANT]), TEXTS),
        st.builds(Message, role=st.just(Role.ASSISTANT), text=TEXTS, tool_calls=st.tuples(CALLS)),
        st.builds(
            Message,
            role=st.just(Role.TOOL),
            text=TEXTS,
            tool_call_id=st.sampled_from([CallId("1"), CallId("2"), None]),
        ),
    ),
    max_size=6,
)


def reply(messages: list[Message], tools: Any = TOOLS) -> list[ModelEvent]:
    return asyncio.run(events_for(messages, tools))


def calls_in(events: list[ModelEvent]) -> list[ToolCall]:
    return [event.call for event in events if isinstance(event, ToolCallReady)]


def assert_sound(events: list[ModelEvent], tools: Any = TOOLS) -> None:
    calls = calls_in(events)
    reason = FinishReason.TOOL_CALLS if calls else FinishReason.STOP
    assert events[-1] == Finished(reason)
    assert sum(isinstance(event, Finished) for event in events) == 1
    assert len(calls) <= 1
    schemas = {tool.name: tool.parameters for tool in tools}
    for call in calls:
        Draft202012Validator(schemas[call.name]).validate(dict(call.arguments))


@pytest.mark.spec("PRV-7")
@settings(deadline=None)
@given(HISTORY, TEXTS, st.lists(DOCUMENTS, max_size=2))
def test_any_message_gives_at_most_one_call_that_fits(
    history: list[Message], text: str, documents: list[DocumentText]
) -> None:
    newest = Message(Role.USER, compose_message(text, documents))
    assert_sound(reply([*history, newest]))


@pytest.mark.spec("PRV-7")
@settings(deadline=None)
@given(HISTORY, TEXTS)
def test_no_result_ever_becomes_a_call(history: list[Message], text: str) -> None:
    events = reply([*history, Message(Role.TOOL, text, tool_call_id=CallId("1"))])
    assert_sound(events)
    assert calls_in(events) == []


@pytest.mark.spec("PRV-7")
@settings(deadline=None)
@given(st.lists(DOCUMENTS, min_size=1, max_size=2))
def test_no_attachment_ever_becomes_a_call(documents: list[DocumentText]) -> None:
    assert calls_in(reply([Message(Role.USER, compose_message("", documents))])) == []


@settings(deadline=None)  # the first call loads the schema checker
@given(st.lists(ODD_TOOLS, max_size=3), TEXTS)
def test_damaged_schemas_never_raise_and_never_let_a_wrong_call_through(
    tools: list[ToolSpec], text: str
) -> None:
    for said_text in (text, "/help", "/tool odd a=1", "/tool odd", "/help odd", "read a.txt"):
        assert_sound(reply([Message(Role.USER, said_text)], tools), tools)


@settings(deadline=None)
@given(HISTORY)
def test_any_thread_gets_a_whole_reply(history: list[Message]) -> None:
    assert_sound(reply(history))


@given(st.text())
def test_no_text_closes_the_quote_it_stands_in(text: str) -> None:
    opening, *body = fenced(text).split("\n")
    ticks = opening.removesuffix("text")
    assert [at for at, line in enumerate(body) if ticks in line] == [len(body) - 1]
    span = code(text)
    run = len(span) - len(span.lstrip("`"))
    assert "\n" not in span
    assert "`" * run not in span[run:-run]
