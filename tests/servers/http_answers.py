"""A small HTTP server on loopback with one fixed answer for each path, and bad neighbours.

    async with HttpAnswers({"/v1/models": body}) as server:
        ... server.port, server.requests

A path that is not in the table is answered with 404. `Listener` does something else
than HTTP at its port: it hangs, sends garbage or closes.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Self

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Reply:
    """`body` is sent as JSON unless it is bytes."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def raw(self) -> bytes:
        content = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(content))}
        lines = [f"{name}: {value}" for name, value in {**headers, **self.headers}.items()]
        head = "\r\n".join([f"HTTP/1.1 {self.status} Answer", *lines, "", ""])
        return head.encode() + content


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class _Server:
    def __init__(self) -> None:
        self.port = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, HOST, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await self._serve(reader, writer)
        except asyncio.CancelledError:
            pass  # The test is over; a cancelled callback would be reported as an error.
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError


class HttpAnswers(_Server):
    """`answers` gives a `Reply`, or a body that is sent as JSON with status 200."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        super().__init__()
        self._answers = answers
        self.requests: list[Asked] = []

    @property
    def base_url(self) -> str:
        return f"http://{HOST}:{self.port}/v1"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        pairs = (line.split(": ", 1) for line in head[1:] if line)
        headers = {name.lower(): value for name, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.requests.append(Asked(method, path, headers, body))
        answer = self._answers.get(path, Reply({"error": "Not found"}, 404))
        reply = answer if isinstance(answer, Reply) else Reply(answer)
        writer.write(reply.raw())
        await writer.drain()
        if "Content-Length" in reply.headers:  # it promised more than there is
            await _until_gone(reader)


class Manner(Enum):
    """What a listener does that is no web server."""

    HANGS = "takes the connection and says nothing"
    HALF = "sends half a head and then nothing"
    DRIPS = "sends a byte of a head now and then"
    GARBAGE = "sends bytes that are no HTTP"
    CLOSES = "closes at once"
    ENDLESS = "sends a body without an end"


class Listener(_Server):
    """Misbehaves in one manner. `was_met` is set when somebody has connected."""

    def __init__(self, manner: Manner) -> None:
        super().__init__()
        self._manner = manner
        self.was_met = asyncio.Event()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.was_met.set()
        first = {
            Manner.HALF: b"HTTP/1.1 200 OK\r\nContent-Le",
            Manner.DRIPS: b"HTTP/1.1 200 OK\r\n",
            Manner.GARBAGE: bytes(range(256)) * 40,
            Manner.ENDLESS: b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[",
        }
        writer.write(first.get(self._manner, b""))
        await writer.drain()
        if self._manner in (Manner.HANGS, Manner.HALF):
            await _until_gone(reader)
        elif self._manner is Manner.DRIPS:
            await _repeat(writer, lambda: b"x: y\r\n", every_seconds=0.02)
        elif self._manner is Manner.ENDLESS:
            await _repeat(writer, lambda: b"1," * 8192, every_seconds=0)


async def _until_gone(reader: asyncio.StreamReader) -> None:
    while await reader.read(4096):
        pass


async def _repeat(
    writer: asyncio.StreamWriter, piece: Callable[[], bytes], *, every_seconds: float
) -> None:
    while True:
        writer.write(piece())
        await writer.drain()
        await asyncio.sleep(every_seconds)
