"""Says what is in a GGUF model file, from its header alone; a hostile file gets a plain refusal."""

from __future__ import annotations

import errno
import logging
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ankita.errors import CommandRefusedError
from ankita.integrations.local_model.gguf_cursor import (
    Cursor,
    HeaderEndsError,
    MalformedHeaderError,
)
from ankita.messages import Json
from ankita.security.display_text import visible

MAX_HEADER_BYTES: Final = 64 * 1024 * 1024
FIRST_READ_BYTES: Final = 16 * 1024 * 1024
MAX_FIELDS: Final = 65_536
MAX_TENSORS: Final = 65_536
MAX_DIMENSIONS: Final = 4
MAX_NAME_CHARACTERS: Final = 120

_MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
_OTHER_ENDIAN: Final = tuple(version << 24 for version in _VERSIONS)
_MAX_SIZE: Final = 2**62
_CACHE_BYTES: Final = 2
"""llama.cpp keeps its cache in numbers of 16 bits."""
_NOT_MODELS: Final = frozenset({"adapter", "mmproj", "imatrix"})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GgufInfo:
    """What a model file says about itself; None is unknown.

    `parameters` is counted from the tensors. `context_tokens` is what it was trained
    for. `cache_bytes_per_token` is the memory each token of context takes.
    `offers_tools`: its chat template knows tools.
    """

    name: str
    architecture: str
    file_bytes: int
    parameters: int
    context_tokens: int | None
    cache_bytes_per_token: int | None
    has_chat_template: bool
    offers_tools: bool


def read_gguf(path: Path) -> GgufInfo:
    """Read the header of `path`; blocks. Raises CommandRefusedError with the reason."""
    try:
        status = _status(path)
        if not stat.S_ISREG(status.st_mode):  # opening a pipe could take for ever
            raise OSError(errno.EINVAL, "it is not a file")
        return _read_start(path, status.st_size)
    except OSError as error:
        why = error.strerror or "no reason given"
        raise CommandRefusedError(
            f"{_shown(path.name)} could not be opened: {why}.",
            advice="Check that the file is still there and that you may read it.",
        ) from error
    except HeaderEndsError as error:
        raise _cut_short(path.stem) from error
    except MalformedHeaderError as error:
        _log.info("a model file was refused: %s", error)
        raise CommandRefusedError(
            f"{_shown(path.name)} is damaged or no GGUF model file.",
            advice="Download it again, or choose another file.",
        ) from error


def _status(path: Path) -> os.stat_result:
    """Raises OSError, also for a name that no file can have."""
    try:
        return path.stat()
    except ValueError as error:  # a NUL in it
        raise OSError(errno.EINVAL, "its name is none that a file can have") from error


def _read_start(path: Path, size: int) -> GgufInfo:
    with path.open("rb") as file:
        data = file.read(min(size, FIRST_READ_BYTES))
        try:
            return parse_gguf(data, file_bytes=size, name=path.stem)
        except HeaderEndsError:
            data += file.read(max(0, min(size, MAX_HEADER_BYTES) - len(data)))
            return parse_gguf(data, file_bytes=size, name=path.stem)


def parse_gguf(data: bytes, *, file_bytes: int, name: str) -> GgufInfo:
    """Read a header. `data` is the start of a file of `file_bytes`, `name` what it is called.

    Pure. Raises MalformedHeaderError, or CommandRefusedError where a plain reason is known.
    """
    cursor = Cursor(data)
    tensor_count, field_count = _counts(cursor, name)
    fields: dict[str, Json] = {}
    for _ in range(field_count):
        key = cursor.key()
        fields.setdefault(key, cursor.value())
    _refuse_other_kinds(fields, name)
    parameters, last_offset = _tensors(cursor, tensor_count)
    if cursor.position + last_offset >= file_bytes:
        raise _cut_short(name)
    return _info(fields, name=name, file_bytes=file_bytes, parameters=parameters)


