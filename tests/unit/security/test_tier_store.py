"""Rules on disk: what is stored comes back, what is damaged closes the gate and stays."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ankita.durable import DurableFiles
from ankita.errors import CommandRefusedError, WriteError
from ankita.messages import Effect, Phase, ToolSpec
from ankita.security.acts import text_hash
from ankita.security.policy import Rule, TierRules, Verdict, decide
from ankita.security.tier_document import RuleKind
from ankita.security.tier_store import FILE_NAME, TierStore
from ankita.security.tiers import RiskTier

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
ASKS_ONCE = Verdict(RiskTier.ASK_ONCE, Rule.HEURISTIC, "it may change things")
ALWAYS_ASKS = Verdict(RiskTier.ALWAYS_ASK, Rule.HEURISTIC, "the name says delete")
TOOL = ToolSpec("create_issue", "", {}, Effect.CHANGES, "github", Phase.ACTING, "github")


class FakeClock:
    """Wall time, set by hand."""

    wall = NOW

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return 0.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / FILE_NAME


def store(path: Path) -> TierStore:
    made = TierStore(DurableFiles(path.parent), path)
    made.load()
    return made


@pytest.mark.spec("APR-13")
def test_no_file_means_no_rules_and_an_open_gate(path: Path) -> None:
    assert store(path).rules == TierRules()
    assert not path.exists(), "reading writes nothing"


def test_before_the_first_reading_the_gate_is_closed(path: Path) -> None:
    assert TierStore(DurableFiles(path.parent), path).rules.closed_reason


@pytest.mark.spec("APR-13")
def test_a_rule_made_on_a_card_is_there_after_a_restart_and_listed(path: Path) -> None:
    store(path).set_tool_rule(
        "github", "create_issue", RiskTier.ALLOW, "make issues", NOW, present=ASKS_ONCE
    )
    again = store(path)
    verdict = decide(TOOL, {}, again.rules)
    assert (verdict.tier, verdict.rule) == (RiskTier.ALLOW, Rule.TOOL_RULE)
    (rule,) = again.listing()
    assert (rule.kind, rule.server, rule.target) == (RuleKind.TOOL, "github", "create_issue")
    assert (rule.scope, rule.created_at) == ("make issues", NOW)

    again.remove_rule("github", "create_issue")
    assert store(path).listing() == ()


@pytest.mark.spec("APR-18")
def test_a_rule_with_an_end_counts_until_then_and_leaves_the_file_with_the_next_write(
    path: Path,
) -> None:
    clock = FakeClock()
    made = TierStore(DurableFiles(path.parent), path, clock)
    made.load()
    end = NOW + timedelta(days=3)
    made.set_tool_rule(
        "github", "create_issue", RiskTier.ALLOW, "x", NOW, present=ASKS_ONCE, ends_at=end
    )
    assert decide(TOOL, {}, made.rules).rule is Rule.TOOL_RULE
    assert [rule.ends_at for rule in made.listing()] == [end]
    clock.wall = end
    assert decide(TOOL, {}, made.rules).rule is Rule.HEURISTIC
    assert made.listing() == ()
    assert "create_issue" in path.read_text()
    made.block("github", "other", NOW)
    assert "create_issue" not in path.read_text()
    clock.wall = NOW
    assert decide(TOOL, {}, made.rules).rule is Rule.HEURISTIC


@pytest.mark.spec("APR-18")
def test_a_rule_is_tied_to_what_the_tool_said_about_itself(path: Path) -> None:
    made = store(path)
    made.set_tool_rule(
        "github",
        "create_issue",
        RiskTier.ALLOW,
        "x",
        NOW,
        present=ASKS_ONCE,
        text_hash=text_hash(TOOL),
    )
    again = store(path).rules
    assert decide(TOOL, {}, again).rule is Rule.TOOL_RULE
    changed = decide(replace(TOOL, description="Other words."), {}, again)
    assert (changed.tier, changed.rule) == (RiskTier.ASK_ONCE, Rule.TEXT_CHANGED)
    assert text_hash(replace(TOOL, server="native")) == "", "own tools change with the product"


@pytest.mark.spec("APR-13")
def test_a_blocked_tool_is_denied_after_a_restart_until_it_is_unblocked(path: Path) -> None:
    first = store(path)
    first.block("github", "create_issue", NOW)
    first.block("github", "create_issue", NOW)
    assert len(first.listing()) == 1
    assert decide(TOOL, {}, store(path).rules).tier is RiskTier.DENY
    first.unblock("github", "create_issue")
    assert decide(TOOL, {}, store(path).rules).tier is RiskTier.ASK_ONCE


def test_a_rule_for_an_app_can_be_made_and_undone(path: Path) -> None:
    made = store(path)
    made.set_app_rule("github", RiskTier.ALWAYS_ASK, "all of github", NOW)
    assert decide(TOOL, {}, store(path).rules).rule is Rule.APP_RULE
    made.remove_app_rule("github")
    assert decide(TOOL, {}, store(path).rules).rule is Rule.HEURISTIC


def test_always_is_refused_for_what_always_asks(path: Path) -> None:
    made = store(path)
    with pytest.raises(CommandRefusedError, match="the name says delete"):
        made.set_tool_rule("x", "delete_it", RiskTier.ALLOW, "", NOW, present=ALWAYS_ASKS)
    with pytest.raises(CommandRefusedError):
        made.set_app_rule("shell", RiskTier.ALLOW, "", NOW)
    assert not path.exists()


@pytest.mark.spec("APR-3")
def test_no_rule_can_deny(path: Path) -> None:
    with pytest.raises(CommandRefusedError, match="can't deny"):
        store(path).set_tool_rule("x", "y", RiskTier.DENY, "", NOW, present=ASKS_ONCE)
    path.write_text('{"version": 1, "servers": {"github": {"tiers": {"create_issue": 3}}}}')
    read = store(path)
    assert decide(TOOL, {}, read.rules).tier is RiskTier.ALWAYS_ASK
    assert read.rules.notes == ("The rule for create_issue says deny: it asks. Block it to deny.",)


@pytest.mark.spec("APR-13")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"version": 1, "servers": {"github": {"tiers": {"create_iss',
        b"\xff\xfe",
        b"[]",
        b'{"version": 1, "servers": []}',
        b'{"version": 1, "servers": {"a": {"tiers": {"x": {"tier": 0, "ends_at": "soon"}}}}}',
        b'{"version": 1, "servers": {"a": {"tiers": {"x": {"tier": 0, "ends_at": 5}}}}}',
        b'{"version": 1, "servers": {"a": {"tiers": {"x": {"tier": 0, "text_hash": 5}}}}}',
        b'{"version": 1, "apps": {"gmail": {"tier": 2, "ends_at": "2026-01-01T00:00:00+00:00"}}}',
        b'{"version": 1, "servers": {"github": {"tiers": {"x": 7}}}}',
        b'{"version": 1, "servers": {"github": {"tiers": {"x": true}}}}',
        b'{"version": 1, "servers": {"github": {"blocklist": "x"}}}',
        b'{"version": 1, "apps": {"gmail": "two"}}',
        b'{"version": 1, "servexs": {"github": {"blocklist": ["x"]}}}',
        b'{"version": 1, "servers": {"github": {"blocklisu": ["x"]}}}',
        b'{"version": 1, "servers": {"github": {"blocklist": [{"tool": "x", "created_at": 5}]}}}',
        b'{"version": 99, "servers": {}}',
    ],
)
def test_a_file_in_doubt_closes_the_gate_and_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    made = store(path)
    assert decide(TOOL, {}, made.rules).rule is Rule.GATE_CLOSED
    assert made.problem
    with pytest.raises(CommandRefusedError):
        made.block("github", "create_issue", NOW)
    assert path.read_bytes() == content
    assert store(path).rules.closed_reason, "a restart does not open it"


@pytest.mark.spec("APR-13")
def test_the_part_of_a_blocklist_that_could_be_read_still_denies(path: Path) -> None:
    path.write_text(
        '{"version": 1, "servers": {"github": {"tiers": {"a": "?"}, '
        '"blocklist": ["create_issue", 5]}}}'
    )
    made = store(path)
    assert made.rules.closed_reason
    assert decide(TOOL, {}, made.rules).tier is RiskTier.DENY


@pytest.mark.spec("APR-13")
def test_damage_while_running_closes_the_gate_and_keeps_the_blocklist(path: Path) -> None:
    made = store(path)
    made.block("github", "create_issue", NOW)
    path.write_bytes(b"{")
    with pytest.raises(CommandRefusedError):
        made.set_app_rule("github", RiskTier.ASK_ONCE, "", NOW)
    assert path.read_bytes() == b"{"
    assert decide(TOOL, {}, made.rules).tier is RiskTier.DENY


@pytest.mark.spec("APR-13")
def test_repair_is_the_only_way_back_and_keeps_the_old_file(path: Path) -> None:
    path.write_bytes(b"{damaged")
    made = store(path)
    kept = made.repair()
    assert kept is not None
    assert kept.read_bytes() == b"{damaged"
    assert made.rules == store(path).rules == TierRules()
    assert made.repair() is None, "nothing is wrong any more"


def test_counters_that_lie_in_the_file_are_kept(path: Path) -> None:
    path.write_text('{"version": 1, "servers": {"a": {"stats": {"asked": 3}}}}')
    store(path).block("a", "x", NOW)
    assert json.loads(path.read_text())["servers"]["a"]["stats"] == {"asked": 3}


class FullDisk(DurableFiles):
    """Reads as usual, can't write."""

    def write_json(self, path: Path, document: object) -> None:  # noqa: ARG002
        raise WriteError("There is no space left.")


def test_a_rule_that_could_not_be_written_does_not_count(path: Path) -> None:
    made = TierStore(FullDisk(path.parent), path)
    made.load()
    with pytest.raises(WriteError):
        made.set_app_rule("github", RiskTier.ALLOW, "", NOW)
    assert made.rules == TierRules()


class ForgetfulDisk(DurableFiles):
    """Says yes and writes nothing."""

    def write_json(self, path: Path, document: object) -> None:  # noqa: ARG002
        return


def test_a_rule_is_read_back_before_it_is_called_stored(path: Path) -> None:
    made = TierStore(ForgetfulDisk(path.parent), path)
    made.load()
    with pytest.raises(WriteError, match="reads back"):
        made.block("github", "create_issue", NOW)
