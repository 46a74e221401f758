"""How arguments become a schema and how wrong ones are told."""

from __future__ import annotations

import pytest

from ankita.errors import ToolArgumentsError
from ankita.integrations.native.tool_model import Arguments, NativeTool, argument, native_tool
from ankita.messages import Effect, Phase, ToolResult, ToolStatus
from ankita.protocols import CallContext
from tests.fakes.tools import make_context

pytestmark = pytest.mark.spec("TOL-5")


class Book(Arguments):
    """Not for the model."""

    title: str = argument(description="Its title.")
    copies: int = argument(default=1, ge=1, le=5)


@pytest.fixture
def tool() -> NativeTool:
    async def handle(args: Book, _context: CallContext) -> ToolResult:
        return ToolResult(ToolStatus.OK, f"{args.title} x {args.copies}")

    return native_tool(
        Book,
        handle,
        name="order",
        description="Order a book.",
        effect=Effect.CHANGES,
        app="shop",
        phase=Phase.ACTING,
        key_arguments=("title",),
    )


def test_the_schema_is_short_and_closed(tool: NativeTool) -> None:
    assert tool.spec.parameters == {
        "type": "object",
        "additionalProperties": False,
        "required": ["title"],
        "properties": {
            "title": {"type": "string", "description": "Its title."},
            "copies": {"type": "integer", "default": 1, "minimum": 1, "maximum": 5},
        },
    }
    assert tool.spec.read_only_hint is False


async def test_defaults_and_number_words_are_accepted(tool: NativeTool) -> None:
    result = await tool.run({"title": "Emma", "copies": "2"}, make_context())
    assert result.text == "Emma x 2"


@pytest.mark.parametrize(
    ("arguments", "field", "text"),
    [
        ({}, "title", "title: required"),
        ({"title": 5}, "title", "title: should be a valid string"),
        ({"title": "a", "copies": 9}, "copies", "copies: should be less than or equal to 5"),
        ({"title": "a", "name": "b"}, "name", "name: unknown argument"),
    ],
)
async def test_wrong_arguments_name_the_field(
    tool: NativeTool, arguments: dict[str, object], field: str, text: str
) -> None:
    with pytest.raises(ToolArgumentsError) as refused:
        await tool.run(arguments, make_context())
    assert str(refused.value) == text
    assert refused.value.field == field
    assert refused.value.advice == "Known arguments: title, copies."


async def test_a_wrong_value_is_not_repeated(tool: NativeTool) -> None:
    with pytest.raises(ToolArgumentsError) as refused:
        await tool.run({"title": ["my-password"]}, make_context())
    assert "my-password" not in refused.value.sentence()
