"""How a native tool is declared: arguments, effect and handler in one place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from ankita.errors import ToolArgumentsError
from ankita.messages import Effect, Json, JsonObject, Phase, ToolResult, ToolSpec
from ankita.protocols import CallContext

__all__ = ["Arguments", "NativeTool", "argument", "native_tool"]

PROBLEMS_SHOWN = 5

argument = Field
"""Describes one argument: default, limits and a few words for the model."""


class Arguments(BaseModel):
    """What a tool takes. Subclasses list the fields; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True)
class NativeTool:
    """A declared tool. `run` checks the arguments first and raises ToolError."""

    spec: ToolSpec
    run: Callable[[JsonObject, CallContext], Awaitable[ToolResult]]


def native_tool(
    arguments: type[A],
    handler: Callable[[A, CallContext], Awaitable[ToolResult]],
    *,
    name: str,
    description: str,
    effect: Effect,
    app: str,
    phase: Phase,
    key_arguments: tuple[str, ...] = (),
) -> NativeTool:
    """Declare a tool; its JSON schema comes from the fields of `arguments`."""
    spec = ToolSpec(
        name=name,
        description=description,
        parameters=_schema(arguments),
        effect=effect,
        app=app,
        phase=phase,
        key_arguments=key_arguments,
        read_only_hint=effect is Effect.READS,
    )

    async def run(raw: JsonObject, context: CallContext) -> ToolResult:
        return await handler(_parse(arguments, raw), context)

    return NativeTool(spec, run)


def _parse(arguments: type[A], raw: JsonObject) -> A:
    try:
        return arguments.model_validate(dict(raw))
    except ValidationError as error:
        # The values stay out of the text: they may be long or private.
        details = error.errors(include_url=False, include_input=False, include_context=False)
    problems = "; ".join(_problem(detail) for detail in details[:PROBLEMS_SHOWN])
    known = ", ".join(arguments.model_fields) or "none"
    raise ToolArgumentsError(
        problems, field=_field(details[0]), advice=f"Known arguments: {known}."
    )


def _field(detail: ErrorDetails) -> str:
    return ".".join(str(part) for part in detail["loc"])[:80] or "arguments"


def _problem(detail: ErrorDetails) -> str:
    match detail["type"]:
        case "missing":
            reason = "required"
        case "extra_forbidden":
            reason = "unknown argument"
        case _:
            reason = detail["msg"].removeprefix("Input ").removeprefix("Value error, ").lower()
    return f"{_field(detail)}: {reason}"


def _schema(arguments: type[Arguments]) -> Mapping[str, Json]:
    schema = arguments.model_json_schema()
    schema.pop("title", None)
    schema.pop("description", None)
    schema.setdefault("properties", {})
    for declared in schema["properties"].values():
        # Pydantic's titles only repeat the names, and small models pay for each token.
        declared.pop("title", None)
    return schema
