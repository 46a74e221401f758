"""A workspace with the native tools in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ankita.integrations.native.provider import NativeTools
from ankita.messages import ToolResult
from ankita.security.scope import FolderScope, Grant
from tests.fakes.tools import make_context

Call = Callable[..., Awaitable[ToolResult]]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def scope(workspace: Path, tmp_path: Path) -> FolderScope:
    library = tmp_path / "library"
    library.mkdir()
    return FolderScope(lambda: [Grant(workspace, True), Grant(library, False)])


@pytest.fixture
async def call(scope: FolderScope) -> AsyncIterator[Call]:
    native = NativeTools(scope, is_secret=lambda _name, _value: False)

    async def run(name: str, /, **arguments: Any) -> ToolResult:
        return await native.call(name, arguments, make_context())

    yield run
    await native.aclose()
