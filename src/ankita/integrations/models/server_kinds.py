"""Tells by their answers which model server listens at a port, and what it offers. Pure.

The port never counts: several servers share one, and anything may listen there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType

from ankita.integrations.models.model_abilities import (
    UNKNOWN,
    ModelAbilities,
    from_llama_cpp,
    from_lm_studio,
    from_ollama_loaded,
    from_row,
    lm_studio_row,
    lm_studio_rows,
    mapping,
    rows,
)
from ankita.integrations.models.model_list import free_rows, model_name, model_rows
from ankita.integrations.models.server_question import Answer
from ankita.messages import Json, JsonObject

MODELS = "/v1/models"
DOCKER_MODELS = "/engines/v1/models"
PROPS = "/props"
OLLAMA_VERSION, OLLAMA_TAGS, OLLAMA_LOADED = "/api/version", "/api/tags", "/api/ps"
LM_STUDIO, LM_STUDIO_FORMER = "/api/v1/models", "/api/v0/models"
WEB_UI_MODEL = "/v1/internal/model/info"
VERSION, DESCRIPTION, HEALTH = "/version", "/openapi.json", "/health"

ANY_KIND = "OpenAI-compatible server"

WANTS_KEY = "It wants a key."
NO_MODEL = "It has no model yet."
LOADING = "It is still loading its model."

_OWNERS = {
    "llamacpp": "llama.cpp",
    "vllm": "vLLM",
    "sglang": "SGLang",
    "koboldcpp": "KoboldCpp",
    "humanity": "GPT4All",
    "docker": "Docker Model Runner",
    "tabbyapi": "TabbyAPI",
}
_JAN_REFUSAL = "invalid or missing authorization token"
_KEY_CODES = frozenset({"invalid_api_key", "authentication_error", "unauthorized"})

Answers = Mapping[str, Answer]
"""What each path was answered with; a path without an answer is missing."""


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model that is offered; None where the server does not say."""

    name: str
    context_tokens: int | None = None
    has_tools: bool | None = None
    has_vision: bool | None = None


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A model server. `base_url` includes the version path; `note` is for the user or empty."""

    base_url: str
    kind: str
    models: tuple[FoundModel, ...] = ()
    needs_key: bool = False
    note: str = ""


def more_questions(first: Answer) -> tuple[str, ...]:
    """What to ask after the list of models was asked for; nothing at what is no model server."""
    if _is_loading(first):
        return ()
    if _wants_key(first):
        return (VERSION, DESCRIPTION)
    if first.status == 404:
        return (DOCKER_MODELS,)
    found = model_rows(first.body) if first.is_good else None
    if found is None:
        return ()
    owner = _owner(found)
    if owner in _OWNERS:
        return (PROPS,) if owner == "llamacpp" else ()
    return (
        OLLAMA_VERSION,
        OLLAMA_TAGS,
        OLLAMA_LOADED,
        LM_STUDIO,
        LM_STUDIO_FORMER,
        PROPS,
        WEB_UI_MODEL,
        VERSION,
        HEALTH,
    )


def identify(port: int, answers: Answers) -> FoundServer | None:
    """The server at this port of 127.0.0.1, or None when it is not a model server."""
    address = f"http://127.0.0.1:{port}"
    first = answers.get(MODELS)
    if first is None:
        return None
    if _is_loading(first):
        return FoundServer(f"{address}/v1", "llama.cpp", note=LOADING)
    if _wants_key(first):
        kind = _guarded_kind(first, answers)
        return FoundServer(f"{address}/v1", kind, (), True, WANTS_KEY) if kind else None
    path, listed = ("/v1", first) if first.is_good else ("/engines/v1", answers.get(DOCKER_MODELS))
    found = model_rows(listed.body) if listed and listed.is_good else None
    if found is None:
        return None
    kind = _kind(found, answers) if path == "/v1" else _OWNERS["docker"]
    models = _models(found, answers)
    needs_key = _status(answers, PROPS) in (401, 403) and kind == "llama.cpp"
    note = WANTS_KEY if needs_key else "" if models else NO_MODEL
    return FoundServer(address + path, kind, models, needs_key, note)


def _models(found: tuple[JsonObject, ...], answers: Answers) -> tuple[FoundModel, ...]:
    names = [model_name(row) for row in free_rows(found) if not _is_embedder(row, answers)]
    told = {model_name(row): from_row(row) for row in found}
    models = []
    for name in dict.fromkeys(names):
        known = told[name]
        for more in _told_elsewhere(name, answers, is_alone=len(names) == 1):
            known = more.filled_from(known)
        models.append(FoundModel(name, known.context_tokens, known.has_tools, known.has_vision))
    return tuple(models)


def _told_elsewhere(name: str, answers: Answers, *, is_alone: bool) -> tuple[ModelAbilities, ...]:
    props = _body(answers, PROPS)
    return (
        from_lm_studio(_lm_studio_row(name, answers)),
        from_ollama_loaded(_body(answers, OLLAMA_LOADED), name),
        from_llama_cpp(props) if is_alone else UNKNOWN,
    )


def _is_embedder(row: JsonObject, answers: Answers) -> bool:
    """A model that makes vectors and no text, as its server says."""
    name = model_name(row)
    if str(_lm_studio_row(name, answers).get("type", "")).startswith("embedding"):
        return True
    tags = rows(mapping(_body(answers, OLLAMA_TAGS)).get("models"))
    told = (tag.get("capabilities") for tag in tags if tag.get("name") == name)
    return any(isinstance(each, list) and each == ["embedding"] for each in told)


def _lm_studio_row(name: str, answers: Answers) -> JsonObject:
    return lm_studio_row(_body(answers, LM_STUDIO), name) or lm_studio_row(
        _body(answers, LM_STUDIO_FORMER), name
    )


def _kind(found: tuple[JsonObject, ...], answers: Answers) -> str:
    """The most certain sign first: several servers answer some of Ollama's questions too."""
    owner = _OWNERS.get(_owner(found))
    if owner:
        return owner
    return next((kind for kind, is_it in _SIGNS if is_it(found, answers)), ANY_KIND)


