"""Whose program listens at a port of this machine: the user's, the system's or somebody else's.

Any account of a machine may listen at a port that a model server usually has, and
would then read what the user writes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

FIRST_PERSON_UID = 1000
"""Accounts below it belong to the system: no person logs in with them."""

_LISTENING = "0A"
_EXACT = frozenset({"0100007F", "0000000000000000FFFF00000100007F"})
_ANY = frozenset({"00000000", "0" * 32})
_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_MAX_TABLE_BYTES = 8 * 1024 * 1024


class Owner(StrEnum):
    OURS = "ours"
    SYSTEM = "system"
    STRANGER = "stranger"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Listener:
    """Who listens. `account` is its name, where it is not the user's own."""

    owner: Owner
    account: str = ""


UNKNOWN = Listener(Owner.UNKNOWN)


def listeners(ports: Iterable[int]) -> Mapping[int, Listener]:
    """Who listens at these ports of 127.0.0.1; blocks for some milliseconds."""
    wanted = set(ports)
    if not wanted:
        return {}
    if sys.platform == "win32":
        return _on_windows(wanted)
    if sys.platform != "linux":
        return {}  # Only root may ask this elsewhere.
    tables = [_read(path) for path in _TABLES]
    found = {port: listening_uid(tables, port) for port in wanted}
    return {port: _judge(uid) for port, uid in found.items() if uid is not None}


def listening_uid(tables: Iterable[str], port: int) -> int | None:
    """The uid of the socket that gets what is sent to 127.0.0.1, from the kernel's tables.

    A socket bound to that very address goes before one bound to all addresses.
    """
    exact, everywhere = None, None
    for line in (line for table in tables for line in table.splitlines()[1:]):
        fields = line.split()
        if len(fields) < 8 or fields[3] != _LISTENING or not fields[7].isdigit():
            continue
        host, _, number = fields[1].partition(":")
        if number != f"{port:04X}":
            continue
        if host in _EXACT and exact is None:
            exact = int(fields[7])
        elif host in _ANY and everywhere is None:
            everywhere = int(fields[7])
    return everywhere if exact is None else exact


def judge(uid: int, own_uid: int, account: str) -> Listener:
    """What a listener's uid means to the user with `own_uid`. `account` is its name."""
    if uid == own_uid:
        return Listener(Owner.OURS)
    is_system = uid < FIRST_PERSON_UID
    return Listener(Owner.SYSTEM if is_system else Owner.STRANGER, account)


def _judge(uid: int) -> Listener:
    if sys.platform == "win32":
        return UNKNOWN
    import pwd

    try:
        account = pwd.getpwuid(uid).pw_name
    except KeyError:
        account = str(uid)
    return judge(uid, os.getuid(), account)


def _read(path: str) -> str:
    try:
        with Path(path).open("rb") as table:
            return table.read(_MAX_TABLE_BYTES).decode("ascii", "replace")
    except OSError:
        return ""


def _on_windows(ports: set[int]) -> Mapping[int, Listener]:
    """Another person's program is told only where the user may see whose it is."""
    import psutil

    found: dict[int, Listener] = {}
    try:
        own = psutil.Process().username()
        connections = psutil.net_connections("tcp")
    except psutil.Error:
        return found
    for connection in connections:
        address = connection.laddr
        if connection.status == psutil.CONN_LISTEN and address and address.port in ports:
            found[address.port] = _windows_listener(connection.pid, own)
    return found


def _windows_listener(pid: int | None, own: str) -> Listener:
    import psutil

    try:
        account = psutil.Process(pid).username() if pid else ""
    except psutil.Error:
        return UNKNOWN
    if not account:
        return UNKNOWN
    if account == own:
        return Listener(Owner.OURS)
    is_system = account.upper().startswith(("NT AUTHORITY\\", "NT SERVICE\\"))
    return Listener(Owner.SYSTEM if is_system else Owner.STRANGER, account)
