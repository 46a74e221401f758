"""The pure verdict: one call and the user's rules in, a tier with its reason out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from ankita.errors import ToolArgumentsError
from ankita.messages import Effect, JsonObject, ToolSpec
from ankita.security import verbs
from ankita.security.acts import (
    JOB_TOOLS,
    NATIVE_SERVER,
    grant_key,
    is_command,
    rule_name,
    text_hash,
    tool_key,
)
from ankita.security.canonical import NotCanonicalError, canonical_json
from ankita.security.command_calls import why_it_always_asks
from ankita.security.readings import Reading, read_arguments, read_name, words_of
from ankita.security.tiers import RiskTier

LOCKED_APP_DEFAULTS: Mapping[str, RiskTier] = MappingProxyType({"shell": RiskTier.ALWAYS_ASK})
"""Apps that ask unless the user made a rule. Calls that only read stay free."""


class Rule(StrEnum):
    """Which rule answered."""

    BLOCKLIST = "blocklist"
    GATE_CLOSED = "gate_closed"
    BAD_ARGUMENTS = "bad_arguments"
    TOOL_RULE = "tool_rule"
    APP_RULE = "app_rule"
    APP_DEFAULT = "app_default"
    HEURISTIC = "heuristic"
    TEXT_CHANGED = "text_changed"
    """A rule of the user ended because the tool now says something else about itself."""
    GRANT = "grant"
    """A yes of the user that still holds; never a verdict of `decide`, only in the record."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The tier of a call, the rule that gave it and why, in a few plain words for the card."""

    tier: RiskTier
    rule: Rule
    reason: str


@dataclass(frozen=True, slots=True)
class TierRules:
    """The user's rules. `blocklist` holds keys of `tool_key`, `tools` of `tool_key` over
    `rule_name`, `apps` names of apps.

    `closed_reason` set means that the rules could not be read: everything asks, and
    what was read of the blocklist still denies. `notes` are plain sentences about
    entries that were read differently from how they were written. `ends` and `texts`
    say of some of `tools` when the rule ends, and for which `text_hash` it was made.
    """

    blocklist: frozenset[str] = frozenset()
    tools: Mapping[str, RiskTier] = field(default_factory=dict)
    apps: Mapping[str, RiskTier] = field(default_factory=dict)
    closed_reason: str = ""
    notes: tuple[str, ...] = ()
    ends: Mapping[str, datetime] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    def at(self, now: datetime) -> TierRules:
        """The rules without those that have ended."""
        over = {key for key, end in self.ends.items() if end <= now}
        if not over:
            return self
        left = {key: tier for key, tier in self.tools.items() if key not in over}
        return replace(self, tools=left)


def decide(
    spec: ToolSpec, arguments: JsonObject, rules: TierRules, place: str | None = None
) -> Verdict:
    """The verdict on one call. Total: any name, arguments and hints give an answer.

    `place` is the real path of the folder that a command would run in, None if unknown.
    """
    if tool_key(spec.server, spec.name) in rules.blocklist:
        return Verdict(RiskTier.DENY, Rule.BLOCKLIST, "on your blocklist")
    try:
        canonical_json(arguments)
        said = read_arguments(arguments, own=_is_own(spec))
        exact_key = grant_key(spec, arguments, place)
    except (NotCanonicalError, ToolArgumentsError):
        return Verdict(RiskTier.ALWAYS_ASK, Rule.BAD_ARGUMENTS, "its arguments could not be read")
    if exact_key in rules.blocklist:
        return Verdict(RiskTier.DENY, Rule.BLOCKLIST, "on your blocklist")
    if rules.closed_reason:
        return Verdict(RiskTier.ALWAYS_ASK, Rule.GATE_CLOSED, rules.closed_reason)
    if is_command(spec):
        return _on_a_command(spec, arguments, exact_key, said, rules, place)
    return (
        _by_tool_rule(spec, exact_key, said, rules)
        or _by_app_rule(spec, rules)
        or _by_default_or_heuristic(spec, said)
    )


def outdated_rules(spec: ToolSpec, arguments: JsonObject, rules: TierRules) -> tuple[str, ...]:
    """The names of lasting rules for this call that were made for another text of the tool.

    Raises ToolArgumentsError.
    """
    named = {rule_name(spec, arguments), rule_name(spec)}
    return tuple(n for n in sorted(named) if _is_outdated(spec, tool_key(spec.server, n), rules))


def _is_outdated(spec: ToolSpec, key: str, rules: TierRules) -> bool:
    """A rule that protects does not end; one that lets pass does."""
    text = rules.texts.get(key, "")
    lets_pass = rules.tools.get(key, RiskTier.ALWAYS_ASK) < RiskTier.ALWAYS_ASK
    return bool(text) and lets_pass and text != text_hash(spec)


