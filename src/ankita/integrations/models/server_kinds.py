"""Tells by their answers which model server listens at a port, and what it offers. Pure.

The port never counts: several servers share one, and anything may listen there.
"""

from __future__ import annotations

from dataclasses import dataclass

from ankita.integrations.models.model_abilities import (
    UNKNOWN,
    ModelAbilities,
    from_llama_cpp,
    from_lm_studio,
    from_ollama_loaded,
    from_row,
    lm_studio_row,
    mapping,
    rows,
)
from ankita.integrations.models.model_list import free_rows, model_name, model_rows
from ankita.integrations.models.server_question import Answer
from ankita.integrations.models.server_signs import (
    DESCRIPTION,
    DOCKER_MODELS,
    HEALTH,
    LM_STUDIO,
    LM_STUDIO_FORMER,
    MODELS,
    OLLAMA_LOADED,
    OLLAMA_TAGS,
    OLLAMA_VERSION,
    OWNERS,
    PROPS,
    VERSION,
    WEB_UI_MODEL,
    Answers,
    body_of,
    guarded_kind,
    kind_of,
    owner_of,
    status_of,
)
from ankita.messages import JsonObject

WANTS_KEY = "It wants a key."
NO_MODEL = "It has no model yet."
LOADING = "It is still loading its model."


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
    owner = owner_of(found)
    if owner in OWNERS:
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
        kind = guarded_kind(first, answers)
        return FoundServer(f"{address}/v1", kind, (), True, WANTS_KEY) if kind else None
    path, listed = ("/v1", first) if first.is_good else ("/engines/v1", answers.get(DOCKER_MODELS))
    found = model_rows(listed.body) if listed and listed.is_good else None
    if found is None:
        return None
    kind = kind_of(found, answers) if path == "/v1" else OWNERS["docker"]
    models = _models(found, answers)
    needs_key = status_of(answers, PROPS) in (401, 403) and kind == "llama.cpp"
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
    props = body_of(answers, PROPS)
    return (
        from_lm_studio(_lm_studio_row(name, answers)),
        from_ollama_loaded(body_of(answers, OLLAMA_LOADED), name),
        from_llama_cpp(props) if is_alone else UNKNOWN,
    )


def _is_embedder(row: JsonObject, answers: Answers) -> bool:
    """A model that makes vectors and no text, as its server says."""
    name = model_name(row)
    if str(_lm_studio_row(name, answers).get("type", "")).startswith("embedding"):
        return True
    tags = rows(mapping(body_of(answers, OLLAMA_TAGS)).get("models"))
    told = (tag.get("capabilities") for tag in tags if tag.get("name") == name)
    return any(isinstance(each, list) and each == ["embedding"] for each in told)


def _lm_studio_row(name: str, answers: Answers) -> JsonObject:
    return lm_studio_row(body_of(answers, LM_STUDIO), name) or lm_studio_row(
        body_of(answers, LM_STUDIO_FORMER), name
    )


def _wants_key(answer: Answer) -> bool:
    return answer.status in (401, 403)


def _is_loading(answer: Answer) -> bool:
    error = mapping(mapping(answer.body).get("error"))
    is_busy = answer.status == 503 and error.get("type") == "unavailable_error"
    return is_busy and str(error.get("message", "")).lower().startswith("loading model")
