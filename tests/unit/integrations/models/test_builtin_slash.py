"""Slash commands: any tool by its schema, short forms, and what is said when they are wrong."""

from __future__ import annotations

from typing import Any

import pytest

from ankita.messages import Effect, Phase, ToolSpec
from tests.fakes.builtin_threads import FakeThread
from tests.fakes.builtin_tool_specs import TOOLS, tool

MANY = tool(
    "many",
    {
        "text": {"type": "string"},
        "n": {"type": "integer"},
        "ratio": {"type": "number"},
        "flag": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "map": {"type": "object"},
        "kind": {"enum": ["Small", "Large"]},
        "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
)


@pytest.mark.spec("PRV-7")
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('text="two words"', {"text": "two words"}),
        ("text='two words'", {"text": "two words"}),
        ("text=word n=5", {"text": "word", "n": 5}),
        (r'text="C:\new folder\"', {"text": "C:\\new folder\\"}),
        (r'text="say \"hi\" now" n=1', {"text": 'say "hi" now', "n": 1}),
        ('text="two\nlines"', {"text": "two\nlines"}),
        ('text={"a":1}', {"text": '{"a":1}'}),
        ("n=-3 ratio=0.5", {"n": -3, "ratio": 0.5}),
        ("flag=yes", {"flag": True}),
        ("flag=false", {"flag": False}),
        ('tags=["a", "b c"]', {"tags": ["a", "b c"]}),
        ("tags=a,b", {"tags": ["a", "b"]}),
        ('map={"a": {"b": [1]}}', {"map": {"a": {"b": [1]}}}),
        ("kind=small", {"kind": "Small"}),
        ("maybe=4", {"maybe": 4}),
        ("maybe=null", {"maybe": None}),
        ('{"text": "a\\nb", "n": 2}', {"text": "a\nb", "n": 2}),
        ("", {}),
    ],
)
async def test_values_become_what_the_schema_says(given: str, expected: dict[str, Any]) -> None:
    thread = FakeThread([MANY])
    await thread.say(f"/tool many {given}")
    assert [dict(call.arguments) for call in thread.calls] == [expected]


@pytest.mark.spec("PRV-7")
@pytest.mark.parametrize(
    ("given", "part"),
    [
        ("n=five", "`n` must be a whole number"),
        ("n=1.5", "`n` must be a whole number"),
        ("ratio=NaN", "`ratio` must be a number"),
        ("flag=perhaps", "`flag` must be yes or no"),
        ("kind=medium", "`Small`, `Large`"),
        ("txt=a", "Did you mean `text`?"),
        ("text=a text=b", "given twice"),
        ('text="a', "not closed"),
        ("just words", "expected key=value"),
        ("map=[1]", "`map` must be a JSON object"),
        ('{"n": "5"}', "`n` does not fit"),
        ('{"other": 5}', "does not fit"),
        ("{broken", "not a JSON object"),
        ("[1]", "expected key=value"),
    ],
)
async def test_values_that_do_not_fit_are_refused_with_the_reason(given: str, part: str) -> None:
    thread = FakeThread([MANY])
    text = await thread.say(f"/tool many {given}")
    assert thread.calls == ()
    assert part in text
    assert "I did nothing." in text


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("/read notes.txt", "read_file", {"path": "notes.txt"}),
        ('/read "my notes.txt"', "read_file", {"path": "my notes.txt"}),
        ("/read my notes.txt", "read_file", {"path": "my notes.txt"}),
        ("/ls", "list_folder", {}),
        ("/ls src", "list_folder", {"path": "src"}),
        ("/find *.py in src", "find_files", {"pattern": "*.py", "path": "src"}),
        (
            '/search "notice period" in docs',
            "search_files",
            {"pattern": "notice period", "path": "docs"},
        ),
        ("/search rent", "search_files", {"pattern": "rent"}),
        ('/run git commit -m "x y"', "run_command", {"command": 'git commit -m "x y"'}),
        ("/run echo please now", "run_command", {"command": "echo please now"}),
        ("/remember don't forget milk", "remember_note", {"text": "don't forget milk"}),
        ("/notes", "list_notes", {}),
        ("/jobs", "job_list", {}),
    ],
)
async def test_short_forms_name_their_tool(text: str, name: str, arguments: dict[str, Any]) -> None:
    thread = FakeThread()
    await thread.say(text)
    assert [(call.name, dict(call.arguments)) for call in thread.calls] == [(name, arguments)]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("/reed notes.txt", "Did you mean `/read`"),
        ("/tool raed_file path=a", "Did you mean `read_file`"),
        ("/read_file path=a", "`/tool read_file key=value`"),
        ("/tool", "Which tool?"),
        ("/home/eva/notes.txt is broken", "There is no"),
        ("/", "There is no"),
        ("/run ls\nrm -rf build", "takes one line"),
        ("/notes please", "takes no values"),
        ("/help nothing_like_it", "There is no tool"),
    ],
)
async def test_a_slip_does_nothing_and_is_explained(text: str, part: str) -> None:
    thread = FakeThread()
    answer = await thread.say(text)
    assert part in answer
    assert thread.calls == ()


@pytest.mark.spec("PRV-7")
async def test_help_covers_every_registered_tool() -> None:
    foreign = tool("GMAIL_SEND_EMAIL", {"to": {"type": "string"}}, ["to"], Effect.CHANGES)
    thread = FakeThread([*TOOLS, foreign])
    overview = await thread.say("/help")
    for one in (*TOOLS, foreign):
        assert f"`{one.name}`" in overview
        described = await thread.say(f"/help {one.name}")
        for slot in one.parameters["properties"]:
            assert f"`{slot}`" in described
    assert "(text, needed)" in await thread.say("/help GMAIL_SEND_EMAIL")


async def test_a_foreign_description_cannot_draw_markup() -> None:
    foreign = tool("x", {}, description="**bold**\n# head\n[link](http://evil.example) <b>")
    answer = await FakeThread([foreign]).say("/help x")
    assert r"\*\*bold\*\* \# head \[link\](http://evil.example) \<b\>" in answer


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"], "$ref": "#"},
        {"type": "object", "properties": {"a": {"$ref": "http://evil.example/s.json"}}},
        {"type": "object", "properties": {"a": {"type": 5}}},
        {"type": "nonsense"},
    ],
)
async def test_a_damaged_schema_means_no_call(schema: dict[str, Any]) -> None:
    odd = ToolSpec("odd", "", schema, Effect.READS, "x", Phase.READING)
    thread = FakeThread([odd])
    await thread.say("/tool odd a=1")
    assert thread.calls == ()


async def test_a_hostile_pattern_does_not_hold_up_the_reply() -> None:
    slow = tool("slow", {"a": {"type": "string", "pattern": "^(a+)+$"}})
    thread = FakeThread([slow])
    await thread.say("/tool slow a=" + "a" * 60 + "!")
    assert len(thread.calls) == 1
