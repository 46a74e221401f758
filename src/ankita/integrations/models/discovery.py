"""Finds the model servers of this machine. Asks them with GET about themselves, nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ankita.integrations.models.listener_owner import Listener, Owner, listeners
from ankita.integrations.models.server_address import read_address
from ankita.integrations.models.server_connection import new_client
from ankita.integrations.models.server_kinds import (
    FoundModel,
    FoundServer,
    identify,
    more_questions,
)
from ankita.integrations.models.server_question import Answer, question
from ankita.integrations.models.server_signs import MODELS

if TYPE_CHECKING:
    import httpx2

__all__ = ["DEFAULT_PORTS", "FoundModel", "FoundServer", "find_servers", "offered", "usual_ports"]

DEFAULT_PORTS = (11434, 1234, 8080, 8000, 1337, 12434, 5001, 5000, 4891, 30000)
"""Ollama, LM Studio, llama.cpp, vLLM, Jan, Docker, KoboldCpp, a web UI, GPT4All, SGLang."""

OLLAMA_VARIABLE = "OLLAMA_HOST"
"""Where the user may have moved Ollama to, as its own programs read it."""

MAX_ANSWER_BYTES = 1024 * 1024

_THIS_MACHINE = frozenset({"127.0.0.1", "localhost", "0.0.0.0"})

# Some servers serve one connection at a time and wait on each until it is closed.
_HEADERS = {"Accept": "application/json", "Connection": "close"}


def usual_ports(environment: Mapping[str, str]) -> tuple[int, ...]:
    """The ports to look at: the usual ones, and the one that Ollama was moved to."""
    place = environment.get(OLLAMA_VARIABLE, "").strip()
    parts = urlsplit(place if "//" in place else f"//{place}")
    try:
        is_here = parts.hostname in _THIS_MACHINE
        port = parts.port if is_here else None
    except ValueError:
        port = None
    return DEFAULT_PORTS if not port or port in DEFAULT_PORTS else (port, *DEFAULT_PORTS)


async def find_servers(
    *, ports: Sequence[int] = DEFAULT_PORTS, timeout_seconds: float = 0.4
) -> tuple[FoundServer, ...]:
    """The model servers at these ports of 127.0.0.1, in the order of the ports.

    All ports are asked at once and each may take `timeout_seconds` in all. Never raises
    for anything that a listener does; what is not a model server is left out.
    """
    distinct = tuple(dict.fromkeys(ports))
    looks = (_look_at(port, timeout_seconds) for port in distinct)
    found = dict(zip(distinct, await asyncio.gather(*looks), strict=True))
    present = {port: server for port, server in found.items() if server}
    owners = await asyncio.to_thread(listeners, present)
    judged = (offered(server, owners.get(port)) for port, server in present.items())
    return tuple(server for server in judged if server)


def offered(server: FoundServer, listener: Listener | None) -> FoundServer | None:
    """The server as the user may be told of it; None when another person runs it."""
    if listener is None or listener.owner in (Owner.OURS, Owner.UNKNOWN):
        return server
    if listener.owner is Owner.STRANGER:
        return None
    account = f"It runs under the account {listener.account}."
    return replace(server, note=f"{server.note} {account}".strip())


async def _look_at(port: int, seconds: float) -> FoundServer | None:
    """What was told in time counts, even when a later answer is missing."""
    import httpx2

    address = read_address(f"http://127.0.0.1:{port}")
    answers: dict[str, Answer] = {}
    try:
        async with (
            asyncio.timeout(seconds),
            new_client(address, connect_seconds=seconds) as client,
        ):
            await _ask(client, port, [MODELS], answers)
            if MODELS in answers:
                await _ask(client, port, more_questions(answers[MODELS]), answers)
    except (TimeoutError, httpx2.HTTPError):
        pass
    return identify(port, answers)


async def _ask(
    client: httpx2.AsyncClient, port: int, paths: Iterable[str], answers: dict[str, Answer]
) -> None:
    """Ask for all paths at once and put each answer down as it comes."""
    import httpx2

    async def ask(path: str) -> None:
        try:
            answers[path] = await question(
                client, f"http://127.0.0.1:{port}{path}", headers=_HEADERS, limit=MAX_ANSWER_BYTES
            )
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError):
            return

    await asyncio.gather(*(ask(path) for path in paths))
