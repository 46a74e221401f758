"""The chain over decisions: what was done to it afterwards shows."""

from __future__ import annotations

import pytest

from ankita.security.decision_chain import GENESIS, ChainRow, chain_hash, verify_chain


def chain(count: int) -> list[ChainRow]:
    rows: list[ChainRow] = []
    for number in range(count):
        record = {"act": f"gmail: send email {number}", "outcome": "allowed"}
        rows.append(ChainRow(record, chain_hash(rows[-1].hash if rows else GENESIS, record)))
    return rows


@pytest.mark.spec("APR-10")
def test_an_untouched_chain_holds() -> None:
    rows = chain(5)
    assert verify_chain(rows) is None
    assert verify_chain(rows, head=rows[-1].hash) is None
    assert verify_chain([]) is None
    assert verify_chain(rows[2:], start=rows[1].hash) is None


@pytest.mark.spec("APR-10")
def test_an_edit_a_gap_a_swap_and_a_cut_show_where_they_are() -> None:
    rows = chain(5)
    edited = [*rows]
    edited[2] = ChainRow({"act": "nothing"}, rows[2].hash)
    assert verify_chain(edited) == 2
    refitted = [*rows]
    refitted[2] = ChainRow({"act": "nothing"}, chain_hash(rows[1].hash, {"act": "nothing"}))
    assert verify_chain(refitted) == 3
    assert verify_chain([*rows[:2], *rows[3:]]) == 2
    assert verify_chain([rows[1], rows[0], *rows[2:]]) == 0
    assert verify_chain(rows[:3], head=rows[-1].hash) == 3
    assert verify_chain([ChainRow({"n": float("nan")}, "x")]) == 0
