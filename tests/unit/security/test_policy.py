"""The verdict on one call: which rule answers, and what it says."""

from __future__ import annotations

import time
from typing import Any

import pytest

from ankita.messages import Effect, Phase, ToolSpec
from ankita.security.acts import grant_key, rule_name, tool_key
from ankita.security.policy import Rule, TierRules, decide
from ankita.security.tiers import RiskTier

NO_RULES = TierRules()


def tool(
    name: str,
    *,
    server: str = "mail-server",
    app: str = "gmail",
    hint: bool | None = None,
    effect: Effect = Effect.CHANGES,
) -> ToolSpec:
    return ToolSpec(name, "", {}, effect, app, Phase.ACTING, server=server, read_only_hint=hint)


def own(name: str, app: str, effect: Effect) -> ToolSpec:
    return tool(name, server="native", app=app, effect=effect, hint=effect is Effect.READS)


def tier(name: str, arguments: dict[str, Any] | None = None, hint: bool | None = None) -> RiskTier:
    return decide(tool(name, hint=hint), arguments or {}, NO_RULES).tier


@pytest.mark.spec("APR-2")
def test_the_first_rule_that_answers_wins_and_is_named() -> None:
    spec = tool("delete_mail", app="shell")
    key = tool_key(spec.server, spec.name)
    everything = TierRules(frozenset({key}), {key: RiskTier.ALLOW}, {"shell": RiskTier.ASK_ONCE})

    verdict = decide(spec, {}, everything)
    assert (verdict.tier, verdict.rule) == (RiskTier.DENY, Rule.BLOCKLIST)

    verdict = decide(spec, {}, TierRules(tools=everything.tools, apps=everything.apps))
    assert (verdict.tier, verdict.rule) == (RiskTier.ALLOW, Rule.TOOL_RULE)

    verdict = decide(spec, {}, TierRules(apps=everything.apps))
    assert (verdict.tier, verdict.rule) == (RiskTier.ASK_ONCE, Rule.APP_RULE)
    assert verdict.reason == "your rule for shell"

    verdict = decide(spec, {}, NO_RULES)
    assert (verdict.tier, verdict.rule) == (RiskTier.ALWAYS_ASK, Rule.APP_DEFAULT)
    assert verdict.reason == "shell always asks"

    verdict = decide(tool("delete_mail"), {}, NO_RULES)
    assert (verdict.tier, verdict.rule) == (RiskTier.ALWAYS_ASK, Rule.HEURISTIC)
    assert verdict.reason == "the name says delete"


@pytest.mark.spec("APR-3")
@pytest.mark.parametrize("where", ["tools", "apps"])
def test_a_rule_that_says_deny_asks_instead(where: str) -> None:
    spec = tool("get_mail")
    key = tool_key(spec.server, spec.name) if where == "tools" else "gmail"
    assert decide(spec, {}, TierRules(**{where: {key: RiskTier.DENY}})).tier is RiskTier.ALWAYS_ASK


@pytest.mark.spec("APR-13")
def test_a_closed_gate_asks_for_everything_and_still_denies_what_is_blocked() -> None:
    blocked, read = tool("get_bin"), tool("get_mail")
    rules = TierRules(
        blocklist=frozenset({tool_key(blocked.server, "get_bin")}),
        tools={tool_key(read.server, "get_mail"): RiskTier.ALLOW},
        closed_reason="your rules file is damaged",
    )
    assert decide(blocked, {}, rules).tier is RiskTier.DENY
    verdict = decide(read, {}, rules)
    assert (verdict.tier, verdict.rule) == (RiskTier.ALWAYS_ASK, Rule.GATE_CLOSED)
    assert verdict.reason == "your rules file is damaged"


@pytest.mark.spec("APR-1")
def test_a_block_on_one_server_does_not_reach_a_tool_of_the_same_name_elsewhere() -> None:
    rules = TierRules(frozenset({tool_key("a:b", "c")}))
    assert decide(tool("c", server="a:b"), {}, rules).tier is RiskTier.DENY
    assert decide(tool("b:c", server="a"), {}, rules).tier is not RiskTier.DENY


@pytest.mark.spec("APR-4")
@pytest.mark.parametrize(
    "name",
    ["get_mail", "list-events", "searchMessages", "GMAIL_FETCH_EMAILS", "readFile", "find_orders",
     "GMAIL_LIST_DRAFTS", "list_pull_requests", "get_workflow_run", "issue_read"],
)  # fmt: skip
def test_a_plain_read_by_name_is_free(name: str) -> None:
    assert tier(name) is RiskTier.ALLOW


@pytest.mark.spec("APR-4")
@pytest.mark.parametrize(
    "name",
    ["sendmail", "bulkDeleteFiles", "UNPUBLISHED_DRAFTS", "prepay", "transfer-repo", "removeUser",
     "destroy_vm", "get_payments", "revoke_token", "deLete_it", "ｄｅｌｅｔｅ_all",
     "de\u200blete_all", "update_event", "TerminalExecute", "createOrder", "cancelorder",
     "post_webpage",
     "get_and_forward_mail", "search_and_replace", "grantAccess", "BinanceWithdraw"],
)  # fmt: skip
@pytest.mark.parametrize("hint", [None, True, False])
def test_a_destructive_word_always_asks_whatever_the_hint(name: str, hint: bool | None) -> None:
    assert tier(name, hint=hint) is RiskTier.ALWAYS_ASK


@pytest.mark.spec("APR-4")
@pytest.mark.parametrize("name", ["communication_email_send", "communication_sms_send"])
def test_a_published_server_that_calls_sending_read_only_is_not_believed(name: str) -> None:
    assert tier(name, hint=True) is RiskTier.ALWAYS_ASK


