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
RULES = TierRules(tools={grant_key(RUN, {"command": "du -sh"}, PLACE): RiskTier.ALLOW})

PLAIN_POSIX = [
    "du -sh",
    "wc -l notes.txt",
    "ls -la src/ankita",
    "wc -l 'my notes.txt'",
    'cat "my notes.txt"',
    "/usr/bin/du -sh",
    "cat Grüße.txt",
    "uname",
]
POSIX_ALWAYS_ASKS = [
    "du -sh; ls",
    "du -sh && ls",
    "du -sh || ls",
    "du -sh | cat",
    "du -sh |& cat",
    "du -sh &",
    "du -sh & ls",
    "du -sh\nls",
    "du -sh\rls",
    "du -sh;",
    "du -sh > out",
    "du -sh >> out",
    "du -sh 2>&1",
    "du -sh < in",
    "du -sh << END\nls\nEND",
    "du -sh <<< ls",
    "du -sh $(ls)",
    "du -sh `ls`",
    "du -sh <(ls)",
    "du -sh $HOME",
    "du -sh ${HOME}",
    "du -sh $((1+1))",
    'du -sh "$(ls)"',
    "du -sh *",
    "du -sh a?c",
    "du -sh [ab]",
    "du -sh {a,b}",
    "du -sh ~",
    "du -sh # ls",
    "du -sh \\\nls",
    "du\\ -sh",
    "GIT_DIR=x du -sh",
    "PATH=.:$PATH du -sh",
    "! du -sh",
    "(du -sh)",
    "{ du -sh; }",
    "if true; then du -sh; fi",
    "for x in a; do du -sh; done",
    "du() { ls; }; du -sh",
    "alias du=ls; du -sh",
    "alias du=ls",
    "time du -sh",
    "command du -sh",
    "builtin echo x",
    "exec du -sh",
    "eval du -sh",
    "source du -sh",
    ". du -sh",
    "env du -sh",
    "xargs du -sh",
    "sudo du -sh",
    "nohup du -sh",
    "timeout 5 du -sh",
    "sh -c 'du -sh'",
    "/bin/bash -c 'du -sh'",
    "python3.12 -c 'print(1)'",
    "node -e 1",
    "awk 'BEGIN { system(1) }'",
    "find . -exec ls",
    "find . -delete",
    "git -c alias.status=!ls status",
    "git status",
    "git st",
    "git grep -O x",
    "git push",
    "git log --output=x",
    "git diff --ext-d",
    "tar --to-command=ls -xf a.tar",
    "./du -sh",
    "scripts/du -sh",
    "/home/bo/project/du -sh",
    "/usr/../tmp/du -sh",
    "'du' -sh",
    "g''it status",
    "ssh host du -sh",
    "curl https://example.org",
    "npm test",
    "make",
    "rm build",
    "du -sh $'a'",
    'du -sh $"a"',
    "du -sh 'a",
    "du -sh 'a'\\''b'",
    "du -sh \u202egpj",
    "du -sh\u200b",
    "du -sh \U000e0041",
    "du\u00a0-sh",
    "du -sh\x00",
    "du -sh" + " " * 500 + "x",
    "du -sh\tx",
    "du -sh \ud800",
    "",
    "   ",
    "[ -f x ]",
    "[[ -f x ]]",
    "coproc ls",
    "set -x",
    "trap ls EXIT",
    "/usr/lib64/ld-linux-x86-64.so.2 ./tool",
    "/usr/lib/ld-musl-x86_64.so.1 ./tool",
    "setarch x86_64 ./tool",
    "linux64 ./tool",
    "sg users ./tool",
    "prlimit ./tool",
    "choom -- ./tool",
    "chronic ./tool",
    "mpirun ./tool",
    "xterm -e ./tool",
    "gcc -wrapper ./tool a.c",
    "zip -TT ./tool a b",
    "tar -I ./tool -xf a.tar",
    "python3-dbg tool.py",
    "perl5.34-x86_64-linux-gnu tool.pl",
    "mypy src",
    "pylint src",
    "sphinx-build docs out",
    "pdflatex thesis.tex",
    "coverage report",
]
PLAIN_POWERSHELL = [
    "du -sh",
    "du.exe -sh --short",
    "Get-ChildItem -Path src -Recurse",
    "Get-Content -Path:notes.txt",
    "Get-Content 'my notes.txt'",
    "Get-Date",
]
POWERSHELL_ALWAYS_ASKS = [
    "du -sh; Get-Date",
    "du -sh | Out-File x",
    "du -sh && Get-Date",
    "du -sh || Get-Date",
    "du -sh\nGet-Date",
    "du -sh &",
    "du -sh > x",
    "du -sh 2>&1",
    "du -sh $(Get-Date)",
    "du -sh @(1)",
    "du -sh @args",
    "du -sh $env:PATH",
    'du -sh "$x"',
    "du -sh { Get-Date }",
    "du -sh (Get-Date)",
    "du -sh `",
    "du` -sh",
    "du -sh `n",
    "du --% -sh",
    "du -sh # x",
    "du -sh a,b",
    "& du -sh",
    "& 'du' -sh",
    ". du -sh",
    "'du' -sh",
    "$x = du -sh",
    "iex 'du -sh'",
    "Invoke-Expression 'du -sh'",
    "Invoke-Command -ScriptBlock x",
    "Start-Process du",
    "powershell -EncodedCommand AAAA",
    "pwsh -c du",
    "cmd /c du",
    "rm x",
    "ls",
    "cat x",
    "Remove-Item x",
    "Set-Alias du ls",
    "ForEach-Object x",
    "% x",
    "? x",
    "function du { }",
    "du -sh ‘x’",
    "du -sh ‘x’; Get-Date ‘y’",
    "du -sh “x”",
    "du -sh 'x’ ; Get-Date ‘y'",
    "du -sh –x",
    "[Console]::Beep()",
    "1 + 1",
    ".\\du -sh",
    "Microsoft.PowerShell.Core\\Get-Date",
    "du -sh 'a\\'",
    "du -sh ''",
    "if (1) { du -sh }",
    "du -sh\u200b",
    "du -sh\u2028Get-Date",
    "npm test",
    "Receive-Job 1",
    "Show-Command x",
    "Stop-Process -Id 1",
    "Restart-Computer",
    "Copy-Item a b",
    "Tee-Object x",
    "Install-Module x",
    "Update-TypeData x",
    "explorer x",
    "mmc x",
    "wt x",
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
def test_a_rule_for_one_command_lets_nothing_else_pass(
    shell: Shell, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_home(shell, monkeypatch)
    key = grant_key(RUN, {"command": "du -sh"}, PLACE)
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
        {"command": "du -sh"},
        {"command": " du -sh ", "timeout_seconds": 5},
        {"command": "du -sh", "background": False, "folder": "."},
    ):
        verdict = decide(RUN, arguments, RULES, PLACE)
        assert (verdict.tier, verdict.rule) == (RiskTier.ALLOW, Rule.TOOL_RULE)


@pytest.mark.parametrize(
    "change",
    [
        {"command": "du -sh -s"},
        {"command": "du  -sh"},
        {"command": "du -sk"},
        {"command": "DU -sh"},
    ],
)
def test_another_plain_command_asks_for_itself(change: dict[str, str]) -> None:
    assert decide(RUN, change, RULES, PLACE).tier is RiskTier.ASK_ONCE


def test_another_folder_another_shell_and_the_background_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command = {"command": "du -sh"}
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
        assert decide(RUN, {"command": "du -sh"}, rules, PLACE).tier is RiskTier.ALLOW
        always = decide(RUN, {"command": "du -sh; ls"}, rules, PLACE)
        assert always.tier is RiskTier.ALWAYS_ASK
    strict = TierRules(apps={"shell": RiskTier.ALWAYS_ASK})
    assert decide(RUN, {"command": "du -sh"}, strict, PLACE).tier is RiskTier.ALWAYS_ASK


def test_the_card_takes_a_chain_apart_below_its_whole_text() -> None:
    text = "du -sh && rm -rf build"
    act = describe(RUN, {"command": text, "folder": "."})
    assert act.fields == (
        ("command", text),
        ("one after the other", "1. du -sh\n2. rm -rf build"),
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
        assert not read_command("du -sh", Shell.POSIX).may_be_remembered
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
