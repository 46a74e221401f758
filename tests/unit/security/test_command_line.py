"""Which command lines may be remembered, and which always ask."""

from __future__ import annotations

import sys

import pytest

from ankita.messages import Effect, Phase, ToolSpec
from ankita.security.acts import describe, grant_key
from ankita.security.command_line import Shell, read_command, this_shell
from ankita.security.command_line_parts import gaps_hold_only
from ankita.security.policy import Rule, TierRules, decide
from ankita.security.tiers import RiskTier

pytestmark = pytest.mark.spec("APR-19")

RUN = ToolSpec(
    "run_command", "", {}, Effect.CHANGES, "shell", Phase.ACTING, key_arguments=("command",)
)
PLACE = "/home/bo/project"
RULES = TierRules(tools={grant_key(RUN, {"command": "git status"}, PLACE): RiskTier.ALLOW})

PLAIN_POSIX = [
    "git status",
    "git log -n 5 --oneline",
    "ls -la src/ankita",
    "wc -l 'my notes.txt'",
    'cat "my notes.txt"',
    "/usr/bin/git diff HEAD~1".replace("~1", ""),
    "cat Grüße.txt",
    "uname",
]
POSIX_ALWAYS_ASKS = [
    "git status; ls",
    "git status && ls",
    "git status || ls",
    "git status | cat",
    "git status |& cat",
    "git status &",
    "git status & ls",
    "git status\nls",
    "git status\rls",
    "git status;",
    "git status > out",
    "git status >> out",
    "git status 2>&1",
    "git status < in",
    "git status << END\nls\nEND",
    "git status <<< ls",
    "git status $(ls)",
    "git status `ls`",
    "git status <(ls)",
    "git status $HOME",
    "git status ${HOME}",
    "git status $((1+1))",
    'git status "$(ls)"',
    "git status *",
    "git status a?c",
    "git status [ab]",
    "git status {a,b}",
    "git status ~",
    "git status # ls",
    "git status \\\nls",
    "git\\ status",
    "GIT_DIR=x git status",
    "PATH=.:$PATH git status",
    "! git status",
    "(git status)",
    "{ git status; }",
    "if true; then git status; fi",
    "for x in a; do git status; done",
    "git() { ls; }; git status",
    "alias git=ls; git status",
    "alias git=ls",
    "time git status",
    "command git status",
    "builtin echo x",
    "exec git status",
    "eval git status",
    "source git status",
    ". git status",
    "env git status",
    "xargs git status",
    "sudo git status",
    "nohup git status",
    "timeout 5 git status",
    "sh -c 'git status'",
    "/bin/bash -c 'git status'",
    "python3.12 -c 'print(1)'",
    "node -e 1",
    "awk 'BEGIN { system(1) }'",
    "find . -exec ls",
    "find . -delete",
    "git -c alias.status=!ls status",
    "git st",
    "git grep -O x",
    "git push",
    "git log --output=x",
    "git diff --ext-d",
    "tar --to-command=ls -xf a.tar",
    "./git status",
    "scripts/git status",
    "/home/bo/project/git status",
    "/usr/../tmp/git status",
    "'git' status",
    "g''it status",
    "ssh host git status",
    "curl https://example.org",
    "npm test",
    "make",
    "rm build",
    "git status $'a'",
    'git status $"a"',
    "git status 'a",
    "git status 'a'\\''b'",
    "git status \u202egpj",
    "git status\u200b",
    "git status \U000e0041",
    "git\u00a0status",
    "git status\x00",
    "git status" + " " * 500 + "x",
    "git status\tx",
    "git status \ud800",
    "",
    "   ",
    "[ -f x ]",
    "[[ -f x ]]",
    "coproc ls",
    "set -x",
    "trap ls EXIT",
]
PLAIN_POWERSHELL = [
    "git status",
    "git.exe status --short",
    "Get-ChildItem -Path src -Recurse",
    "Get-Content -Path:notes.txt",
    "Get-Content 'my notes.txt'",
    "Get-Date",
]
POWERSHELL_ALWAYS_ASKS = [
    "git status; Get-Date",
    "git status | Out-File x",
    "git status && Get-Date",
    "git status || Get-Date",
    "git status\nGet-Date",
    "git status &",
    "git status > x",
    "git status 2>&1",
    "git status $(Get-Date)",
    "git status @(1)",
    "git status @args",
    "git status $env:PATH",
    'git status "$x"',
    "git status { Get-Date }",
    "git status (Get-Date)",
    "git status `",
    "git` status",
    "git status `n",
    "git --% status",
    "git status # x",
    "git status a,b",
    "& git status",
    "& 'git' status",
    ". git status",
    "'git' status",
    "$x = git status",
    "iex 'git status'",
    "Invoke-Expression 'git status'",
    "Invoke-Command -ScriptBlock x",
    "Start-Process git",
    "powershell -EncodedCommand AAAA",
    "pwsh -c git",
    "cmd /c git",
    "rm x",
    "ls",
    "cat x",
    "Remove-Item x",
    "Set-Alias git ls",
    "ForEach-Object x",
    "% x",
    "? x",
    "function git { }",
    "git status ‘x’",
    "git status ‘x’; Get-Date ‘y’",
    "git status “x”",
    "git status 'x’ ; Get-Date ‘y'",
    "git status –x",
    "[Console]::Beep()",
    "1 + 1",
    ".\\git status",
    "Microsoft.PowerShell.Core\\Get-Date",
    "git status 'a\\'",
    "git status ''",
    "if (1) { git status }",
    "git status\u200b",
    "git status\u2028Get-Date",
    "npm test",
    "",
]


