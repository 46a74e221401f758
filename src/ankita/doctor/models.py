"""Checks what can answer: the model that is set, others on this machine, the built-in one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from ankita.config import ServerSettings, Settings
from ankita.doctor.finding import Finding, State, Subject
from ankita.engine import providers
from ankita.engine.preferences import read_settings
from ankita.engine.server_places import is_same_server
from ankita.engine.state import ServerOffer
from ankita.errors import AnkitaError

LOOK_SECONDS = 8.0

BUILT_IN = "The built-in assistant answers always."
NEEDS_KEY = "needs key"
READY = "ready"


def check_models(subject: Subject) -> Finding:
    """Sends no key and no message: servers are only asked what they offer."""
    settings = _settings(subject)
    return asyncio.run(_look(settings))


async def _look(settings: Settings) -> Finding:
    found = await _found_servers()
    server = settings.server
    if server is None:
        return without_server(found)
    if server.file:
        return judge_file(server)
    state, sentence = await providers.server_state(server.base_url, server.wire)
    others = [offer for offer in found if not is_same_server(offer.base_url, server.base_url)]
    return judge_server(server, state, sentence, others)


def without_server(found: Sequence[ServerOffer]) -> Finding:
    """No model is set: the built-in assistant answers, and what is here could."""
    if not found:
        return Finding("models", State.OK, f"{BUILT_IN} No model server was found here.")
    return Finding(
        "models",
        State.OK,
        f"{BUILT_IN} {_names(found)}",
        "Settings, or /servers in the terminal, lets one answer.",
    )


def judge_server(
    server: ServerSettings, state: str, sentence: str, others: Sequence[ServerOffer]
) -> Finding:
    """What became of the question to the server that is set."""
    also = f" {_names(others)}" if others else ""
    if state == READY:
        return Finding("models", State.OK, f"{sentence} “{server.model}” is set.{also}")
    if state == NEEDS_KEY and server.key_name:
        words = f"The model server answers and wants its key, which is not tried here.{also}"
        return Finding("models", State.OK, words)
    advice = "Start that server or choose another in Settings. The built-in assistant works."
    return Finding("models", State.WARN, f"{sentence}{also}", advice)


def judge_file(server: ServerSettings) -> Finding:
    """A model file that Ankita runs itself."""
    try:
        providers.check_local()
        name = providers.check_model_file(Path(server.file))
    except AnkitaError as error:
        advice = error.advice or "Choose another in Settings. The built-in assistant works."
        return Finding("models", State.WARN, error.message, advice)
    return Finding("models", State.OK, f"Ankita runs the model file “{name}” itself.")


async def _found_servers() -> Sequence[ServerOffer]:
    """What is here; a look that fails or takes long hides nothing else."""
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            return await providers.find_servers(None)
    except Exception:
        return ()


def _names(offers: Sequence[ServerOffer]) -> str:
    each = [f"{offer.kind} at {offer.base_url} ({_count(offer)})" for offer in offers]
    return f"Found here: {', '.join(each)}."


def _count(offer: ServerOffer) -> str:
    if offer.note and not offer.models:
        return offer.note.rstrip(".")
    count = len(offer.models)
    return f"{count} model" if count == 1 else f"{count} models"


def _settings(subject: Subject) -> Settings:
    try:
        return read_settings(subject.paths)[0]
    except (OSError, AnkitaError):
        return Settings()
