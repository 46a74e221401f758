"""Pytest fixtures for the real model server; import them in a conftest or a test file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.llama_server import LlamaServer, start_llama_server
from tests.servers.tiny_model import write_tiny_model


@pytest.fixture(scope="session")
def tiny_model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model, written once for the run."""
    pytest.importorskip("gguf")
    return write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture(scope="session")
def llama_server(tiny_model_file: Path) -> Iterator[LlamaServer]:
    """The real llama.cpp server with the tiny model, without a key."""
    pytest.importorskip("xllamacpp")
    server = start_llama_server(tiny_model_file)
    yield server
    server.stop()
