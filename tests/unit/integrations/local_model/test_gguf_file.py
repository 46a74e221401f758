"""What is read from a model file, and how files that are none are refused."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from ankita.errors import CommandRefusedError
from ankita.integrations.local_model.gguf_file import GgufInfo, parse_gguf, read_gguf
from tests.servers.tiny_model import CONTEXT_TOKENS
from tests.unit.integrations.local_model import gguf_bytes as g

pytestmark = pytest.mark.spec("PRV-9")

MEGABYTE = 2**20


def parse(header: bytes) -> GgufInfo:
    return parse_gguf(header, file_bytes=len(header) + g.DATA_BYTES, name="file")


def written(tmp_path: Path, data: bytes, data_bytes: int = g.DATA_BYTES) -> Path:
    path = tmp_path / "model.gguf"
    with path.open("wb") as file:
        file.write(data)
        file.truncate(len(data) + data_bytes)
    return path


def test_a_model_says_what_it_is() -> None:
    header = g.header()
    assert parse(header) == GgufInfo(
        name="Small 1.7B",
        architecture="qwen3",
        file_bytes=len(header) + g.DATA_BYTES,
        parameters=2_048 * 1_000 + 2_048,
        context_tokens=40_960,
        cache_bytes_per_token=28 * 8 * (128 + 128) * 2,
        has_chat_template=True,
        offers_tools=True,
    )


def test_the_real_tiny_model_is_read(tiny_model_file: Path) -> None:
    info = read_gguf(tiny_model_file)
    assert (info.name, info.architecture) == ("tiny-followers", "llama")
    assert info.context_tokens == CONTEXT_TOKENS
    assert info.has_chat_template
    assert info.offers_tools
    assert info.file_bytes == tiny_model_file.stat().st_size
    assert info.cache_bytes_per_token


def test_what_is_not_told_is_unknown() -> None:
    bare = [("general.architecture", g.TEXT, "llama")]
    info = parse(g.header(bare))
    assert (info.name, info.context_tokens, info.cache_bytes_per_token) == ("file", None, None)
    assert not info.has_chat_template
    assert not info.offers_tools


def test_figures_for_each_layer_count_with_the_largest() -> None:
    fields = g.changed("qwen3.attention.head_count_kv", g.LIST, (g.U32, [0, 4, 2]))
    assert parse(g.header(fields)).cache_bytes_per_token == 28 * 4 * 256 * 2


@pytest.mark.parametrize("kind", [g.TEXT, g.BOOL, g.FLOAT])
def test_figures_of_the_wrong_kind_are_unknown(kind: int) -> None:
    fields = g.changed("qwen3.context_length", kind, "many" if kind == g.TEXT else 1)
    assert parse(g.header(fields)).context_tokens is None


def test_a_name_can_hide_nothing() -> None:
    fields = g.changed("general.name", g.TEXT, "Good\u202egpj\n" + "x" * 5_000)
    name = parse(g.header(fields)).name
    assert "\u202e" not in name
    assert "\n" not in name
    assert len(name) <= 120


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (g.changed("split.count", g.U32, 4), "one of 4 parts"),
        (g.changed("general.type", g.TEXT, "adapter"), "no language model"),
        (g.changed("general.architecture", g.TEXT, "clip"), "no language model"),
    ],
)
def test_what_is_no_whole_model_is_refused(fields: tuple[g.Field, ...], words: str) -> None:
    with pytest.raises(CommandRefusedError, match=words):
        parse(g.header(fields))


@pytest.mark.parametrize(
    ("version", "words"), [(1, "version of GGUF"), (3 << 24, "another kind of machine")]
)
def test_other_versions_are_told_apart(version: int, words: str) -> None:
    with pytest.raises(CommandRefusedError, match=words):
        parse(g.header(version=version))


START = b"GGUF" + g.u32(3)
HOSTILE = {
    "empty": b"",
    "text": b"This is a letter and no model." * 40,
    "many fields": START + g.u64(0) + g.u64(2**63),
    "many tensors": START + g.u64(2**63) + g.u64(0),
    "long key": START + g.u64(0) + g.u64(1) + g.u64(2**62) + b"x" * 100,
    "long text": START + g.u64(0) + g.u64(1) + g.text("a") + g.u32(g.TEXT) + g.u64(2**63),
    "long list": START
    + (g.u64(0) + g.u64(1) + g.text("a") + g.u32(g.LIST) + g.u32(g.U8) + g.u64(2**63)),
    "list of texts": START
    + (g.u64(0) + g.u64(1) + g.text("a") + g.u32(g.LIST) + g.u32(g.TEXT) + g.u64(2**63)),
    "list of lists": START
    + (g.u64(0) + g.u64(1) + g.text("a") + g.u32(g.LIST) + g.u32(g.LIST) + g.u64(1)),
    "unknown kind": START + g.u64(0) + g.u64(1) + g.text("a") + g.u32(99),
    "many dimensions": START + g.u64(1) + g.u64(0) + g.text("a") + g.u32(2**31),
    "endless tensor": g.header(tensors=[("a", (2**63, 2**63), 0)]),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_is_refused_and_takes_no_memory(tmp_path: Path, what: str) -> None:
    path = written(tmp_path, HOSTILE[what], 0)
    tracemalloc.start()
    try:
        with pytest.raises(CommandRefusedError) as refusal:
            read_gguf(path)
        assert tracemalloc.get_traced_memory()[1] < 4 * MEGABYTE
    finally:
        tracemalloc.stop()
    assert refusal.value.advice


def test_a_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandRefusedError, match="cut short"):
        read_gguf(written(tmp_path, g.header(), 1_000))
    with pytest.raises(CommandRefusedError, match="cut short"):
        read_gguf(written(tmp_path, g.header()[:-9], 0))


def test_a_header_longer_than_the_first_read_is_read_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ankita.integrations.local_model.gguf_file.FIRST_READ_BYTES", 100)
    assert read_gguf(written(tmp_path, g.header())).name == "Small 1.7B"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CommandRefusedError, match="could not be opened"):
        read_gguf(tmp_path / "nothing.gguf")
    with pytest.raises(CommandRefusedError, match="could not be opened"):
        read_gguf(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    with pytest.raises(CommandRefusedError, match="not a file"):
        read_gguf(tmp_path / "pipe.gguf")


def test_a_name_that_no_file_can_have_is_refused_plainly(tmp_path: Path) -> None:
    with pytest.raises(CommandRefusedError, match="could not be opened"):
        read_gguf(tmp_path / "a\0b.gguf")


def test_many_short_lists_of_numbers_take_no_more_memory_than_a_few() -> None:
    lists = [(f"x.{n}", g.LIST, (g.U64, [2**63] * 1_000)) for n in range(2_000)]
    header = g.header((*g.MODEL, *lists))
    tracemalloc.start()
    try:
        info = parse(header)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert info.name == "Small 1.7B"
    assert most < 8 * MEGABYTE
