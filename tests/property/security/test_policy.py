"""The verdict over arbitrary names, arguments and hints."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankita.messages import Effect, Phase, ToolSpec
from ankita.security import verbs
from ankita.security.acts import act_digest, describe, tool_key
from ankita.security.policy import Rule, TierRules, decide
from ankita.security.tiers import RiskTier

WORDS = st.sampled_from(sorted(verbs.CHANGING | verbs.READING | set(verbs.DESTRUCTIVE)))
SNAKE = st.lists(WORDS, min_size=1, max_size=4).map("_".join)
CAMEL = st.lists(WORDS, min_size=1, max_size=4).map(lambda w: "".join(x.title() for x in w))
NAMES = st.one_of(SNAKE, CAMEL, SNAKE.map(str.upper), st.text(max_size=40))
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), WORDS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.text(max_size=10), SNAKE), inner, max_size=3),
    ),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(
    st.one_of(st.sampled_from(["action", "method", "sql", "query"]), SNAKE, st.text(max_size=8)),
    JSON,
    max_size=4,
)
SPECS = st.builds(
    ToolSpec,
    name=NAMES,
    description=st.just(""),
    parameters=st.just({}),
    effect=st.sampled_from(Effect),
    app=st.one_of(st.sampled_from(["shell", "files", "gmail"]), st.text(max_size=8)),
    phase=st.just(Phase.ACTING),
    server=st.one_of(st.just("native"), st.text(max_size=8)),
    read_only_hint=st.sampled_from([None, True, False]),
)
TIERS = st.sampled_from(RiskTier)


@pytest.mark.spec("APR-3")
@settings(deadline=None)
@given(SPECS, ARGUMENTS)
def test_without_a_blocklist_nothing_is_ever_denied(
    spec: ToolSpec, arguments: dict[str, Any]
) -> None:
    verdict = decide(spec, arguments, TierRules())
    assert verdict.tier is not RiskTier.DENY
    assert verdict.reason


@pytest.mark.spec("APR-3")
@settings(deadline=None)
@given(SPECS, ARGUMENTS, TIERS, TIERS)
def test_no_rule_denies_whatever_it_holds(
    spec: ToolSpec, arguments: dict[str, Any], of_tool: RiskTier, of_app: RiskTier
) -> None:
    rules = TierRules(tools={tool_key(spec.server, spec.name): of_tool}, apps={spec.app: of_app})
    assert decide(spec, arguments, rules).tier is not RiskTier.DENY


@pytest.mark.spec("APR-2")
@settings(deadline=None)
@given(SPECS, ARGUMENTS, TIERS, st.text(max_size=5))
def test_the_blocklist_denies_whatever_else_holds(
    spec: ToolSpec, arguments: dict[str, Any], tier: RiskTier, closed: str
) -> None:
    key = tool_key(spec.server, spec.name)
    verdict = decide(
        spec, arguments, TierRules(frozenset({key}), {key: tier}, {spec.app: tier}, closed)
    )
    assert (verdict.tier, verdict.rule) == (RiskTier.DENY, Rule.BLOCKLIST)


@pytest.mark.spec("APR-4")
@settings(deadline=None)
@given(SPECS, ARGUMENTS)
def test_a_destructive_verb_in_the_name_always_asks(
    spec: ToolSpec, arguments: dict[str, Any]
) -> None:
    for verb in verbs.DESTRUCTIVE:
        named = dataclasses.replace(spec, name=f"{spec.name}{verb}", app="x")
        assert decide(named, arguments, TierRules()).tier is RiskTier.ALWAYS_ASK


@pytest.mark.spec("APR-4")
@settings(deadline=None)
@given(SPECS, ARGUMENTS)
def test_a_hint_never_lowers_what_words_say(spec: ToolSpec, arguments: dict[str, Any]) -> None:
    def tier(hint: bool | None) -> RiskTier:
        return decide(dataclasses.replace(spec, read_only_hint=hint), arguments, TierRules()).tier

    assert tier(False) >= tier(None) >= tier(True)
    if tier(True) is RiskTier.ALLOW:
        assert tier(False) is RiskTier.ASK_ONCE or spec.app == "shell"
    else:
        assert tier(True) == tier(None), "a hint that frees nothing changes nothing"


@pytest.mark.spec("APR-13")
@settings(deadline=None)
@given(SPECS, ARGUMENTS, TIERS)
def test_a_closed_gate_lets_nothing_through(
    spec: ToolSpec, arguments: dict[str, Any], tier: RiskTier
) -> None:
    rules = TierRules(
        tools={tool_key(spec.server, spec.name): tier}, apps={spec.app: tier}, closed_reason="shut"
    )
    assert decide(spec, arguments, rules).tier is RiskTier.ALWAYS_ASK


FINITE = ARGUMENTS.filter(lambda value: "nan" not in repr(value) and "inf" not in repr(value))


@pytest.mark.spec("APR-21")
@settings(deadline=None)
@given(SPECS, FINITE, FINITE)
def test_two_different_acts_have_different_digests(
    spec: ToolSpec, one: dict[str, Any], other: dict[str, Any]
) -> None:
    is_same = _typed(one) == _typed(other)
    assert (act_digest(spec, one) == act_digest(spec, other)) is is_same


def _typed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return type(value), repr(value)


@pytest.mark.spec("APR-6")
@settings(deadline=None)
@given(SPECS, ARGUMENTS)
def test_every_call_can_be_described_in_one_line_and_without_losing_an_argument(
    spec: ToolSpec, arguments: dict[str, Any]
) -> None:
    act = describe(spec, arguments)
    assert "\n" not in act.title()
    assert len(act.fields) >= len(arguments)
    assert all("\n" not in label for label, _ in act.fields)
