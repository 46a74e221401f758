"""The names that a model is told: valid, different, the same after a restart (TOL-6)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.engine.tool_names import Tool, offered_names

pytestmark = pytest.mark.spec("TOL-6")

VALID = re.compile(r"[a-zA-Z0-9_-]{1,64}")

NAMES = st.one_of(
    st.text(max_size=90),
    st.sampled_from(["read_file", "READ_FILE", "a.b", "a-b", "a b", "é", "🙂", "x" * 70, "x" * 71]),
    st.builds(lambda n: "same_beginning_of_a_long_name_" * 3 + str(n), st.integers(0, 9)),
)
TOOLS = st.lists(
    st.tuples(st.sampled_from(["native", "a", "a_b", "mail.one", "Ünal"]), NAMES),
    unique=True,
    max_size=40,
)


@given(TOOLS)
def test_every_name_fits_and_no_two_are_the_same(tools: list[Tool]) -> None:
    names = offered_names(tools)
    assert set(names) == set(tools)
    assert all(VALID.fullmatch(name) for name in names.values())
    # Some servers ignore case, so names that differ by it alone would be one.
    assert len({name.casefold() for name in names.values()}) == len(tools)
    assert names == offered_names(tools)


@given(TOOLS, st.randoms(use_true_random=False))
def test_the_order_of_tools_changes_no_name(tools: list[Tool], random: object) -> None:
    other = list(tools)
    random.shuffle(other)  # type: ignore[attr-defined]
    assert offered_names(other) == offered_names(tools)


def test_a_name_that_fits_and_is_the_only_one_stays_as_it_is() -> None:
    tools = [("native", "read_file"), ("gmail", "send_email"), ("gmail", "GMAIL_SEND")]
    assert list(offered_names(tools).values()) == ["read_file", "send_email", "GMAIL_SEND"]


def test_a_server_can_not_take_the_name_of_a_tool_of_our_own() -> None:
    names = offered_names([("evil", "Read_File"), ("native", "read_file")])
    assert names[("native", "read_file")] == "read_file"
    assert names[("evil", "Read_File")].startswith("evil_Read_File_")


def test_the_same_name_on_two_servers_is_told_apart_by_the_server() -> None:
    names = offered_names([("work", "send"), ("home", "send")])
    assert [name.split("_")[0] for name in names.values()] == ["work", "home"]


def test_five_hundred_long_names_with_one_beginning_stay_apart() -> None:
    tools = [("server", "create_or_delete_" * 5 + str(number)) for number in range(500)]
    assert len(set(offered_names(tools).values())) == 500
