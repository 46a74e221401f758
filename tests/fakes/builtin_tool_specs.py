"""Tool declarations shaped as the product's own, for tests of what is asked of them."""

from __future__ import annotations

from collections.abc import Sequence

from ankita.messages import Effect, Json, Phase, ToolSpec

TEXT: dict[str, Json] = {"type": "string"}
PATH: dict[str, Json] = {"type": "string", "default": "."}


def tool(
    name: str,
    properties: dict[str, Json],
    required: Sequence[str] = (),
    effect: Effect = Effect.READS,
    description: str = "A tool.",
) -> ToolSpec:
    """A tool whose schema refuses arguments that it does not name."""
    return ToolSpec(
        name=name,
        description=description,
        parameters={
            "type": "object",
            "properties": properties,
            "required": list(required),
            "additionalProperties": False,
        },
        effect=effect,
        app="test",
        phase=Phase.READING,
    )


TOOLS = (
    tool(
        "read_file",
        {"path": TEXT, "offset": {"type": "integer", "minimum": 1}, "limit": {"type": "integer"}},
        ["path"],
        description="Read a text file.",
    ),
    tool("write_file", {"path": TEXT, "content": TEXT}, ["path", "content"], Effect.CHANGES),
    tool(
        "edit_file",
        {"path": TEXT, "old_text": {"type": "string", "minLength": 1}, "new_text": TEXT},
        ["path", "old_text", "new_text"],
        Effect.CHANGES,
    ),
    tool("list_folder", {"path": PATH}),
    tool("find_files", {"pattern": {"type": "string", "minLength": 1}, "path": PATH}, ["pattern"]),
    tool(
        "search_files",
        {"pattern": {"type": "string", "minLength": 1}, "path": PATH},
        ["pattern"],
    ),
    tool(
        "run_command",
        {
            "command": {"type": "string", "minLength": 1},
            "folder": PATH,
            "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": 600},
            "background": {"type": "boolean"},
        },
        ["command"],
        Effect.CHANGES,
    ),
    tool("job_output", {"job_id": TEXT}, ["job_id"]),
    tool("job_stop", {"job_id": TEXT}, ["job_id"], Effect.CHANGES),
    tool("job_list", {}),
    tool("remember_note", {"text": {"type": "string", "minLength": 1}}, ["text"], Effect.CHANGES),
    tool("list_notes", {}),
)
