"""Puts streamed fragments of tool calls together, however a server numbers them.

Servers disagree on what identifies a fragment: an index, an id, both, neither, one
index for every call, or one call under two indexes. The rules, in order:

* the same index and id: the same call; an id alone finds its call again;
* a new id opens a new call, also at an index that is in use;
* an index without an id continues the call at that index;
* neither: a fragment with a name opens the next call, one without continues the last;
* a repeated name never opens a second call while the first one's arguments are open.

Nothing is ever repaired: arguments that do not parse make a call that is not run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ankita.ids import CallId
from ankita.integrations.models.argument_text import ArgumentText, parsed_arguments
from ankita.integrations.models.chat_echo import EXTRA_CONTENT
from ankita.messages import Json, JsonObject, ToolCall


@dataclass(slots=True)
class _Slot:
    """One call under construction. `server_id` is empty when the server sent none."""

    index: int | None
    server_id: str
    name: str = ""
    arguments: ArgumentText = field(default_factory=ArgumentText)
    is_twin: bool = False
    """Opened without an id of its own; dropped when it repeats an earlier call."""
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Fragment:
    index: int | None
    server_id: str
    name: str
    arguments: str
    extra: JsonObject


class ToolCallAssembler:
    """Collects fragments; `calls` gives the finished calls in the order they began.

    `new_call_id` names a call for which the server sent no id. The `echo` of a call is
    the `extra_content` that came with it, as it came.
    """

    def __init__(self, new_call_id: Callable[[], str]) -> None:
        self._new_call_id = new_call_id
        self._slots: list[_Slot] = []
        self._touched: _Slot | None = None
        # The newest call under each mark: a reply may hold very many calls.
        self._by_index: dict[int | None, _Slot] = {}
        self._by_id: dict[str, _Slot] = {}
        self._by_both: dict[tuple[str, int | None], _Slot] = {}

    def take(self, delta: Json) -> None:
        """One element of a delta's `tool_calls`; anything that is not one is ignored."""
        fragment = _fragment(delta)
        if fragment is None:
            return
        slot = self._find(fragment)
        if slot is None:
            slot = self._open(fragment)
        if fragment.server_id and not slot.server_id:
            slot.server_id = fragment.server_id
            slot.is_twin = False
            self._note_id(slot)
        slot.name = slot.name or fragment.name
        slot.arguments.add(fragment.arguments)
        slot.extra = {**slot.extra, **fragment.extra}
        self._touched = slot

    def calls(self, *, is_cut: bool) -> list[ToolCall]:
        """The calls. `is_cut`: the reply hit its length limit, so open ones are dropped."""
        calls: list[ToolCall] = []
        seen: set[tuple[str, str]] = set()
        for slot in self._slots:
            written = str(slot.arguments)
            parsed = parsed_arguments(written)
            key = (slot.name, _comparable(written, parsed))
            if slot.is_twin and key in seen:
                continue
            seen.add(key)
            if is_cut and not (slot.name and isinstance(parsed, dict)):
                continue
            calls.append(self._call(slot, parsed))
        return calls

    def _call(self, slot: _Slot, parsed: Any) -> ToolCall:
        own_id = "" if slot.is_twin else slot.server_id
        call_id = CallId(own_id or self._new_call_id())
        if not slot.name:
            return ToolCall(call_id, "", {}, problem="The call named no tool.")
        if isinstance(parsed, dict) or not str(slot.arguments).strip():
            return ToolCall(call_id, slot.name, parsed or {}, echo=slot.extra)
        problem = "The arguments were not a complete JSON object. Nothing was run."
        return ToolCall(call_id, slot.name, {}, problem=problem, echo=slot.extra)

    def _open(self, fragment: _Fragment) -> _Slot:
        slot = _Slot(fragment.index, fragment.server_id)
        if not fragment.server_id:
            slot.is_twin = bool(self._slots)
        elif fragment.server_id in self._by_id:
            slot.is_twin = True
        self._slots.append(slot)
        self._by_index[slot.index] = slot
        if slot.server_id:
            self._note_id(slot)
        return slot

    def _note_id(self, slot: _Slot) -> None:
        self._by_id[slot.server_id] = slot
        self._by_both[slot.server_id, slot.index] = slot

    def _find(self, fragment: _Fragment) -> _Slot | None:
        """The call that the fragment continues, or None for a new one."""
        if fragment.server_id:
            return self._find_by_id(fragment)
        here = self._here(fragment)
        if here is None or not fragment.name or not here.name:
            return here
        repeats_name = fragment.name == here.name
        return here if repeats_name and not _starts_again(here, fragment) else None

    def _find_by_id(self, fragment: _Fragment) -> _Slot | None:
        exact = self._by_both.get((fragment.server_id, fragment.index))
        if exact is not None:
            return None if _starts_again(exact, fragment) else exact
        same_id = self._by_id.get(fragment.server_id)
        if same_id is not None:
            moved = fragment.index is not None and same_id.index is not None
            return None if moved and fragment.name else same_id
        here = self._here(fragment)
        # An id that arrives after the name belongs to the call that still lacks one.
        lacks_id = here is not None and not here.server_id
        return here if lacks_id and not fragment.name else None

    def _here(self, fragment: _Fragment) -> _Slot | None:
        """The newest call at the fragment's index, or the last one where it has none."""
        return self._touched if fragment.index is None else self._by_index.get(fragment.index)


def _starts_again(slot: _Slot, fragment: _Fragment) -> bool:
    """A named fragment with arguments, at a call that already has all of its own."""
    return bool(fragment.name and fragment.arguments) and slot.arguments.is_whole


def _fragment(delta: Json) -> _Fragment | None:
    if not isinstance(delta, Mapping):
        return None
    function = delta.get("function")
    if not isinstance(function, Mapping):
        function = {}
    index = delta.get("index")
    extra = delta.get(EXTRA_CONTENT)
    server_id = delta.get("id")
    name = function.get("name")
    return _Fragment(
        index=index if isinstance(index, int) and not isinstance(index, bool) else None,
        server_id="" if server_id is None else storable(str(server_id)),
        name=storable(name) if isinstance(name, str) else "",
        arguments=_arguments_text(function.get("arguments")),
        extra=extra if isinstance(extra, Mapping) else {},
    )


def storable(text: str) -> str:
    """The text without halves of surrogate pairs, which have no UTF-8 form."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _arguments_text(value: Json) -> str:
    """Arguments may come as text, as fragments of it, or as the object itself."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def _comparable(text: str, parsed: Any) -> str:
    return text if parsed is None else json.dumps(parsed, sort_keys=True)
