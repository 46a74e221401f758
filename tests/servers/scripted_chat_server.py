"""A small real HTTP server on loopback that plays a model server's answers byte for byte.

    async with ScriptedChatServer([text("Hello", " there"), tool_calls(("read", {}))]) as server:
        provider = OpenAIChatProvider(server.base_url, ...)

Each POST to `/chat/completions` or `/messages` takes the next reply of the script; GET `/models`
gives the list. `scripted_server_thread` runs the same in a thread of its own, for
tests without an event loop. Everything that was asked stays in `server.requests`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

MODEL = "scripted-model"
EVENT_STREAM = "text/event-stream"
JSON = "application/json"

COMMENT = b": still working\n\n"
DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait this long before the next bytes."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Hold:
    """Send nothing more until the client goes away or the server is closed."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Break the connection without the proper end of the body."""


@dataclass(frozen=True, slots=True)
class RepeatForEver:
    """Send the same bytes again and again until the client goes away."""

    data: bytes = COMMENT
    every_seconds: float = 0.005


Step = bytes | Pause | Hold | Drop | RepeatForEver


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One answer. `cut` is the number of bytes in each write; 0 writes each step whole."""

    steps: tuple[Step, ...] = ()
    status: int = 200
    content_type: str = EVENT_STREAM
    headers: Mapping[str, str] = field(default_factory=dict)
    before: tuple[Step, ...] = ()
    """Played before the status line."""
    cut: int = 0


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """What a client sent. Header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def frame(payload: Any) -> bytes:
    """One `data:` event."""
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def delta(finish_reason: str | None = None, **fields: Any) -> bytes:
    """One frame with a delta of the first choice."""
    choice = {"index": 0, "delta": fields, "finish_reason": finish_reason}
    return frame({"object": "chat.completion.chunk", "model": MODEL, "choices": [choice]})


def call_delta(
    index: int | None, call_id: str | None, name: str | None, arguments: Any
) -> dict[str, Any]:
    """One element of `tool_calls`; None leaves a field out."""
    function = {"name": name, "arguments": arguments}
    call: dict[str, Any] = {"index": index, "id": call_id, "type": "function"}
    call = {key: value for key, value in call.items() if value is not None}
    return call | {"function": {key: value for key, value in function.items() if value is not None}}


def usage(prompt_tokens: int = 7, completion_tokens: int = 3) -> bytes:
    """The usage frame, with no choices."""
    figures = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    return frame({"object": "chat.completion.chunk", "choices": [], "usage": figures})


def text(*pieces: str, finish_reason: str = "stop") -> ScriptedReply:
    """A whole reply of text, one frame for each piece."""
    frames = [delta(content=piece) for piece in pieces]
    first = delta(role="assistant", content=None)
    return ScriptedReply((first, *frames, delta(finish_reason), usage(), DONE))


def tool_calls(*calls: tuple[str, Mapping[str, Any]], before: str = "") -> ScriptedReply:
    """A whole reply with tool calls, each streamed in three fragments."""
    steps = [delta(role="assistant", content=before or None)]
    for index, (name, arguments) in enumerate(calls):
        written = json.dumps(arguments)
        half = len(written) // 2
        steps += [
            delta(tool_calls=[call_delta(index, f"call_{name}_{index}", name, "")]),
            delta(tool_calls=[call_delta(index, None, None, written[:half])]),
            delta(tool_calls=[call_delta(index, None, None, written[half:])]),
        ]
    return ScriptedReply((*steps, delta("tool_calls"), usage(), DONE))


def raw(*steps: Step, cut: int = 0, content_type: str = EVENT_STREAM) -> ScriptedReply:
    """Exactly these bytes and faults."""
    return ScriptedReply(steps, cut=cut, content_type=content_type)


