"""From a matched sentence to an intent: every slot is checked, and a bad one means no intent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ankita.integrations.models.builtin_arguments import ANY_CASE, SOLE_VALUE, Order
from ankita.integrations.models.builtin_intents import Intent, LookInto
from ankita.integrations.models.builtin_phrases import (
    Sentence,
    command_in,
    path_in,
    quoted,
    words_in,
)

Build = Callable[[Mapping[str, str], Sentence], Intent | None]
"""The named groups of a pattern that were filled, and the sentence they come from."""


_PLACE_WORDS = ("word", "after", "files", "contents", "named", "kind")
"""Groups whose words make it plain that a place follows, so that one bare word is enough."""


def _place(
    groups: Mapping[str, str], found: Sentence, *, named: bool = False
) -> dict[str, str] | None:
    """The path argument; empty for the workspace, None when the place is no path."""
    if "path" not in groups:
        return {}
    named = named or any(name in groups for name in _PLACE_WORDS)
    path = path_in(groups["path"], found, named=named)
    return {"path": path} if path else None


def read_file(groups: Mapping[str, str], found: Sentence) -> Intent | None:
    path = path_in(groups["path"], found, named="word" in groups)
    return Order("read_file", {"path": path}) if path else None


def list_folder(groups: Mapping[str, str], found: Sentence) -> Intent | None:
    place = _place(groups, found)
    if place is None or ("contents" in groups and "." in place["path"].lstrip("./\\")):
        return None
    return Order("list_folder", place)


def list_or_read(groups: Mapping[str, str], found: Sentence) -> Intent | None:
    path = path_in(groups["path"], found)
    if path is None:
        return None
    is_folder = path in {".", "..", "~"} or path.endswith(("/", "\\")) or "." not in path
    return Order("list_folder" if is_folder else "read_file", {"path": path})


def find_files(groups: Mapping[str, str], found: Sentence) -> Intent | None:
    place = _place(groups, found)
    pattern = path_in(groups["pattern"], found, named="named" in groups, wild=True)
    if place is None or pattern is None or (quoted(groups["pattern"], found) and _bare(groups)):
        return None
    if "named" in groups and not re.search(r"[*?.]", pattern):
        pattern = f"*{pattern}*"
    return Order("find_files", {"pattern": pattern, **place})


def _bare(groups: Mapping[str, str]) -> bool:
    """Whether nothing in the sentence says that files are meant: `find "rent"`."""
    return "named" not in groups and "file" not in groups


def find_kind(groups: Mapping[str, str], found: Sentence) -> Intent | None:
    place = _place(groups, found)
    if place is None:
        return None
    return Order("find_files", {"pattern": f"*.{groups['kind'].lower()}", **place})


def search_files(groups: Mapping[str, str], found: Sentence) -> Intent | None:
    words = words_in(groups["words"], found)
    place = _place(groups, found, named=bool(words and words[1]))
    if place is None or words is None:
        return None
    if not place and "here" not in groups and not words[1]:
        return None
    return Order("search_files", {"pattern": words[0], **place}, ANY_CASE)


def look_into(groups: Mapping[str, str], found: Sentence) -> Intent | None:
    words = words_in(groups["words"], found)
    if words is None:
        return None
    name = ""
    if "path" in groups:
        name = path_in(groups["path"], found, named="word" in groups) or ""
        if not name:
            return None
    return LookInto(words[0], words[1], name=name)


def page_of(groups: Mapping[str, str], found: Sentence) -> Intent | None:
    name = path_in(groups["path"], found) if "path" in groups else ""
    return None if name is None else LookInto(page=int(groups["page"]), name=name)


def run_command(groups: Mapping[str, str], found: Sentence) -> Intent | None:
    command = command_in(groups["command"], found)
    if command is None:
        return None
    given = {"command": command}
    if "folder" in groups:
        folder = path_in(groups["folder"], found, named=True)
        if folder is None:
            return None
        given["folder"] = folder
    if "background" in groups:
        given["background"] = "true"
    return Order("run_command", given)


def write_file(groups: Mapping[str, str], found: Sentence) -> Intent | None:
    path, content = _one_file(groups, found), quoted(groups["content"], found)
    if path is None or content is None:
        return None
    return Order("write_file", {"path": path, "content": content})


def edit_file(groups: Mapping[str, str], found: Sentence) -> Intent | None:
    path = _one_file(groups, found)
    old, new = quoted(groups["old"], found), quoted(groups["new"], found)
    if path is None or not old or new is None:
        return None
    return Order("edit_file", {"path": path, "old_text": old, "new_text": new})


def _one_file(groups: Mapping[str, str], found: Sentence) -> str | None:
    """The path of a file to change. A guess is bearable for reading, not here: no bare spaces."""
    return None if " " in groups["path"].strip() else path_in(groups["path"], found)


def job_order(tool: str) -> Build:
    def build(groups: Mapping[str, str], _found: Sentence) -> Intent:
        number = groups["job"]
        return Order(tool, {SOLE_VALUE: f"job-{number}" if number.isdigit() else number})

    return build
