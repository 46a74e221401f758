"""Writes GGUF headers field by field, whole or hostile."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

U8, U32, FLOAT, BOOL, TEXT, LIST, U64 = 0, 4, 6, 7, 8, 9, 10
_FORMATS = {U8: "<B", U32: "<I", FLOAT: "<f", BOOL: "<?", U64: "<Q"}

Field = tuple[str, int, Any]
"""Key, kind, value; the value of a LIST is (kind of its items, items)."""

MODEL: tuple[Field, ...] = (
    ("general.architecture", TEXT, "qwen3"),
    ("general.name", TEXT, "Small 1.7B"),
    ("qwen3.context_length", U32, 40_960),
    ("qwen3.block_count", U32, 28),
    ("qwen3.embedding_length", U32, 2_048),
    ("qwen3.attention.head_count", U32, 16),
    ("qwen3.attention.head_count_kv", U32, 8),
    ("qwen3.attention.key_length", U32, 128),
    ("qwen3.attention.value_length", U32, 128),
    ("tokenizer.ggml.tokens", LIST, (TEXT, ["a", "b", "\u00e4"])),
    ("tokenizer.ggml.scores", LIST, (FLOAT, [0.0] * 2_000)),
    ("tokenizer.chat_template", TEXT, "{% if tools %}{{ tools }}{% endif %}"),
)
TENSORS: tuple[tuple[str, Sequence[int], int], ...] = (
    ("token_embd.weight", (2_048, 1_000), 0),
    ("blk.0.attn_norm.weight", (2_048,), 4_096_000),
)
DATA_BYTES = 5_000_000
"""What stands behind the header in a file with TENSORS."""


def u32(value: int) -> bytes:
    return struct.pack("<I", value)


def u64(value: int) -> bytes:
    return struct.pack("<Q", value)


def text(value: str) -> bytes:
    data = value.encode()
    return u64(len(data)) + data


def value(kind: int, content: Any) -> bytes:
    if kind == TEXT:
        return text(content)
    if kind == LIST:
        inner, items = content
        return u32(inner) + u64(len(items)) + b"".join(value(inner, each) for each in items)
    return struct.pack(_FORMATS[kind], content)


def header(
    fields: Sequence[Field] = MODEL,
    tensors: Sequence[tuple[str, Sequence[int], int]] = TENSORS,
    *,
    version: int = 3,
) -> bytes:
    """A header. Tensors are (name, dimensions, offset)."""
    parts = [b"GGUF", u32(version), u64(len(tensors)), u64(len(fields))]
    parts += [text(key) + u32(kind) + value(kind, content) for key, kind, content in fields]
    for name, dimensions, offset in tensors:
        parts += [text(name), u32(len(dimensions)), *(u64(each) for each in dimensions)]
        parts += [u32(1), u64(offset)]
    return b"".join(parts)


def changed(key: str, kind: int, content: Any) -> tuple[Field, ...]:
    """MODEL with one field replaced or added."""
    return (*(field for field in MODEL if field[0] != key), (key, kind, content))