@pytest.mark.spec("APR-4")
@pytest.mark.parametrize("name", ["create_issue", "addComment", "frobnicate", "upload_file"])
def test_adding_and_the_unknown_ask_once(name: str) -> None:
    assert tier(name) is RiskTier.ASK_ONCE


@pytest.mark.spec("APR-4")
def test_a_hint_frees_a_name_that_says_nothing_and_no_other() -> None:
    assert tier("weather_now", hint=True) is RiskTier.ALLOW
    assert tier("create_issue", hint=True) is RiskTier.ASK_ONCE
    assert tier("get_mail", hint=False) is RiskTier.ASK_ONCE
    assert tier("d\u0435lete_all", hint=True) is RiskTier.ASK_ONCE, "a Cyrillic letter"


@pytest.mark.spec("APR-4")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"method": "delete"}, RiskTier.ALWAYS_ASK),
        ({"request": [{"httpMethod": "POST"}]}, RiskTier.ALWAYS_ASK),
        ({"action": "create"}, RiskTier.ASK_ONCE),
        ({"action": "get"}, RiskTier.ALLOW),
        ({"sql": "SELECT * FROM t"}, RiskTier.ALLOW),
        ({"sql": "select 1; drop table t"}, RiskTier.ALWAYS_ASK),
        ({"query": "WITH x AS (SELECT 1) DELETE FROM t"}, RiskTier.ALWAYS_ASK),
        ({"query": "UPDATE people SET pay = 1"}, RiskTier.ALWAYS_ASK),
        ({"query": "mutation { addStar }"}, RiskTier.ALWAYS_ASK),
        ({"query": "how to delete a file"}, RiskTier.ALLOW),
        ({"send_updates": "all"}, RiskTier.ALWAYS_ASK),
        ({"send_updates": "none", "overwrite": False}, RiskTier.ALLOW),
        ({"overwrite": True}, RiskTier.ALWAYS_ASK),
        ({"transfer_id": "7", "include_deleted": True, "created_at": "x"}, RiskTier.ALLOW),
    ],
)
def test_arguments_that_change_something_raise_a_read(
    arguments: dict[str, Any], expected: RiskTier
) -> None:
    assert tier("query_things", arguments) is expected
    assert tier("query_things", arguments, hint=True) is expected


@pytest.mark.spec("APR-4")
def test_arguments_that_are_not_json_always_ask() -> None:
    loop: dict[str, Any] = {}
    loop["again"] = loop
    allow = TierRules(tools={tool_key("mail-server", "get_mail"): RiskTier.ALLOW})
    for arguments in (loop, {"n": float("nan")}, {1: "x"}, {"x": object()}):
        verdict = decide(tool("get_mail"), arguments, allow)  # type: ignore[arg-type]
        assert (verdict.tier, verdict.rule) == (RiskTier.ALWAYS_ASK, Rule.BAD_ARGUMENTS)


@pytest.mark.parametrize(
    "unit", ["\n", " ", "update ", "update a ", "grant x ", "; ", "create (", "a" * 50 + " set "]
)
def test_hostile_arguments_cost_little_time(unit: str) -> None:
    started = time.process_time()
    tier("query", {"sql": unit * 50_000, unit * 20_000: True})
    assert time.process_time() - started < 5.0


def test_a_rule_for_a_whole_tool_does_not_cover_a_deletion_chosen_by_the_arguments() -> None:
    spec = tool("issue_write")
    whole = TierRules(tools={tool_key(spec.server, rule_name(spec)): RiskTier.ASK_ONCE})
    assert decide(spec, {"method": "create"}, whole).rule is Rule.TOOL_RULE
    assert decide(spec, {"method": "delete"}, whole).tier is RiskTier.ALWAYS_ASK
    exact = TierRules(tools={grant_key(spec, {"method": "delete"}): RiskTier.ASK_ONCE})
    assert decide(spec, {"method": "delete"}, exact).rule is Rule.TOOL_RULE


@pytest.mark.parametrize(
    ("name", "app", "effect", "expected"),
    [
        ("read_file", "files", Effect.READS, RiskTier.ALLOW),
        ("list_folder", "files", Effect.READS, RiskTier.ALLOW),
        ("find_files", "files", Effect.READS, RiskTier.ALLOW),
        ("search_files", "files", Effect.READS, RiskTier.ALLOW),
        ("write_file", "files", Effect.CHANGES, RiskTier.ASK_ONCE),
        ("edit_file", "files", Effect.CHANGES, RiskTier.ASK_ONCE),
        ("run_command", "shell", Effect.CHANGES, RiskTier.ALWAYS_ASK),
        ("job_output", "shell", Effect.READS, RiskTier.ALLOW),
        ("job_list", "shell", Effect.READS, RiskTier.ALLOW),
        ("job_stop", "shell", Effect.CHANGES, RiskTier.ASK_ONCE),
    ],
)
def test_the_own_tools_get_their_tiers(
    name: str, app: str, effect: Effect, expected: RiskTier
) -> None:
    arguments = {"path": "a", "command": "ls", "query": "delete from t", "replace_all": True}
    assert decide(own(name, app, effect), arguments, NO_RULES).tier is expected


def test_an_own_tool_is_free_only_while_its_name_agrees() -> None:
    assert decide(own("wipe_notes", "notes", Effect.READS), {}, NO_RULES).tier is (
        RiskTier.ALWAYS_ASK
    )
    assert decide(own("get_notes", "notes", Effect.CHANGES), {}, NO_RULES).tier is (
        RiskTier.ASK_ONCE
    )
