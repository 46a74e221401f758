"""A real web server on loopback that sends what a test wrote, byte for byte.

    async with WebPages({"/": html("<p>Hello")}) as server:
        door = WebDoor(lambda: [server.place])
        await door.get(f"{server.base}/")

A page is a `Reply`, or a function from the request to one. What was asked stays in
`server.requests`.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. Header names are in lower case; `path` includes the query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. `drip` sends the body for ever, a byte in each step, until the client goes."""

    body: bytes = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    is_silent: bool = False
    drip: bool = False


Page = Reply | Callable[[Asked], Reply]


def html(text: str, **options: object) -> Reply:
    return Reply(text.encode("utf-8"), **options)  # type: ignore[arg-type]


def redirect(to: str, status: int = 302) -> Reply:
    return Reply(status=status, headers={"Location": to})


class WebPages:
    """The server. `place` is its host and port as a grant names them."""

    def __init__(self, pages: Mapping[str, Page], *, tls: ssl.SSLContext | None = None) -> None:
        self.pages = dict(pages)
        self.requests: list[Asked] = []
        self.port = 0
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._gone = asyncio.Event()

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def base(self) -> str:
        return f"{'https' if self._tls else 'http'}://{self.place}"

    async def __aenter__(self) -> WebPages:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._gone.set()
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked = await _read(reader)
            self.requests.append(asked)
            page = self.pages.get(asked.path.partition("?")[0], Reply(b"not here", 404))
            await self._send(page if isinstance(page, Reply) else page(asked), writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _send(self, reply: Reply, writer: asyncio.StreamWriter) -> None:
        if reply.is_silent:
            await self._gone.wait()
            return
        writer.write(_head(reply))
        if reply.drip:
            async for byte in _drips(self._gone):
                writer.write(byte)
                await writer.drain()
        writer.write(reply.body)
        await writer.drain()


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    method, path, _ = first.split(" ")
    return Asked(method, path, headers, body)


def _head(reply: Reply) -> bytes:
    lines = [f"HTTP/1.1 {reply.status} Some Words", "Connection: close"]
    if reply.content_type:
        lines.append(f"Content-Type: {reply.content_type}")
    lines += [f"{name}: {value}" for name, value in reply.headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def _drips(gone: asyncio.Event) -> AsyncIterator[bytes]:
    while not gone.is_set():
        yield b"."
        await asyncio.sleep(0.01)
