"""What a conversation with a model is made of: messages out, events in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ankita.config import ToolMode
from ankita.ids import CallId

Json = Any
"""A value that `json.loads` can return."""

JsonObject = Mapping[str, Json]


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asked for, complete and parsed.

    `arguments` is always a JSON object. When the model sent something that is not
    one, `arguments` is empty and `problem` says what was wrong; such a call is
    never run, it only gets an error as its result.
    """

    id: CallId
    name: str
    arguments: JsonObject
    problem: str = ""
    echo: JsonObject = field(default_factory=dict)
    """What the server wants to see again beside this call, as it came; never shown.

    Only the wire format that made it reads it (Gemini's thought signatures,
    OpenRouter's reasoning details).
    """


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the request.

    `tool_calls` only on assistant messages; `tool_call_id` only on tool messages.
    """

    role: Role
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: CallId | None = None


class Effect(StrEnum):
    """What a tool does to the world."""

    READS = "reads"
    CHANGES = "changes"


class Phase(StrEnum):
    """What a mascot shows while a tool runs."""

    THINKING = "thinking"
    READING = "reading"
    ACTING = "acting"
    CHECKING = "checking"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a tool declares about itself.

    `parameters` is a JSON schema (object). `server` is the id of the provider it
    comes from, `app` the name used by tier rules ("files", "shell", "gmail").
    `key_arguments` are the names of the arguments a person must see to judge a
    call, in order. `read_only_hint` is the provider's own claim; it can raise a
    tier but never lower it.
    """

    name: str
    description: str
    parameters: JsonObject
    effect: Effect
    app: str
    phase: Phase
    server: str = "native"
    key_arguments: tuple[str, ...] = ()
    read_only_hint: bool | None = None


class ToolStatus(StrEnum):
    OK = "ok"
    FAILED = "failed"
    DENIED = "denied"
    PARKED = "parked"
    STOPPED = "stopped"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The one result of a call. `text` is what the model reads."""

    status: ToolStatus
    text: str
    data: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model.

    `reply_schema` asks for a reply that is one JSON value of this schema; a server
    that can't constrain its replies ignores it. `must_call`: a tool has to be called.
    `max_tokens` bounds the reply; None leaves it to the server.
    """

    messages: Sequence[Message]
    tools: Sequence[ToolSpec] = ()
    reply_schema: JsonObject | None = None
    must_call: bool = False
    max_tokens: int | None = None


class FinishReason(StrEnum):
    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    FILTERED = "filtered"


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Visible text, in order."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The model's own thinking; never part of the answer, never sent back."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallReady:
    """A whole tool call. Emitted only once its arguments are complete."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as counted by the server. `cached_tokens` of the prompt came from its cache."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of every reply that ended well. Its absence means a broken stream."""

    reason: FinishReason


@dataclass(frozen=True, slots=True)
class AskingAgain:
    """The model could not begin to answer; it is asked again after `seconds`.

    `reason` is a plain sentence. Comes only before anything else of a reply.
    """

    seconds: float
    reason: str


ModelEvent = TextDelta | ReasoningDelta | ToolCallReady | Usage | Finished | AskingAgain


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Who is answering. `label` is shown to the user ("llama3.1:8b · local").

    `context_tokens` is what the server advertises or said in an error; None is unknown.
    """

    label: str
    model: str
    is_local: bool
    is_built_in: bool = False
    tool_mode: ToolMode = ToolMode.UNKNOWN
    context_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document as text.

    `kind` is a word for the user ("PDF"), `pages` is None where pages have no
    meaning, `encoding` is set for plain text, `notes` says in plain sentences what
    was cut or left out (a limit reached, no text on a page).
    """

    name: str
    kind: str
    text: str
    pages: int | None = None
    encoding: str | None = None
    notes: tuple[str, ...] = ()
