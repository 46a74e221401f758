"""Whose listener it is, from the kernel's tables."""

from __future__ import annotations

import os
import socket
import sys

import pytest

from ankita.integrations.models.listener_owner import (
    Listener,
    Owner,
    judge,
    listeners,
    listening_uid,
)

pytestmark = pytest.mark.spec("PRV-2")

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout"
ANY6, MAPPED = "0" * 32, "0000000000000000FFFF00000100007F"
LOCAL6 = "00000000000000000000000001000000"


def row(address: str, port: int, uid: int, state: str = "0A") -> str:
    remote = "0" * (len(address)) + ":0000"
    return f" 0: {address}:{port:04X} {remote} {state} 00000000:00000000 00:00000000 0 {uid} 0 1"


def table(*rows: str) -> str:
    return "\n".join([HEAD, *rows])


@pytest.mark.parametrize("address", ["0100007F", "00000000", ANY6, MAPPED])
def test_each_form_of_the_address_counts(address: str) -> None:
    assert listening_uid([table(row(address, 8080, 1001))], 8080) == 1001


def test_other_addresses_ports_and_states_do_not_count() -> None:
    rows = [
        row("0101A8C0", 8080, 1),
        row(LOCAL6, 8080, 2),
        row("0100007F", 8081, 3),
        row("0100007F", 8080, 4, state="01"),
        "broken",
        "",
    ]
    assert listening_uid([table(*rows)], 8080) is None


def test_the_very_address_goes_before_all_addresses() -> None:
    four = table(row("00000000", 8080, 1), row("0100007F", 8080, 2))
    assert listening_uid([four, table(row(ANY6, 8080, 3))], 8080) == 2


def test_accounts_are_told_apart() -> None:
    assert judge(1000, 1000, "me") == Listener(Owner.OURS)
    assert judge(0, 0, "root") == Listener(Owner.OURS)
    assert judge(0, 1000, "root") == Listener(Owner.SYSTEM, "root")
    assert judge(998, 1000, "ollama") == Listener(Owner.SYSTEM, "ollama")
    assert judge(1001, 1000, "eve") == Listener(Owner.STRANGER, "eve")
    assert judge(65534, 1000, "nobody") == Listener(Owner.STRANGER, "nobody")


@pytest.mark.skipif(sys.platform != "linux", reason="reads the tables of Linux")
def test_a_real_listener_of_ours_is_ours() -> None:
    assert os.getuid() >= 0
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert listeners([port]) == {port: Listener(Owner.OURS)}
    assert listeners([]) == {}
