"""The form of `mcp-tiers.json`: the stored document to rules and listings, strictly read.

    {"version": 1,
     "servers": {id: {"tiers": {tool: {"tier": 0, "scope": "...", "created_at": "..."}},
                      "blocklist": [{"tool": "...", "created_at": "..."}]}},
     "apps": {app: {"tier": 2, "scope": "...", "created_at": "..."}}}

A tool's rule may also hold "ends_at", a time after which it counts no more, and
"text_hash", what the tool said about itself when the rule was made. A bare number may
stand for a rule and a bare name for a blocklist entry. A key that is not known is
damage: skipping it could skip a blocklist. A server's "stats" are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeGuard

from ankita.messages import Json
from ankita.security.acts import tool_key
from ankita.security.policy import TierRules
from ankita.security.tiers import RiskTier

VERSION = 1
CLOSED_DAMAGED = "your rules file is damaged, so everything asks"
CLOSED_NEWER = "your rules file is from a newer version, so everything asks"
CLOSED_UNREADABLE = "your rules file cannot be read, so everything asks"


class RuleKind(StrEnum):
    TOOL = "tool"
    APP = "app"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class StandingRule:
    """One rule for a list that people read. `server` is empty for an app's rule.

    `target` is the tool (with its enclosed action) or the app. `created_at` is None
    where the file does not say when, `ends_at` where the rule lasts. `text_hash` ties
    it to what the tool said about itself; empty where it is not tied.
    """

    kind: RuleKind
    server: str
    target: str
    tier: RiskTier
    scope: str = ""
    created_at: datetime | None = None
    ends_at: datetime | None = None
    text_hash: str = ""


_TOP_KEYS = frozenset({"version", "servers", "apps"})
_SERVER_KEYS = frozenset({"tiers", "blocklist", "stats"})
_APP_KEYS = frozenset({"tier", "scope", "created_at"})
_RULE_KEYS = _APP_KEYS | {"ends_at", "text_hash"}
_BLOCK_KEYS = frozenset({"tool", "created_at"})


@dataclass(slots=True)
class _Found:
    rules: list[StandingRule] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """What a document says. Any problem closes the gate; the blocklist read still holds."""

    rules: TierRules
    listing: tuple[StandingRule, ...]
    problems: tuple[str, ...]


def empty_document() -> dict[str, Any]:
    """The document of somebody without rules."""
    return {"version": VERSION, "servers": {}, "apps": {}}


def read_document(document: dict[str, Any]) -> ReadDocument:
    """Read every entry; one that makes no sense is a problem and never skipped in silence."""
    found = _Found()
    _check_keys(found, document, _TOP_KEYS)
    for server, entry in _items(document, "servers", found):
        if not isinstance(entry, dict):
            found.problems.append(f"The entry of {server} is not an object.")
            continue
        _check_keys(found, entry, _SERVER_KEYS)
        for tool, value in _items(entry, "tiers", found):
            _read_rule(found, RuleKind.TOOL, server, tool, value)
        _read_blocklist(found, server, entry.get("blocklist", []))
    for app, value in _items(document, "apps", found):
        _read_rule(found, RuleKind.APP, "", app, value)
    return ReadDocument(_rules(found), tuple(found.rules), tuple(found.problems))


def entry_for(
    tier: RiskTier,
    scope: str,
    created_at: datetime,
    ends_at: datetime | None = None,
    text_hash: str = "",
) -> dict[str, Json]:
    """A rule as it is stored."""
    entry = {"tier": int(tier), "scope": scope, "created_at": created_at.isoformat()}
    if ends_at is not None:
        entry["ends_at"] = ends_at.isoformat()
    if text_hash:
        entry["text_hash"] = text_hash
    return entry


def drop_ended(document: dict[str, Any], now: datetime) -> None:
    """Take the rules whose end is past out of a document that can be read."""
    for server in document["servers"].values():
        holder = server.get("tiers", {})
        for name in [name for name, entry in holder.items() if _has_ended(entry, now)]:
            del holder[name]


def _has_ended(entry: Json, now: datetime) -> bool:
    ends_at, _ = _time(entry.get("ends_at")) if isinstance(entry, dict) else (None, True)
    return ends_at is not None and ends_at <= now


def _rules(found: _Found) -> TierRules:
    return TierRules(
        blocklist=frozenset(
            tool_key(rule.server, rule.target)
            for rule in found.rules
            if rule.kind is RuleKind.BLOCKED
        ),
        tools={
            tool_key(rule.server, rule.target): rule.tier
            for rule in found.rules
            if rule.kind is RuleKind.TOOL
        },
        apps={rule.target: rule.tier for rule in found.rules if rule.kind is RuleKind.APP},
        ends={
            tool_key(rule.server, rule.target): rule.ends_at
            for rule in found.rules
            if rule.ends_at is not None
        },
        texts={
            tool_key(rule.server, rule.target): rule.text_hash
            for rule in found.rules
            if rule.text_hash
        },
        closed_reason=CLOSED_DAMAGED if found.problems else "",
        notes=tuple(found.notes),
    )


def _items(holder: dict[str, Any], key: str, found: _Found) -> Iterator[tuple[str, Json]]:
    value = holder.get(key, {})
    if isinstance(value, dict):
        yield from value.items()
    else:
        found.problems.append(f'"{key}" is not an object.')


def _check_keys(found: _Found, entry: dict[str, Any], known: frozenset[str]) -> None:
    found.problems.extend(f'"{key}" is not known.' for key in entry.keys() - known)


def _read_rule(found: _Found, kind: RuleKind, server: str, target: str, value: Json) -> None:
    entry = value if isinstance(value, dict) else {"tier": value}
    _check_keys(found, entry, _RULE_KEYS if kind is RuleKind.TOOL else _APP_KEYS)
    tier, scope = entry.get("tier"), entry.get("scope", "")
    text_hash = entry.get("text_hash", "")
    created_at, is_time = _time(entry.get("created_at"))
    ends_at, is_end = _time(entry.get("ends_at"))
    are_texts = isinstance(scope, str) and isinstance(text_hash, str)
    if not (_is_tier(tier) and are_texts and is_time and is_end):
        found.problems.append(f"The rule for {target} makes no sense.")
        return
    if tier == RiskTier.DENY:
        found.notes.append(f"The rule for {target} says deny: it asks. Block it to deny.")
        tier = RiskTier.ALWAYS_ASK
    found.rules.append(
        StandingRule(kind, server, target, RiskTier(tier), scope, created_at, ends_at, text_hash)
    )


def _is_tier(value: Json) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value in set(RiskTier)


def _read_blocklist(found: _Found, server: str, value: Json) -> None:
    if not isinstance(value, list):
        found.problems.append(f"The blocklist of {server} is not a list.")
        return
    for item in value:
        entry = item if isinstance(item, dict) else {"tool": item}
        _check_keys(found, entry, _BLOCK_KEYS)
        tool = entry.get("tool")
        created_at, is_time = _time(entry.get("created_at"))
        if not isinstance(tool, str) or not is_time:
            found.problems.append(f"An entry in the blocklist of {server} makes no sense.")
        if isinstance(tool, str):
            found.rules.append(
                StandingRule(RuleKind.BLOCKED, server, tool, RiskTier.DENY, "", created_at)
            )


def _time(value: Json) -> tuple[datetime | None, bool]:
    if value is None:
        return None, True
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None, False
    return moment, moment.tzinfo is not None
