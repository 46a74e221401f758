"""Two small tools over a thread's notes: remember for this thread, and list."""

from __future__ import annotations

from collections.abc import Sequence

from ankita.engine.transcripts import Transcripts
from ankita.errors import ToolArgumentsError
from ankita.ids import TurnId
from ankita.messages import Effect, JsonObject, Phase, ToolResult, ToolSpec, ToolStatus
from ankita.protocols import CallContext

MAX_NOTE_CHARACTERS = 2_000

REMEMBER = ToolSpec(
    name="remember_note",
    description="Keep a short note for this conversation, in the user's own words.",
    parameters={
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 1, "maxLength": MAX_NOTE_CHARACTERS}
        },
        "required": ["text"],
        "additionalProperties": False,
    },
    effect=Effect.CHANGES,
    app="notes",
    phase=Phase.ACTING,
    key_arguments=("text",),
)
LIST = ToolSpec(
    name="list_notes",
    description="List the notes kept for this conversation.",
    parameters={"type": "object", "properties": {}, "additionalProperties": False},
    effect=Effect.READS,
    app="notes",
    phase=Phase.READING,
)


TOOLS = (REMEMBER, LIST)


class ThreadNotes:
    """Implements the ToolProvider port over the transcript store."""

    def __init__(self, transcripts: Transcripts) -> None:
        self._transcripts = transcripts

    def tools(self) -> Sequence[ToolSpec]:
        return TOOLS

    async def call(self, name: str, arguments: JsonObject, context: CallContext) -> ToolResult:
        store = self._transcripts.store
        if name == LIST.name:
            notes = await store.notes(context.thread_id)
            lines = "\n".join(f"- {note}" for note in notes)
            return ToolResult(ToolStatus.OK, lines or "There are no notes here yet.")
        text = arguments.get("text")
        if not isinstance(text, str) or not text.strip():
            raise ToolArgumentsError("text: required", field="text")
        if len(text) > MAX_NOTE_CHARACTERS:
            raise ToolArgumentsError(
                f"text: at most {MAX_NOTE_CHARACTERS} characters", field="text"
            )
        await store.add_note(context.thread_id, text.strip(), self._transcripts.now())
        return ToolResult(ToolStatus.OK, f"Kept for this thread: {text.strip()}")

    async def end_turn(self, turn_id: TurnId) -> None:
        """Nothing runs on."""

    async def aclose(self) -> None:
        """Nothing to release."""
