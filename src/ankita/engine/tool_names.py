"""The names under which tools are offered to a model (TOL-6): pure.

A name fits `[a-zA-Z0-9_-]{1,64}`, also for servers that ignore its case; different tools
have different names; and the same set of tools has the same names after a restart.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence

MAX_NAME_CHARACTERS = 64
HASH_CHARACTERS = 8
NATIVE_SERVER = "native"

Tool = tuple[str, str]
"""A server and the tool's own name there."""

_ODD = re.compile(r"[^a-zA-Z0-9_-]+")


def offered_names(tools: Sequence[Tool]) -> Mapping[Tool, str]:
    """A name for each tool: its own where it fits and is the only one, else with its server.

    Tools of our own keep theirs, so that no server can take one away.
    """
    own = {name.casefold() for server, name in tools if server == NATIVE_SERVER}
    count = Counter(name.casefold() for _, name in tools)
    names: dict[Tool, str] = {}
    taken: set[str] = set()
    for tool in sorted(tools):
        server, name = tool
        is_alone = count[name.casefold()] == 1 or (server == NATIVE_SERVER and name in own)
        if server != NATIVE_SERVER and name.casefold() in own:
            is_alone = False
        chosen = name if is_alone and _is_faithful(tool, name) else _with_server(tool)
        if chosen.casefold() in taken:
            chosen = _digest(tool, MAX_NAME_CHARACTERS)
        taken.add(chosen.casefold())
        names[tool] = chosen
    return {tool: names[tool] for tool in tools}


def _fits(name: str) -> bool:
    return bool(name) and len(name) <= MAX_NAME_CHARACTERS and not _ODD.search(name)


def _is_faithful(tool: Tool, name: str) -> bool:
    """Whether the name is as it was, and can't be mistaken for a hashed one."""
    return _fits(name) and not name.casefold().endswith(_digest(tool))


def _with_server(tool: Tool) -> str:
    """Readable first, then what keeps it apart from every other."""
    server, name = tool
    head = _ODD.sub("_", f"{server}_{name}").strip("_") or "tool"
    return f"{head[: MAX_NAME_CHARACTERS - HASH_CHARACTERS - 1]}_{_digest(tool)}"


def _digest(tool: Tool, characters: int = HASH_CHARACTERS) -> str:
    whole = f"{len(tool[0])}:{tool[0]}{tool[1]}"
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:characters]