def _counts(cursor: Cursor, name: str) -> tuple[int, int]:
    """The number of tensors and of fields."""
    magic, version = cursor.u32().to_bytes(4, "little"), cursor.u32()
    if magic != _MAGIC:
        raise MalformedHeaderError("no GGUF mark")
    if version not in _VERSIONS:
        raise _other_version(name, is_other_machine=version in _OTHER_ENDIAN)
    tensors, fields = cursor.u64(), cursor.u64()
    if tensors > MAX_TENSORS or fields > MAX_FIELDS:
        raise MalformedHeaderError(f"{tensors} tensors and {fields} fields")
    return tensors, fields


def _tensors(cursor: Cursor, count: int) -> tuple[int, int]:
    """How many numbers all tensors hold, and where the last one begins among them."""
    total = last_offset = 0
    for _ in range(count):
        cursor.key()
        dimensions = cursor.u32()
        if dimensions > MAX_DIMENSIONS:
            raise MalformedHeaderError(f"a tensor of {dimensions} dimensions")
        numbers = 1
        for _ in range(dimensions):
            numbers *= cursor.u64()
        cursor.u32()  # how its numbers are packed
        last_offset = max(last_offset, cursor.u64())
        total += numbers
        if total > _MAX_SIZE:
            raise MalformedHeaderError("more numbers than any model has")
    return total, last_offset


def _info(fields: Mapping[str, Json], *, name: str, file_bytes: int, parameters: int) -> GgufInfo:
    architecture = _text(fields, "general.architecture")
    template = _text(fields, "tokenizer.chat_template")
    return GgufInfo(
        name=_shown(_text(fields, "general.name").strip() or name),
        architecture=_shown(architecture),
        file_bytes=file_bytes,
        parameters=parameters,
        context_tokens=_whole(fields, f"{architecture}.context_length"),
        cache_bytes_per_token=_cache_bytes(fields, architecture),
        has_chat_template=bool(template.strip()),
        offers_tools="tools" in template,
    )


def _cache_bytes(fields: Mapping[str, Json], architecture: str) -> int | None:
    """Keys and values of every layer for one token; None where the figures are not told."""

    def whole(name: str) -> int | None:
        return _whole(fields, f"{architecture}.{name}")

    layers, heads = whole("block_count"), whole("attention.head_count")
    width = whole("embedding_length")
    if not (layers and heads and width):
        return None
    kept_heads = whole("attention.head_count_kv") or heads
    key = whole("attention.key_length") or width // heads
    value = whole("attention.value_length") or width // heads
    return layers * kept_heads * (key + value) * _CACHE_BYTES


def _refuse_other_kinds(fields: Mapping[str, Json], name: str) -> None:
    parts = _whole(fields, "split.count") or 1
    if parts > 1:
        raise CommandRefusedError(
            f"{_shown(name)} is one of {parts} parts of a model.",
            advice="Choose a model that is one whole file.",
        )
    architecture = _text(fields, "general.architecture")
    kind = _text(fields, "general.type")
    if not architecture or kind in _NOT_MODELS or architecture == "clip":
        raise CommandRefusedError(
            f"{_shown(name)} holds no language model, but an addition to one.",
            advice="Choose the model's own file.",
        )


def _text(fields: Mapping[str, Json], key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _whole(fields: Mapping[str, Json], key: str) -> int | None:
    """A positive whole number; of a list, its largest."""
    value = fields.get(key)
    numbers = value if isinstance(value, list) else [value]
    found = [each for each in numbers if type(each) is int and 0 < each < 2**32]
    return max(found, default=None)


def _shown(text: str) -> str:
    one_line = " ".join(visible(text[: MAX_NAME_CHARACTERS * 2]).split())
    return one_line[:MAX_NAME_CHARACTERS]


def _cut_short(name: str) -> CommandRefusedError:
    return CommandRefusedError(
        f"{_shown(name)} is cut short: a part of the model is missing.",
        advice="Download the file again.",
    )


def _other_version(name: str, *, is_other_machine: bool) -> CommandRefusedError:
    if is_other_machine:
        return CommandRefusedError(
            f"{_shown(name)} was made for another kind of machine.",
            advice="Choose a file for little-endian machines; nearly all are.",
        )
    return CommandRefusedError(
        f"{_shown(name)} is of a version of GGUF that Ankita cannot read.",
        advice="Choose a newer file of the same model.",
    )
