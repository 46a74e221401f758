"""However a reply is cut it means the same, and only exactly one valid object is a call."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ankita.integrations.models.action_check import WantedCall
from ankita.integrations.models.action_reader import ActionReader
from ankita.integrations.models.json_text import JsonText
from ankita.messages import Effect, Phase, ToolSpec

pytestmark = pytest.mark.spec("PRV-9")


def tool(name: str, **properties: str) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }
    return ToolSpec(name, f"Does {name}.", schema, Effect.CHANGES, "files", Phase.ACTING)


READ = tool("read_file", path="string")
COUNT = tool("count", value="integer")
NONE = tool("none", path="string")
TOOLS = (READ, COUNT, NONE)
CALL = '{"tool": "read_file", "arguments": {"path": "a.txt"}}'

Outcome = tuple[str, WantedCall | None]


def read(pieces: list[str], *, is_whole: bool = True) -> Outcome:
    reader = ActionReader(TOOLS)
    text = "".join(reader.feed(piece) for piece in pieces)
    last = reader.close(is_whole=is_whole)
    return (text, last) if isinstance(last, WantedCall) else (text + last, None)


def pieces_of(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[a:b] for a, b in itertools.pairwise(places)]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
names = st.sampled_from(["read_file", "count", "none", "other", "Read_File", ""])
arguments = st.fixed_dictionaries({"path": st.text(max_size=20)}) | st.fixed_dictionaries(
    {"value": st.integers() | st.text(max_size=3) | st.booleans()}
)
objects = (
    st.fixed_dictionaries({"tool": names, "arguments": arguments | values})
    | st.fixed_dictionaries({"tool": names | values, "reply": st.text() | values})
    | st.fixed_dictionaries({"arguments": arguments, "tool": names})
    | st.dictionaries(st.sampled_from(["tool", "arguments", "reply", "x"]), values)
)
spacing = st.sampled_from(["", " ", "\n", "\t\r\n", " " * 70])


@st.composite
def written(draw: st.DrawFn) -> str:
    """An object as a model may write it, with or without a fence."""
    indent = draw(st.sampled_from([None, 2]))
    text = json.dumps(draw(objects), ensure_ascii=draw(st.booleans()), indent=indent)
    fence = draw(st.sampled_from(["", "```json\n", "```\n", "```python\n"]))
    end = draw(st.sampled_from(["\n```", "```", ""])) if fence else ""
    return draw(spacing) + fence + text + end + draw(spacing)


@st.composite
def replies(draw: st.DrawFn) -> str:
    """Objects, texts around them, several of them, and objects with a broken place."""
    text = draw(written() | st.text(max_size=60))
    before, after = draw(st.sampled_from(["", "Sure: ", "{", "[", "x"])), ""
    if draw(st.booleans()):
        after = draw(written() | st.sampled_from(["", " Done.", "}", '"', ","]))
    whole = before + text + after
    if draw(st.booleans()):
        at = draw(st.integers(0, len(whole)))
        whole = whole[:at] + draw(st.sampled_from(["", '"', "\\", "}", "\n"])) + whole[at + 1 :]
    return whole


@given(replies(), st.lists(st.integers(0, 500), max_size=12), st.booleans())
@example('{"tool":"none","reply":"\\ud83d\\ude00 \\u00e9\\n\\"x\\""}', list(range(60)), True)
@example('{"tool":"none","reply":"\\ud83d\\ud83d\\u12 \\x\\', list(range(60)), True)
@example("```json\n" + CALL + "\n```", list(range(80)), True)
@example(CALL + " " * 200, [60, 100], True)
@example('{"tool": "none", "reply": "x"} and ' + CALL, [], True)
@example('{"tool": "none", "reply": "x", "y": 1}', [], True)
def test_cuts_change_nothing(text: str, cuts: list[int], is_whole: bool) -> None:
    whole = read([text], is_whole=is_whole)
    assert read(pieces_of(text, cuts), is_whole=is_whole) == whole
    assert read(list(text), is_whole=is_whole) == whole


def plain_reading(text: str) -> dict[str, Any] | None:
    """The object that the text is, by a way of its own."""
    inner = text.strip(" \t\r\n")
    if inner.startswith("```"):
        first, _, rest = inner.partition("\n")
        if first.strip() not in ("```", "```json", "```JSON") or not rest.endswith("```"):
            return None
        inner = rest.removesuffix("```").strip(" \t\r\n")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in pairs}) == len(pairs)
        return dict(pairs)

    try:
        value = json.loads(inner, object_pairs_hook=once)
    except (ValueError, AssertionError):
        return None
    return value if isinstance(value, dict) else None


@given(replies())
@example(CALL + CALL)
@example(CALL + "\n" + CALL)
@example(f"[{CALL}]")
@example(f"Here you are: {CALL}")
@example(f"{CALL} I did it.")
@example(f"```json\n{CALL}\n```\n```json\n{CALL}\n```")
@example('{"tool": "read_file", "tool": "count", "arguments": {"path": "a"}}')
@example('{"tool": "read_file", "arguments": {"path": "a", "path": "b"}}')
@example('{"tool": "read_file", "arguments": {"path": "a"}, "reply": "x"}')
@example('{"tool": "count", "arguments": {"value": NaN}}')
@example('{"tool": "none", "reply": "x"}' + CALL)
@example('{"tool": "none", "reply": "x", "tool": "read_file", "arguments": {"path": "a"}}')
@example('{"tool": "read_file", "arguments": {"path": "\\ud800"}}')
def test_a_call_is_exactly_one_valid_object(text: str) -> None:
    _, call = read(list(text))
    if call is None:
        return
    value = plain_reading(text)
    assert value == {"tool": call.tool, "arguments": call.arguments}
    known = {"read_file": ("path", str), "count": ("value", int), "none": ("path", str)}
    name, kind = known[call.tool]
    assert set(call.arguments) == {name}
    assert isinstance(call.arguments[name], kind)
    assert not isinstance(call.arguments[name], bool)


@given(replies())
def test_a_reply_that_was_cut_off_is_never_a_call(text: str) -> None:
    assert read([text], is_whole=False)[1] is None


@given(st.text(), st.sampled_from(["", "```json\n"]), st.booleans())
def test_the_words_of_an_answer_come_through_whole(said: str, fence: str, is_ascii: bool) -> None:
    said = said.encode("utf-8", "replace").decode()
    text = json.dumps({"tool": "none", "reply": said}, ensure_ascii=is_ascii)
    end = "\n```" if fence else ""
    assert read(list(fence + text + end)) == (said, None)


def test_what_follows_an_answer_is_shown_too() -> None:
    answer = '{"tool": "none", "reply": "Hi."}'
    assert read([f"{answer} And: {CALL}"]) == (f"Hi. And: {CALL}", None)
    assert read([answer.replace("}", ', "x": 1}')]) == ('Hi., "x": 1}', None)


@given(st.text(max_size=80))
def test_text_that_is_no_object_comes_through_as_it_is(text: str) -> None:
    if not text.lstrip(" \t\r\n").startswith(("{", "`")):
        assert read(list(text)) == (text, None)


@given(st.text())
def test_json_text_agrees_with_json(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    reader = JsonText()
    shown = "".join(reader.feed(letter) for letter in json.dumps(text)[1:] + "rest")
    assert (shown, reader.is_over, reader.rest) == (text, True, "rest")
