"""Command lines made of anything: a yes to one covers no other."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ankita.messages import Effect, Phase, ToolSpec
from ankita.security.acts import grant_key
from ankita.security.command_line import Shell, read_command
from ankita.security.policy import TierRules, decide
from ankita.security.tiers import RiskTier

pytestmark = pytest.mark.spec("APR-19")

RUN = ToolSpec("run_command", "", {}, Effect.CHANGES, "shell", Phase.ACTING)
PLACE = "/home/bo/project"
COMMAND = "du -sh"
RULES = TierRules(tools={grant_key(RUN, {"command": COMMAND}, PLACE): RiskTier.ALLOW})
SIGNS = st.one_of(
    st.sampled_from(";|&<>$`\\\"'(){}[]*?~#!=%@^,:+-_./ \t\n\r"),
    st.sampled_from(["&&", "||", "$(", "ls", "rm", "du", "-sh", " ", "‘", "é", "\x00", "a"]),
)
ADDED = st.one_of(st.text(min_size=1, max_size=20), st.lists(SIGNS, max_size=12).map("".join))
LINES = st.one_of(st.text(max_size=30), st.lists(SIGNS, max_size=15).map("".join))


@settings(deadline=None)
@given(before=ADDED, after=ADDED)
def test_anything_added_to_a_permitted_command_asks(before: str, after: str) -> None:
    assert decide(RUN, {"command": COMMAND}, RULES, PLACE).tier is RiskTier.ALLOW
    for text in (f"{COMMAND}{after}", f"{before}{COMMAND}", f"{before}{COMMAND}{after}"):
        if text.strip(" ") != COMMAND:
            assert decide(RUN, {"command": text}, RULES, PLACE).tier >= RiskTier.ASK_ONCE


@settings(deadline=None)
@given(LINES, LINES, st.sampled_from([PLACE, "/other"]))
def test_two_lines_share_a_permission_only_when_they_are_one(
    one: str, other: str, place: str
) -> None:
    same = one.strip(" ") == other.strip(" ") and place == PLACE
    shares = grant_key(RUN, {"command": one}, PLACE) == grant_key(RUN, {"command": other}, place)
    if shares and one != other:
        assert same
    if read_command(one, Shell.POSIX).may_be_remembered and same and sys.platform != "win32":
        assert shares


@settings(deadline=None)
@given(LINES, st.sampled_from(Shell))
def test_every_line_gets_a_reading_and_a_reason_where_it_always_asks(
    text: str, shell: Shell
) -> None:
    reading = read_command(text, shell)
    assert reading.may_be_remembered == (not reading.why)
    if reading.may_be_remembered:
        assert len(reading.parts) == 1
        assert reading.parts[0].words[0]


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs /bin/sh")
@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.one_of(
            st.text("abcXYZ019_@%+=:,./-é", min_size=1, max_size=6),
            st.text('ab ;|&$`*?~#(){}<>\\"', max_size=6).map(lambda t: f"'{t}'"),
            st.text("ab ;|&*?~#(){}<>'", max_size=6).map(lambda t: f'"{t}"'),
        ),
        max_size=4,
    )
)
def test_the_words_are_those_that_the_shell_itself_passes_on(arguments: list[str]) -> None:
    text = " ".join(["printf", "'%s\\0'", "x", *arguments])
    reading = read_command(text, Shell.POSIX)
    if not reading.parts:
        return
    ran = subprocess.run(["/bin/sh", "-c", text], capture_output=True, check=True, timeout=20)
    assert ran.stdout.decode().split("\0")[:-1] == list(reading.parts[0].words[2:])
