"""Rules on disk over arbitrary rules and arbitrary damage."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankita.durable import parse_document
from ankita.errors import CommandRefusedError
from ankita.messages import Json
from ankita.security.acts import tool_key
from ankita.security.policy import Rule, Verdict
from ankita.security.tier_store import FILE_NAME, TierStore
from ankita.security.tiers import RULE_TIERS, RiskTier

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PRESENT = Verdict(RiskTier.ASK_ONCE, Rule.HEURISTIC, "it may change things")
NAMES = st.text(max_size=8)
WHOLE = json.dumps(
    {
        "version": 1,
        "servers": {"s": {"tiers": {"t": {"tier": 2}}, "blocklist": ["b"]}},
        "apps": {"gmail": 2},
    }
).encode()


class FakeFiles:
    """One file in memory, parsed as the real ones are."""

    def __init__(self, content: bytes | None = None) -> None:
        self.content = content

    def read_json(self, path: Path, newest_version: int) -> dict[str, Any] | None:
        return None if self.content is None else parse_document(path, self.content, newest_version)

    def write_json(self, path: Path, document: Json) -> None:  # noqa: ARG002
        self.content = json.dumps(document).encode()

    def keep_aside(self, path: Path, reason: str) -> Path:  # noqa: ARG002
        self.content = None
        return path.with_name("aside")


def store(files: FakeFiles) -> TierStore:
    made = TierStore(files, Path(FILE_NAME))
    made.load()
    return made


@pytest.mark.spec("APR-13")
@settings(deadline=None)
@given(
    st.dictionaries(st.tuples(NAMES, NAMES), st.sampled_from(sorted(RULE_TIERS)), max_size=5),
    st.dictionaries(NAMES, st.sampled_from([RiskTier.ASK_ONCE, RiskTier.ALWAYS_ASK]), max_size=3),
    st.sets(st.tuples(NAMES, NAMES), max_size=5),
)
def test_what_was_stored_is_read_again(
    tools: dict[tuple[str, str], RiskTier],
    apps: dict[str, RiskTier],
    blocked: set[tuple[str, str]],
) -> None:
    files = FakeFiles()
    made = store(files)
    for (server, tool), tier in tools.items():
        made.set_tool_rule(server, tool, tier, "scope", NOW, present=PRESENT)
    for app, tier in apps.items():
        made.set_app_rule(app, tier, "scope", NOW)
    for server, tool in blocked:
        made.block(server, tool, NOW)

    again = store(files)
    assert again.rules.tools == {tool_key(*at): tier for at, tier in tools.items()}
    assert again.rules.apps == apps
    assert again.rules.blocklist == {tool_key(*at) for at in blocked}
    assert again.rules == made.rules
    assert len(again.listing()) == len(tools) + len(apps) + len(blocked)


@pytest.mark.spec("APR-13")
@settings(deadline=None)
@given(st.one_of(st.binary(max_size=60), st.integers(0, len(WHOLE) - 1).map(lambda n: WHOLE[:n])))
def test_damage_closes_the_gate_and_is_never_written_over(content: bytes) -> None:
    files = FakeFiles(content)
    made = store(files)
    assert made.rules.closed_reason
    for change in (
        lambda: made.block("s", "t", NOW),
        lambda: made.unblock("s", "t"),
        lambda: made.remove_rule("s", "t"),
        lambda: made.set_tool_rule("s", "t", RiskTier.ASK_ONCE, "", NOW, present=PRESENT),
    ):
        with pytest.raises(CommandRefusedError):
            change()
    assert files.content == content


@pytest.mark.spec("APR-13")
@settings(deadline=None)
@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
def test_one_wrong_byte_loses_no_entry_unless_the_gate_is_closed(place: int, value: int) -> None:
    content = WHOLE[:place] + bytes([value]) + WHOLE[place + 1 :]
    rules = store(FakeFiles(content)).rules
    assert rules.closed_reason or (len(rules.blocklist) == len(rules.tools) == len(rules.apps) == 1)
