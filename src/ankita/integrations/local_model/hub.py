"""Asks the model hub what can be fetched: the list names places, every fact comes from the hub."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from ankita.errors import ModelError, ModelProtocolError, ModelTimeoutError
from ankita.integrations.local_model.hub_connection import (
    PUBLIC_HUB,
    hub_client,
    hub_host,
    open_url,
    refusal,
)
from ankita.integrations.models.server_connection import read_at_most
from ankita.integrations.models.server_words import parse_body
from ankita.messages import Json
from ankita.security.display_text import visible

if TYPE_CHECKING:
    import httpx2

LIST_SECONDS: Final = 20.0
MAX_ANSWER_BYTES: Final = 2 * 1024 * 1024
MAX_MODEL_BYTES: Final = 64 * 1024**3
MAX_WORD_CHARACTERS: Final = 80

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}\.gguf")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LICENCE_NAMES: Final = {"apache-2.0": "Apache-2.0", "mit": "MIT"}
_NO_LICENCE: Final = frozenset({"", "other", "unknown"})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RecommendedModel:
    """A place at the hub. `files` are patterns, the best first; `note` says for whom it is."""

    repository: str
    files: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class FoundModelFile:
    """A file as its hub describes it now. `size` in bytes; `id` is repository and file name."""

    id: str
    name: str
    publisher: str
    licence: str
    size: int
    sha256: str
    host: str
    note: str = ""


_BALANCED: Final = ("*Q4_K_M.gguf", "*Q8_0.gguf")
"""Four bits where they are offered; small models are often published in eight alone."""

RECOMMENDED: Final = (
    RecommendedModel(
        "Qwen/Qwen3-0.6B-GGUF",
        _BALANCED,
        "Runs on nearly every machine. For short and simple tasks.",
    ),
    RecommendedModel(
        "Qwen/Qwen3-1.7B-GGUF",
        _BALANCED,
        "For most machines with 8 GB of memory.",
    ),
    RecommendedModel(
        "Qwen/Qwen3-4B-GGUF",
        _BALANCED,
        "The most able of these. Wants 16 GB of memory and 8 cores.",
    ),
)


async def list_models(
    base: str = PUBLIC_HUB,
    *,
    recommended: tuple[RecommendedModel, ...] = RECOMMENDED,
    seconds: float = LIST_SECONDS,
) -> tuple[FoundModelFile, ...]:
    """What the hub offers now, in the order of the list; what it can't vouch for is left out.

    Raises ModelError when it could be asked for none of them.
    """
    async with hub_client(base, silence_seconds=seconds) as client:
        questions = (_ask(client, each, base, seconds) for each in recommended)
        answers = await asyncio.gather(*questions, return_exceptions=True)
    found: list[FoundModelFile] = []
    failures: list[BaseException] = []
    for model, answer in zip(recommended, answers, strict=True):
        if isinstance(answer, BaseException):
            failures.append(answer)
        elif (file := offered_file(model, answer, hub_host(base))) is not None:
            found.append(file)
    unforeseen = (each for each in failures if not isinstance(each, ModelError))
    if (error := next(unforeseen, None)) is not None:
        raise error
    if failures and len(failures) == len(recommended):
        raise failures[0]
    return tuple(found)


def file_url(offer_id: str, base: str = PUBLIC_HUB) -> str:
    """Where the file of an offer lies. Raises ModelProtocolError for an id that is none."""
    repository, _, file = offer_id.rpartition("/")
    if repository.count("/") != 1 or not is_file_name(file):
        raise ModelProtocolError("The model's name is none that a hub gives.")
    return f"{base.rstrip('/')}/{quote(repository)}/resolve/main/{quote(file)}"


def is_file_name(name: str) -> bool:
    """Whether this can be the name of a model file, here and at the hub."""
    return bool(_FILE_NAME.fullmatch(name))


def offered_file(model: RecommendedModel, answer: Json, host: str) -> FoundModelFile | None:
    """The offer in the hub's answer about one repository, or None. Pure.

    None where a fact is missing or the file is only for some accounts.
    """
    if not isinstance(answer, Mapping) or answer.get("gated") or answer.get("private"):
        return None
    card = answer.get("cardData")
    licence = _word(card.get("license")) if isinstance(card, Mapping) else ""
    file = _best_file(model.files, answer.get("siblings"))
    if file is None or licence in _NO_LICENCE:
        _log.info("%s is not offered: its licence or its hash is not told", model.repository)
        return None
    name, size, sha256 = file
    return FoundModelFile(
        id=f"{model.repository}/{name}",
        name=name.removesuffix(".gguf"),
        publisher=_word(answer.get("author")) or model.repository.partition("/")[0],
        licence=_LICENCE_NAMES.get(licence, licence),
        size=size,
        sha256=sha256,
        host=host,
        note=model.note,
    )


def _best_file(patterns: tuple[str, ...], siblings: Json) -> tuple[str, int, str] | None:
    """Name, size and hash of the file that fits the first pattern of all."""
    rows = siblings if isinstance(siblings, list) else []
    files = [file for row in rows if (file := _file(row)) is not None]
    for pattern in patterns:
        for file in sorted(files):
            if fnmatchcase(file[0], pattern):
                return file
    return None


def _file(row: Json) -> tuple[str, int, str] | None:
    if not isinstance(row, Mapping):
        return None
    name, stored = row.get("rfilename"), row.get("lfs")
    if not isinstance(stored, Mapping) or not isinstance(name, str) or not is_file_name(name):
        return None
    size, sha256 = stored.get("size", row.get("size")), stored.get("sha256")
    if type(size) is not int or not 0 < size <= MAX_MODEL_BYTES:
        return None
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        return None
    return name, size, sha256


def _word(value: Json) -> str:
    return visible(value.strip()[:MAX_WORD_CHARACTERS]) if isinstance(value, str) else ""


async def _ask(
    client: httpx2.AsyncClient, model: RecommendedModel, base: str, seconds: float
) -> Json:
    """The hub's answer about one repository. Raises ModelError."""
    url = f"{base.rstrip('/')}/api/models/{quote(model.repository)}?blobs=true"
    try:
        async with asyncio.timeout(seconds), open_url(client, url, base) as response:
            if response.status_code != 200:
                raise refusal(response.status_code, base)
            body = await read_at_most(response, MAX_ANSWER_BYTES)
    except TimeoutError:
        raise ModelTimeoutError(
            f"{hub_host(base)} did not answer within {seconds:g} seconds.",
            advice="Check the network, then try again.",
        ) from None
    return parse_body(body.decode("utf-8", errors="replace"))
