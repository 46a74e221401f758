"""The signs by which model servers are told apart in what they answer. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import NoneType

from ankita.integrations.models.model_abilities import lm_studio_rows, mapping
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

OWNERS = {
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


def kind_of(found: tuple[JsonObject, ...], answers: Answers) -> str:
    """The most certain sign first: several servers answer some of Ollama's questions too."""
    owner = OWNERS.get(owner_of(found))
    if owner:
        return owner
    return next((kind for kind, is_it in _SIGNS if is_it(found, answers)), ANY_KIND)


def owner_of(found: tuple[JsonObject, ...]) -> str:
    owner = found[0].get("owned_by") if found else None
    return owner.lower() if isinstance(owner, str) else ""


def _is_lm_studio(_: tuple[JsonObject, ...], answers: Answers) -> bool:
    paths = (LM_STUDIO, LM_STUDIO_FORMER)
    return any(lm_studio_rows(body_of(answers, path)) for path in paths)


def _is_ollama(_: tuple[JsonObject, ...], answers: Answers) -> bool:
    tags = mapping(body_of(answers, OLLAMA_TAGS))
    has_version = _has_version(body_of(answers, OLLAMA_VERSION))
    return has_version and "models" in tags and isinstance(tags["models"], list | NoneType)


def _is_llama_cpp(_: tuple[JsonObject, ...], answers: Answers) -> bool:
    props = mapping(body_of(answers, PROPS))
    return "total_slots" in props and "default_generation_settings" in props


def _is_web_ui(_: tuple[JsonObject, ...], answers: Answers) -> bool:
    return "model_name" in mapping(body_of(answers, WEB_UI_MODEL))


def _is_vllm(found: tuple[JsonObject, ...], answers: Answers) -> bool:
    has_length = any("max_model_len" in row for row in found)
    return has_length and _has_version(body_of(answers, VERSION))


def _is_local_ai(found: tuple[JsonObject, ...], answers: Answers) -> bool:
    version = mapping(body_of(answers, VERSION)).get("version")
    is_plain = bool(found) and all(set(row) == {"id", "object"} for row in found)
    return is_plain and isinstance(version, str) and version.startswith("v")


def _is_mlx(found: tuple[JsonObject, ...], answers: Answers) -> bool:
    is_plain = bool(found) and all(set(row) == {"id", "object", "created"} for row in found)
    is_python = answers[MODELS].headers.get("server", "").startswith("BaseHTTP/")
    return is_plain and is_python and body_of(answers, HEALTH) == {"status": "ok"}


_SIGNS: tuple[tuple[str, Callable[[tuple[JsonObject, ...], Answers], bool]], ...] = (
    ("LM Studio", _is_lm_studio),
    ("Ollama", _is_ollama),
    ("llama.cpp", _is_llama_cpp),
    ("text-generation-webui", _is_web_ui),
    ("vLLM", _is_vllm),
    ("LocalAI", _is_local_ai),
    ("MLX-LM", _is_mlx),
)


def guarded_kind(first: Answer, answers: Answers) -> str:
    """What asks for a key here, or "" when nothing says that it is a model server."""
    title = mapping(mapping(body_of(answers, DESCRIPTION)).get("info")).get("title")
    words = first.body.strip().lower() if isinstance(first.body, str) else ""
    if words == _JAN_REFUSAL or (isinstance(title, str) and title.lower().startswith("jan ")):
        return "Jan"
    error = mapping(first.body).get("error")
    if error == "Unauthorized" and _has_version(body_of(answers, VERSION)):
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


def _has_version(body: Json) -> bool:
    return isinstance(mapping(body).get("version"), str)


def body_of(answers: Answers, path: str) -> Json:
    answer = answers.get(path)
    return answer.body if answer and answer.is_good else None


def status_of(answers: Answers, path: str) -> int:
    answer = answers.get(path)
    return answer.status if answer else 0
