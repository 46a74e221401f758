"""A small model hub on loopback: its API, its files, and the faults that hubs and networks have.

    async with ModelHub() as hub:
        file = hub.add("Maker/Small-GGUF", "Small-Q8_0.gguf", content)
        ... list_models(hub.base) ...

`hub.faults` can be changed at any time; what was asked stays in `hub.requests`.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

_RANGE = re.compile(r"bytes=(\d+)-")
CHUNK_BYTES = 16 * 1024


@dataclass(slots=True)
class Faults:
    """What goes wrong. The default is nothing."""

    ranges: bool = True
    """Whether parts of a file are given."""
    cut_after: int | None = None
    """Break the connection after so many bytes of each body."""
    hold_after: int | None = None
    """Send nothing more after so many bytes of a body, until the client goes."""
    redirect: bool = True
    """Files are given from another path, as real hubs do."""
    redirect_to: str | None = None
    """Where a request for a file is sent instead."""
    status: int | None = None
    """Answer every request with this."""
    pause_seconds: float = 0.0
    """Before each chunk of a body."""
    shifted_range: bool = False
    """A part begins elsewhere than it was asked for."""
    without_length: bool = False
    is_silent: bool = False
    """Take requests and answer none."""


@dataclass(slots=True)
class HubFile:
    """A file of the hub. `told` is changed to let the hub say something else than is true."""

    repository: str
    name: str
    content: bytes
    etag: str
    told: dict[str, Any]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class HubRequest:
    path: str
    headers: Mapping[str, str]


@dataclass(slots=True)
class ModelHub:
    """Use as an async context manager. `base` is its address."""

    base: str = ""
    faults: Faults = field(default_factory=Faults)
    cards: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: list[HubFile] = field(default_factory=list)
    requests: list[HubRequest] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    """Old names of repositories, and the new ones."""
    holding: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a body has been held."""
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def add(self, repository: str, name: str, content: bytes, *, etag: str = '"first"') -> HubFile:
        """Publish a file under Apache-2.0."""
        self.cards.setdefault(repository, {"cardData": {"license": "apache-2.0"}})
        size, sha256 = len(content), hashlib.sha256(content).hexdigest()
        told = {"rfilename": name, "size": size, "lfs": {"sha256": sha256, "size": size}}
        file = HubFile(repository, name, content, etag, told)
        self.files.append(file)
        return file

    def file_requests(self) -> list[HubRequest]:
        return [each for each in self.requests if each.path.startswith("/store/")]

    async def __aenter__(self) -> ModelHub:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._answer(await _read_request(reader), reader, writer)
        except asyncio.CancelledError:
            pass  # the hub closes
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(
        self, request: HubRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.requests.append(request)
        path, faults = request.path.partition("?")[0], self.faults
        if faults.is_silent:
            await reader.read()
        elif faults.status is not None:
            await _reply(writer, faults.status, b"no")
        elif path.startswith("/api/models/"):
            await self._answer_api(path.removeprefix("/api/models/"), writer)
        elif faults.redirect and not path.startswith("/store/"):
            to = faults.redirect_to or f"/store{path}?signature=1"
            await _reply(writer, 302, b"", {"Location": to})
        else:
            await self._answer_file(path.removeprefix("/store"), request, reader, writer)

    async def _answer_api(self, repository: str, writer: asyncio.StreamWriter) -> None:
        if (to := self.moved.get(repository)) is not None:
            await _reply(writer, 307, b"", {"Location": f"/api/models/{to}?blobs=true"})
            return
        card = self.cards.get(repository)
        if card is None:
            await _reply(writer, 404, b'{"error": "Repository not found"}')
            return
        siblings = [{"rfilename": "README.md", "size": 12}]
        siblings += [file.told for file in self.files if file.repository == repository]
        body = {"id": repository, "author": repository.partition("/")[0], "siblings": siblings}
        await _reply(writer, 200, json.dumps(body | card).encode())

    async def _answer_file(
        self,
        path: str,
        request: HubRequest,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        wanted = unquote(path).lstrip("/").replace("/resolve/main", "")
        found = [each for each in self.files if f"{each.repository}/{each.name}" == wanted]
        if not found:
            await _reply(writer, 404, b"no such file")
            return
        file, start = found[-1], self._start(found[-1], request)
        if start is not None and start >= len(file.content):
            headers = {"Content-Range": f"bytes */{len(file.content)}"}
            await _reply(writer, 416, b"", headers)
            return
        await self._send(file, start, reader, writer)

    def _start(self, file: HubFile, request: HubRequest) -> int | None:
        """Where the part that was asked for begins; None for the whole file."""
        asked = _RANGE.fullmatch(request.headers.get("range", ""))
        is_other = request.headers.get("if-range", file.etag) != file.etag
        return None if asked is None or is_other or not self.faults.ranges else int(asked[1])

    async def _send(
        self,
        file: HubFile,
        start: int | None,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        body, total = file.content[start or 0 :], len(file.content)
        headers = {"ETag": file.etag, "Content-Length": str(len(body))}
        if self.faults.without_length:
            del headers["Content-Length"]
        if start is not None:
            shown = start + self.faults.shifted_range
            headers["Content-Range"] = f"bytes {shown}-{total - 1}/{total}"
        writer.write(_head(200 if start is None else 206, headers))
        sent = 0
        async for chunk in self._chunks(body):
            writer.write(chunk)
            await writer.drain()
            sent += len(chunk)
        if self.faults.hold_after is not None and sent < len(body):
            self.holding.set()
            await reader.read()  # until the client goes

    async def _chunks(self, body: bytes) -> AsyncIterator[bytes]:
        limits = (self.faults.cut_after, self.faults.hold_after, len(body))
        end = min(limit for limit in limits if limit is not None)
        for place in range(0, end, CHUNK_BYTES):
            if self.faults.pause_seconds:
                await asyncio.sleep(self.faults.pause_seconds)
            yield body[place : min(place + CHUNK_BYTES, end)]


async def _read_request(reader: asyncio.StreamReader) -> HubRequest:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.split(": ", 1) for line in lines[1:] if ": " in line)
    return HubRequest(lines[0].split(" ")[1], {name.lower(): value for name, value in pairs})


async def _reply(
    writer: asyncio.StreamWriter,
    status: int,
    body: bytes,
    headers: Mapping[str, str] | None = None,
) -> None:
    writer.write(_head(status, {"Content-Length": str(len(body))} | dict(headers or {})) + body)
    await writer.drain()


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Any", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