def error(status: int, body: Any, **headers: str) -> ScriptedReply:
    """A refusal. `body` is JSON, or bytes as they are; `retry_after` names `Retry-After`."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return ScriptedReply((data,), status=status, content_type=JSON, headers=named)


def slow(reply: ScriptedReply, seconds: float) -> ScriptedReply:
    """The same reply with a pause before every step."""
    steps = tuple(part for step in reply.steps for part in (Pause(seconds), step))
    return replace(reply, steps=steps)


SILENT = ScriptedReply(before=(Hold(),))
"""Takes the request and never answers."""

HANGS_UP = ScriptedReply(before=(Drop(),))
"""Takes the request and closes the connection."""

Script = Sequence[ScriptedReply] | Callable[[RecordedRequest], ScriptedReply]


class ScriptedChatServer:
    """Plays `script`: a list of replies, or a function from the request to its reply.

    With `repeats_last` the last reply of a list is given for ever; else a request
    beyond the list gets status 500, so that a test sees it.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        models: Iterable[str] = (MODEL,),
        models_reply: ScriptedReply | None = None,
        repeats_last: bool = False,
    ) -> None:
        self._choose = script if callable(script) else None
        self._replies = [] if callable(script) else list(script)
        self._repeats_last = repeats_last
        rows = [{"id": model, "object": "model"} for model in models]
        listing = json.dumps({"object": "list", "data": rows}).encode()
        self._models = models_reply or ScriptedReply((listing,), content_type=JSON)
        self._server: asyncio.Server | None = None
        self._visitors: set[asyncio.Task[None]] = set()
        self.port = 0
        """Chosen by the system at the start, and known from then on."""
        self.requests: list[RecordedRequest] = []
        self.departures = asyncio.Semaphore(0)
        """Counts clients that left before their reply was over."""

    @property
    def base_url(self) -> str:
        """The address to give to a provider, with `/v1`."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def chats(self) -> list[RecordedRequest]:
        """The requests for a reply, in order."""
        return [request for request in self.requests if request.method == "POST"]

    def add(self, *replies: ScriptedReply) -> None:
        """Put replies at the end of the script."""
        self._replies += replies

    async def __aenter__(self) -> ScriptedChatServer:
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
        try:
            request = await _read_request(reader)
            self.requests.append(request)
            await self._play(self._reply_to(request), reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.departures.release()
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    def _reply_to(self, request: RecordedRequest) -> ScriptedReply:
        if request.method == "GET" and request.path.partition("?")[0].endswith("/models"):
            return self._models
        if not request.path.endswith(("/chat/completions", "/messages")):
            return error(404, {"detail": "Not Found"})
        if self._choose is not None:
            return self._choose(request)
        if not self._replies:
            return error(500, {"error": {"message": "the script is over"}})
        is_last = len(self._replies) == 1
        return self._replies[0] if is_last and self._repeats_last else self._replies.pop(0)

    async def _play(
        self, reply: ScriptedReply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        async for _ in _bytes_of(reply.before, 0, reader, writer):
            pass
        if writer.is_closing():
            return
        headers = {
            "Content-Type": reply.content_type,
            "Transfer-Encoding": "chunked",
            "Connection": "close",
        } | dict(reply.headers)
        lines = [f"HTTP/1.1 {reply.status} Scripted", *(f"{k}: {v}" for k, v in headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        async for piece in _bytes_of(reply.steps, reply.cut, reader, writer):
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
        if not writer.is_closing():
            writer.write(b"0\r\n\r\n")
            await writer.drain()


async def _bytes_of(
    steps: Iterable[Step], cut: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> AsyncIterator[bytes]:
    """The bytes to send, with the pauses and faults between them acted out."""
    for step in steps:
        match step:
            case bytes():
                for start in range(0, len(step), cut or len(step) or 1):
                    yield step[start : start + cut] if cut else step
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Hold():
                await reader.read()  # ends when the client goes away
                raise ConnectionError("the client left")
            case RepeatForEver(data, seconds):
                while not reader.at_eof():
                    yield data
                    await asyncio.sleep(seconds)
                raise ConnectionError("the client left")
            case Drop():
                await writer.drain()
                writer.transport.abort()
                return


async def _read_request(reader: asyncio.StreamReader) -> RecordedRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return RecordedRequest(method, path, headers, body)


@contextlib.contextmanager
def scripted_server_thread(script: Script = (), **options: Any) -> Iterator[ScriptedChatServer]:
    """The server on an event loop in a thread, for tests that have no loop."""
    server = ScriptedChatServer(script, **options)
    is_ready, stop = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        async with server:
            is_ready.set()
            await stop.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), name="scripted-chat-server")
    thread.start()
    try:
        if not is_ready.wait(10):
            raise TimeoutError("the scripted server did not start")
        yield server
    finally:
        loops[0].call_soon_threadsafe(stop.set)
        thread.join()