def _on_a_command(
    spec: ToolSpec,
    arguments: JsonObject,
    exact_key: str,
    said: Reading,
    rules: TierRules,
    place: str | None,
) -> Verdict:
    """A rule lets one understood command pass; whatever is more than that asks."""
    why = why_it_always_asks(arguments, place)
    ruled = _by_tool_rule(spec, exact_key, said, rules) or _by_app_rule(spec, rules)
    if ruled is not None and not (why and ruled.tier < RiskTier.ALWAYS_ASK):
        return ruled
    if why:
        return Verdict(RiskTier.ALWAYS_ASK, Rule.APP_DEFAULT, f"{spec.app} always asks: it {why}")
    return Verdict(RiskTier.ASK_ONCE, Rule.APP_DEFAULT, "every new command asks")


def _by_tool_rule(
    spec: ToolSpec, exact_key: str, said: Reading, rules: TierRules
) -> Verdict | None:
    whole_key = tool_key(spec.server, rule_name(spec))
    if any(_is_outdated(spec, key, rules) for key in (exact_key, whole_key)):
        return _text_changed(spec, said)
    if exact_key in rules.tools:
        return _ruled(rules.tools[exact_key], Rule.TOOL_RULE, "your rule for this tool")
    if whole_key not in rules.tools:
        return None
    tier = rules.tools[whole_key]
    # A rule for a whole tool was made looking at its name. An act that only the
    # arguments choose ({"method": "delete"}) needs a rule that names it.
    if tier < RiskTier.ALWAYS_ASK and said.tier is RiskTier.ALWAYS_ASK:
        return None
    return _ruled(tier, Rule.TOOL_RULE, "your rule for this tool")


def _by_app_rule(spec: ToolSpec, rules: TierRules) -> Verdict | None:
    if spec.app not in rules.apps:
        return None
    return _ruled(rules.apps[spec.app], Rule.APP_RULE, f"your rule for {spec.app}")


def _text_changed(spec: ToolSpec, said: Reading) -> Verdict:
    tier = max(_by_default_or_heuristic(spec, said).tier, RiskTier.ASK_ONCE)
    reason = "its description changed since you allowed it"
    return Verdict(tier, Rule.TEXT_CHANGED, reason)


def _ruled(tier: RiskTier, rule: Rule, reason: str) -> Verdict:
    """A rule can't deny: only the blocklist does."""
    return Verdict(min(tier, RiskTier.ALWAYS_ASK), rule, reason)


def _by_default_or_heuristic(spec: ToolSpec, said: Reading) -> Verdict:
    guess = _heuristic(spec, said)
    locked = LOCKED_APP_DEFAULTS.get(spec.app)
    is_exempt = _is_own(spec) and spec.name in JOB_TOOLS
    if locked is not None and guess.tier is not RiskTier.ALLOW and not is_exempt:
        return Verdict(locked, Rule.APP_DEFAULT, f"{spec.app} always asks")
    return guess


def _heuristic(spec: ToolSpec, said: Reading) -> Verdict:
    """From the words and the hints alone; at most ALWAYS_ASK."""
    named = read_name(spec.name, _prefixes(spec), own=_is_own(spec))
    if max(named.tier, said.tier) > RiskTier.ALLOW:
        if said.tier > named.tier:
            return _guess(said.tier, f"the arguments say {said.word}")
        return _guess(named.tier, f"the name says {named.word}")
    if spec.read_only_hint is False or (_is_own(spec) and spec.effect is Effect.CHANGES):
        return _guess(RiskTier.ASK_ONCE, "it says it can change things")
    if named.odd:
        return _guess(RiskTier.ASK_ONCE, "its name has unusual characters")
    if named.reads or (_is_own(spec) and spec.effect is Effect.READS):
        return _guess(RiskTier.ALLOW, "it only reads")
    if spec.read_only_hint:
        return _guess(RiskTier.ALLOW, "it says it only reads")
    return _guess(RiskTier.ASK_ONCE, "it may change things")


def _guess(tier: RiskTier, reason: str) -> Verdict:
    return Verdict(tier, Rule.HEURISTIC, reason)


def _is_own(spec: ToolSpec) -> bool:
    return spec.server == NATIVE_SERVER


def _prefixes(spec: ToolSpec) -> frozenset[str]:
    """Words that only say where a tool comes from."""
    return frozenset(words_of(spec.app) + words_of(spec.server)) - verbs.READING