@pytest.mark.parametrize("text", PLAIN_POSIX)
def test_one_plain_command_may_be_remembered(text: str) -> None:
    reading = read_command(text, Shell.POSIX)
    assert reading.may_be_remembered, reading.why
    assert reading.parts[0].text == text


@pytest.mark.parametrize("text", PLAIN_POWERSHELL)
def test_one_plain_powershell_command_may_be_remembered(text: str) -> None:
    reading = read_command(text, Shell.POWERSHELL)
    assert reading.may_be_remembered, reading.why


@pytest.mark.parametrize("text", POSIX_ALWAYS_ASKS)
def test_anything_more_than_one_plain_command_always_asks(text: str) -> None:
    reading = read_command(text, Shell.POSIX)
    assert not reading.may_be_remembered
    assert reading.why


@pytest.mark.parametrize("text", POWERSHELL_ALWAYS_ASKS)
def test_anything_more_than_one_plain_powershell_command_always_asks(text: str) -> None:
    reading = read_command(text, Shell.POWERSHELL)
    assert not reading.may_be_remembered
    assert reading.why


def at_home(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32" if shell is Shell.POWERSHELL else "linux")
    assert this_shell() is shell


@pytest.mark.parametrize(
    ("shell", "text"),
    [(Shell.POSIX, text) for text in POSIX_ALWAYS_ASKS]
    + [(Shell.POWERSHELL, text) for text in POWERSHELL_ALWAYS_ASKS],
)
def test_a_rule_for_git_status_lets_nothing_else_pass(
    shell: Shell, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_home(shell, monkeypatch)
    key = grant_key(RUN, {"command": "git status"}, PLACE)
    rules = TierRules(tools={key: RiskTier.ALLOW})
    verdict = decide(RUN, {"command": text}, rules, PLACE)
    assert verdict.tier is RiskTier.ALWAYS_ASK
    assert verdict.reason.startswith("shell always asks: it ")
    # Not even a rule that somebody wrote into the file for it.
    written = TierRules(
        tools={grant_key(RUN, {"command": text}, PLACE): RiskTier.ALLOW},
        apps={"shell": RiskTier.ALLOW},
    )
    assert decide(RUN, {"command": text}, written, PLACE).tier is RiskTier.ALWAYS_ASK


def test_the_permitted_command_runs_without_asking_and_names_its_rule() -> None:
    for arguments in (
        {"command": "git status"},
        {"command": " git status ", "timeout_seconds": 5},
        {"command": "git status", "background": False, "folder": "."},
    ):
        verdict = decide(RUN, arguments, RULES, PLACE)
        assert (verdict.tier, verdict.rule) == (RiskTier.ALLOW, Rule.TOOL_RULE)


@pytest.mark.parametrize(
    "change",
    [
        {"command": "git status -s"},
        {"command": "git  status"},
        {"command": "git log"},
        {"command": "Git status"},
    ],
)
def test_another_plain_command_asks_for_itself(change: dict[str, str]) -> None:
    assert decide(RUN, change, RULES, PLACE).tier is RiskTier.ASK_ONCE


def test_another_folder_another_shell_and_the_background_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = {"command": "git status"}
    assert decide(RUN, command, RULES, f"{PLACE}/x").tier is RiskTier.ASK_ONCE
    assert decide(RUN, command, RULES, None).tier is RiskTier.ALWAYS_ASK
    hidden = decide(RUN, {**command, "background": True}, RULES, PLACE)
    assert hidden.tier is RiskTier.ALWAYS_ASK
    odd = decide(RUN, {**command, "env": {"PATH": "."}}, RULES, PLACE)
    assert odd.tier is RiskTier.ALWAYS_ASK
    at_home(Shell.POWERSHELL, monkeypatch)
    assert decide(RUN, command, RULES, PLACE).tier is not RiskTier.ALLOW


def test_a_broad_rule_of_the_user_covers_only_plain_commands() -> None:
    for rules in (
        TierRules(apps={"shell": RiskTier.ALLOW}),
        TierRules(tools={"native:run_command": RiskTier.ALLOW}),
    ):
        assert decide(RUN, {"command": "git status"}, rules, PLACE).tier is RiskTier.ALLOW
        always = decide(RUN, {"command": "git status; ls"}, rules, PLACE)
        assert always.tier is RiskTier.ALWAYS_ASK
    strict = TierRules(apps={"shell": RiskTier.ALWAYS_ASK})
    assert decide(RUN, {"command": "git status"}, strict, PLACE).tier is RiskTier.ALWAYS_ASK


def test_the_card_takes_a_chain_apart_below_its_whole_text() -> None:
    text = "git status && rm -rf build"
    act = describe(RUN, {"command": text, "folder": "."})
    assert act.fields == (
        ("command", text),
        ("one after the other", "1. git status\n2. rm -rf build"),
        ("always asks", "it holds 2 commands"),
        ("folder", "."),
    )


def test_the_card_says_why_a_line_that_is_not_understood_always_asks() -> None:
    act = describe(RUN, {"command": "ls $(rm x)"})
    assert act.fields == (
        ("command", "ls $(rm x)"),
        ("always asks", "it puts the output of a command into itself"),
    )
    assert describe(RUN, {"command": "ls"}).fields == (("command", "ls"),)


def test_a_grammar_that_is_missing_makes_every_command_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read_command.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_bash", None)
    try:
        assert not read_command("git status", Shell.POSIX).may_be_remembered
    finally:
        read_command.cache_clear()


@pytest.mark.parametrize("unit", ["(", "a && ", "$(", "'", "{", "a ", "if ", "<<a\n", "|", '"$('])
@pytest.mark.parametrize("shell", Shell)
def test_hostile_lines_are_read_in_little_time(unit: str, shell: Shell) -> None:
    import time

    started = time.process_time()
    read_command(unit * (100_000 // len(unit)), shell)
    read_command(unit * (3_900 // len(unit)), shell)
    assert time.process_time() - started < 5.0


@pytest.mark.parametrize(
    ("text", "pieces", "holds"),
    [
        ("ab  cd", [(0, 2), (4, 6)], True),
        ("ab; cd", [(0, 2), (4, 6)], True),
        ("ab ~ cd", [(0, 2), (5, 7)], False),
        ("ab\tcd", [(0, 2), (3, 5)], False),
        ("ab cd;;", [(0, 2), (3, 5)], False),
        ("xab", [(1, 3)], False),
        ("é ab", [(0, 2), (3, 5)], True),
    ],
)
def test_a_character_that_a_grammar_passed_over_is_noticed(
    text: str, pieces: list[tuple[int, int]], holds: bool
) -> None:
    assert gaps_hold_only(text, pieces, {";"}) is holds
