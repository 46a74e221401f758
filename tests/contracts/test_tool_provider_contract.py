"""What every ToolProvider keeps to, fakes included."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ankita.errors import ToolArgumentsError, ToolError
from ankita.integrations.native.provider import NativeTools
from ankita.messages import Effect, Phase
from ankita.protocols import ToolProvider
from ankita.security.scope import FolderScope, Grant
from tests.fakes.tools import FakeToolProvider, RecordingToolProvider, make_context, make_spec


@pytest.fixture(params=["fake", "recording", "native"])
async def provider(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ToolProvider]:
    specs = [make_spec("look_up", word={"type": "string"}, key_arguments=("word",))]
    made: ToolProvider
    match request.param:
        case "fake":
            made = FakeToolProvider(specs)
        case "recording":
            made = RecordingToolProvider(FakeToolProvider(specs))
        case _:
            scope = FolderScope(lambda: [Grant(tmp_path, may_write=True)])
            made = NativeTools(scope, is_secret=lambda _name, _value: False)
    yield made
    await made.aclose()


@pytest.mark.spec("TOL-5")
async def test_every_tool_declares_what_the_gate_needs(provider: ToolProvider) -> None:
    specs = provider.tools()
    assert specs
    assert len({spec.name for spec in specs}) == len(specs)
    for spec in specs:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", spec.name)
        assert spec.description
        assert spec.app
        assert isinstance(spec.effect, Effect)
        assert isinstance(spec.phase, Phase)
        assert spec.parameters["type"] == "object"
        assert set(spec.key_arguments) <= set(spec.parameters["properties"])


async def test_the_tools_stay_the_same_between_two_looks(provider: ToolProvider) -> None:
    assert list(provider.tools()) == list(provider.tools())


async def test_an_unknown_tool_is_a_tool_error(provider: ToolProvider) -> None:
    with pytest.raises(ToolError, match="no tool teleport"):
        await provider.call("teleport", {}, make_context())


async def test_closing_twice_is_harmless(provider: ToolProvider) -> None:
    await provider.aclose()
    await provider.aclose()


@pytest.mark.spec("TOL-5")
async def test_native_tools_refuse_an_argument_they_do_not_know(tmp_path: Path) -> None:
    scope = FolderScope(lambda: [Grant(tmp_path, may_write=True)])
    native = NativeTools(scope, is_secret=lambda _name, _value: False)
    for spec in native.tools():
        with pytest.raises(ToolArgumentsError) as refused:
            await native.call(spec.name, {"colour": "red"}, make_context())
        assert "colour: unknown argument" in str(refused.value)
