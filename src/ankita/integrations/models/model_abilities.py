"""What a model server says about its models, whatever form it says it in. Pure.

Only what is advertised counts. A name never does, and what is not said stays None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from ankita.messages import Json, JsonObject

T = TypeVar("T")

MAX_CONTEXT_TOKENS = 1_000_000_000
"""A larger figure is a mistake or a way to say that there is no limit."""


@dataclass(frozen=True, slots=True)
class ModelAbilities:
    """None where the server does not say. `context_tokens` is the window of one request."""

    context_tokens: int | None = None
    has_tools: bool | None = None
    has_vision: bool | None = None

    def filled_from(self, other: ModelAbilities) -> ModelAbilities:
        """These, with what they lack taken from `other`."""
        return ModelAbilities(
            _first(self.context_tokens, other.context_tokens),
            _first(self.has_tools, other.has_tools),
            _first(self.has_vision, other.has_vision),
        )

    @property
    def is_complete(self) -> bool:
        return None not in (self.context_tokens, self.has_tools, self.has_vision)


UNKNOWN = ModelAbilities()


def from_row(row: JsonObject) -> ModelAbilities:
    """What one row of an OpenAI-compatible list of models tells.

    Knows the fields of llama.cpp, vLLM, Groq, OpenRouter and Kilo.
    """
    meta, architecture = mapping(row.get("meta")), mapping(row.get("architecture"))
    provider = mapping(row.get("top_provider"))
    figures = (
        meta.get("n_ctx"),
        row.get("max_model_len"),
        provider.get("context_length"),
        row.get("context_length"),
        row.get("context_window"),
    )
    tokens = (token_count(figure) for figure in figures)
    return ModelAbilities(
        context_tokens=next((count for count in tokens if count), None),
        has_tools=holds(row.get("supported_parameters"), "tools"),
        has_vision=holds(architecture.get("input_modalities"), "image"),
    )


def from_ollama_show(body: Json) -> ModelAbilities:
    """Ollama's answer about one model.

    Its `context_length` is what the model could hold at most; the window it is run with
    is smaller, and is told here only where the model's own settings fix it.
    """
    capabilities = mapping(body).get("capabilities")
    return ModelAbilities(
        context_tokens=_fixed_window(mapping(body).get("parameters")),
        has_tools=holds(capabilities, "tools"),
        has_vision=holds(capabilities, "vision"),
    )


def from_ollama_loaded(body: Json, model: str) -> ModelAbilities:
    """Ollama's list of loaded models: the window that is really in use."""
    for row in rows(mapping(body).get("models")):
        if _is_same_tag(model, row.get("model")) or _is_same_tag(model, row.get("name")):
            return ModelAbilities(context_tokens=token_count(row.get("context_length")))
    return UNKNOWN


def from_lm_studio(row: JsonObject) -> ModelAbilities:
    """One row of LM Studio's own list, of the present or the former version."""
    capabilities = row.get("capabilities")
    if isinstance(capabilities, Mapping):
        tools, vision = capabilities.get("trained_for_tool_use"), capabilities.get("vision")
    else:
        tools = holds(capabilities, "tool_use")
        vision = row.get("type") == "vlm" if isinstance(row.get("type"), str) else None
    return ModelAbilities(
        context_tokens=_loaded_window(row) or token_count(row.get("max_context_length")),
        has_tools=yes_or_no(tools),
        has_vision=yes_or_no(vision),
    )


def from_llama_cpp(body: Json) -> ModelAbilities:
    """The properties of a llama.cpp server, which serves one model."""
    settings = mapping(mapping(body).get("default_generation_settings"))
    template = mapping(mapping(body).get("chat_template_caps"))
    modalities = mapping(mapping(body).get("modalities"))
    return ModelAbilities(
        context_tokens=token_count(settings.get("n_ctx")),
        has_tools=yes_or_no(template.get("supports_tools")),
        has_vision=yes_or_no(modalities.get("vision")),
    )


def lm_studio_row(body: Json, model: str) -> JsonObject:
    """The row about a model in one of LM Studio's own lists, or an empty one."""
    return next((row for row in lm_studio_rows(body) if model in lm_studio_names(row)), {})


def lm_studio_rows(body: Json) -> tuple[JsonObject, ...]:
    """The rows of LM Studio's own list, of the present or the former version."""
    whole = mapping(body)
    found = rows(whole.get("models")) or rows(whole.get("data"))
    return tuple(row for row in found if "max_context_length" in row or "loaded_instances" in row)


def lm_studio_names(row: JsonObject) -> tuple[str, ...]:
    """The names under which the model of a row can be asked for; the main one first."""
    loaded = [each.get("id") for each in rows(row.get("loaded_instances"))]
    names = (row.get("key"), row.get("id"), *loaded)
    return tuple(name for name in names if isinstance(name, str) and name)


def mapping(value: Json) -> JsonObject:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def rows(value: Json) -> tuple[JsonObject, ...]:
    """The objects of a list; nothing where it is no list."""
    if not isinstance(value, list):
        return ()
    return tuple(row for row in value if isinstance(row, Mapping))


def token_count(value: Json) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 < value <= MAX_CONTEXT_TOKENS else None


def yes_or_no(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


def holds(value: Json, word: str) -> bool | None:
    """Whether a list names the word; None where there is no list."""
    return word in value if isinstance(value, list) else None


def _loaded_window(row: JsonObject) -> int | None:
    """The window of the instance that is loaded; with several the smallest one."""
    instances = rows(row.get("loaded_instances"))
    windows = [token_count(mapping(each.get("config")).get("context_length")) for each in instances]
    windows.append(token_count(row.get("loaded_context_length")))
    return min((window for window in windows if window), default=None)


def _fixed_window(parameters: Json) -> int | None:
    """`num_ctx` among the settings, which come as lines of text."""
    if not isinstance(parameters, str):
        return None
    lines = (line.split() for line in parameters.splitlines())
    values = [line[1] for line in lines if len(line) == 2 and line[0] == "num_ctx"]
    is_number = bool(values) and values[-1].isascii() and values[-1].isdigit()
    return token_count(int(values[-1])) if is_number and len(values[-1]) < 12 else None


def _is_same_tag(model: str, other: Json) -> bool:
    """Ollama puts ":latest" behind a name that has no tag."""
    return isinstance(other, str) and model.removesuffix(":latest") == other.removesuffix(":latest")


def _first(one: T | None, other: T | None) -> T | None:
    return other if one is None else one
