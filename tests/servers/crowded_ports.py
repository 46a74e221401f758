"""Ten ports as on a machine where much goes on, and how long it takes to look at them."""

from __future__ import annotations

import socket
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from ankita.integrations.models.discovery import FoundServer, find_servers
from tests.servers import model_lists
from tests.servers.http_answers import HOST, HttpAnswers, Listener, Manner


@asynccontextmanager
async def crowded_ports() -> AsyncIterator[tuple[int, ...]]:
    """Two model servers, six bad listeners, a web site and a port where nobody listens."""
    async with AsyncExitStack() as stack:
        good = [
            await stack.enter_async_context(HttpAnswers(answers))
            for answers in (model_lists.OLLAMA, model_lists.LM_STUDIO)
        ]
        bad = [await stack.enter_async_context(Listener(manner)) for manner in Manner]
        site = model_lists.NO_MODEL_SERVER["a web page"]
        web = await stack.enter_async_context(HttpAnswers(site))
        servers = [good[0], *bad, web, good[1]]
        yield (*(server.port for server in servers), free_port())


def free_port() -> int:
    """A port where nobody listens now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


async def look_at_crowded_ports() -> tuple[float, tuple[FoundServer, ...]]:
    """Seconds for one look at the ten ports, and what was found. Libraries are loaded before."""
    await find_servers(ports=(free_port(),))
    async with crowded_ports() as ports:
        before = time.perf_counter()
        found = await find_servers(ports=ports)
        return time.perf_counter() - before, found
