"""A relay on loopback that passes bytes to a real server and keeps every request line."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from urllib.parse import urlsplit


class RecordingProxy:
    """`lines` holds the request lines ("GET /health HTTP/1.1"), in order of their arrival."""

    def __init__(self, upstream: str) -> None:
        parts = urlsplit(upstream)
        assert parts.hostname is not None
        assert parts.port is not None
        self._upstream = (parts.hostname, parts.port)
        self._server: asyncio.Server | None = None
        self._visitors: set[asyncio.Task[None]] = set()
        self.lines: list[str] = []
        self.port = 0

    @property
    def methods(self) -> set[str]:
        return {line.partition(" ")[0] for line in self.lines}

    async def __aenter__(self) -> RecordingProxy:
        self._server = await asyncio.start_server(self._welcome, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for visitor in list(self._visitors):
            visitor.cancel()
        await asyncio.gather(*self._visitors, return_exceptions=True)
        await self._server.wait_closed()

    def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visitor = asyncio.get_running_loop().create_task(self._visit(reader, writer))
        self._visitors.add(visitor)
        visitor.add_done_callback(self._visitors.discard)

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(*self._upstream)
        answers = asyncio.create_task(_pass_on(there, writer))
        try:
            # A client that left wants no more of the answer: the server is let go at once.
            await self._pass_requests(reader, back)
        finally:
            answers.cancel()
            for each in (writer, back):
                each.close()
                with suppress(ConnectionError):
                    await each.wait_closed()

    async def _pass_requests(
        self, reader: asyncio.StreamReader, back: asyncio.StreamWriter
    ) -> None:
        """Heads are read whole, so that the request lines of one connection are all seen."""
        while True:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except (asyncio.IncompleteReadError, ConnectionError):
                break
            first, *rest = head.decode("latin-1").split("\r\n")
            self.lines.append(first)
            headers = dict(line.lower().split(": ", 1) for line in rest if ": " in line)
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            back.write(head + body)
            await back.drain()


async def _pass_on(there: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await there.read(65_536):
            writer.write(data)
            await writer.drain()
    # The server hung up: so must the relay, or the client would ask a dead connection again.
    writer.close()