def _owner(found: tuple[JsonObject, ...]) -> str:
    owner = found[0].get("owned_by") if found else None
    return owner.lower() if isinstance(owner, str) else ""


def _is_lm_studio(_: tuple[JsonObject, ...], answers: Answers) -> bool:
    paths = (LM_STUDIO, LM_STUDIO_FORMER)
    return any(lm_studio_rows(_body(answers, path)) for path in paths)


def _is_ollama(_: tuple[JsonObject, ...], answers: Answers) -> bool:
    tags = mapping(_body(answers, OLLAMA_TAGS))
    has_version = _has_version(_body(answers, OLLAMA_VERSION))
    return has_version and "models" in tags and isinstance(tags["models"], list | NoneType)


def _is_llama_cpp(_: tuple[JsonObject, ...], answers: Answers) -> bool:
    props = mapping(_body(answers, PROPS))
    return "total_slots" in props and "default_generation_settings" in props


def _is_web_ui(_: tuple[JsonObject, ...], answers: Answers) -> bool:
    return "model_name" in mapping(_body(answers, WEB_UI_MODEL))


def _is_vllm(found: tuple[JsonObject, ...], answers: Answers) -> bool:
    has_length = any("max_model_len" in row for row in found)
    return has_length and _has_version(_body(answers, VERSION))


def _is_local_ai(found: tuple[JsonObject, ...], answers: Answers) -> bool:
    version = mapping(_body(answers, VERSION)).get("version")
    is_plain = bool(found) and all(set(row) == {"id", "object"} for row in found)
    return is_plain and isinstance(version, str) and version.startswith("v")


def _is_mlx(found: tuple[JsonObject, ...], answers: Answers) -> bool:
    is_plain = bool(found) and all(set(row) == {"id", "object", "created"} for row in found)
    is_python = answers[MODELS].headers.get("server", "").startswith("BaseHTTP/")
    return is_plain and is_python and _body(answers, HEALTH) == {"status": "ok"}


_SIGNS: tuple[tuple[str, Callable[[tuple[JsonObject, ...], Answers], bool]], ...] = (
    ("LM Studio", _is_lm_studio),
    ("Ollama", _is_ollama),
    ("llama.cpp", _is_llama_cpp),
    ("text-generation-webui", _is_web_ui),
    ("vLLM", _is_vllm),
    ("LocalAI", _is_local_ai),
    ("MLX-LM", _is_mlx),
)


def _guarded_kind(first: Answer, answers: Answers) -> str:
    """What asks for a key here, or "" when nothing says that it is a model server."""
    title = mapping(mapping(_body(answers, DESCRIPTION)).get("info")).get("title")
    words = first.body.strip().lower() if isinstance(first.body, str) else ""
    if words == _JAN_REFUSAL or (isinstance(title, str) and title.lower().startswith("jan ")):
        return "Jan"
    error = mapping(first.body).get("error")
    if error == "Unauthorized" and _has_version(_body(answers, VERSION)):
        return "vLLM"
    message = mapping(error).get("message")
    if not isinstance(message, str):
        return ""
    if first.headers.get("server") == "llama.cpp":
        return "llama.cpp"
    if "LM Studio" in message:
        return "LM Studio"
    codes = {str(mapping(error).get(name)).lower() for name in ("code", "type")}
    return ANY_KIND if codes & _KEY_CODES else ""


def _wants_key(answer: Answer) -> bool:
    return answer.status in (401, 403)


def _is_loading(answer: Answer) -> bool:
    error = mapping(mapping(answer.body).get("error"))
    is_busy = answer.status == 503 and error.get("type") == "unavailable_error"
    return is_busy and str(error.get("message", "")).lower().startswith("loading model")


def _has_version(body: Json) -> bool:
    return isinstance(mapping(body).get("version"), str)


def _body(answers: Answers, path: str) -> Json:
    answer = answers.get(path)
    return answer.body if answer and answer.is_good else None


def _status(answers: Answers, path: str) -> int:
    answer = answers.get(path)
    return answer.status if answer else 0
