"""The tools that write a file and replace passages in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ankita.errors import ToolArgumentsError, ToolError
from ankita.integrations.native.blocking_work import StopFlag, in_thread
from ankita.integrations.native.exact_edit import Edited, replace_exact
from ankita.integrations.native.scoped_files import ScopedFiles
from ankita.integrations.native.text_encoding import DecodedText, binary_kind, decode
from ankita.integrations.native.tool_model import Arguments, NativeTool, argument, native_tool
from ankita.messages import Effect, Phase, ToolResult, ToolStatus
from ankita.protocols import CallContext
from ankita.security.scope import FolderScope, ScopedPath

MAX_EDITED_BYTES = 5_000_000

_REDACTION = re.compile(r"\[(?:REDACTED|STORED):")


class WriteFile(Arguments):
    path: str = argument(description="File to create or overwrite.")
    content: str = argument(description="The whole new content.")


class EditFile(Arguments):
    path: str
    old_text: str = argument(min_length=1, description="Exact passage to replace.")
    new_text: str = argument(description="What to put there.")
    replace_all: bool = argument(default=False, description="Replace every place.")


class FileChanges:
    """Handlers of write_file and edit_file. Disk work happens in threads."""

    def __init__(self, scope: FolderScope, files: ScopedFiles) -> None:
        self._scope = scope
        self._files = files

    def declare(self) -> Sequence[NativeTool]:
        """The tools, ready to offer."""
        return (
            native_tool(
                WriteFile,
                self._write,
                name="write_file",
                description="Create a file or replace its whole content. Makes missing folders.",
                effect=Effect.CHANGES,
                app="files",
                phase=Phase.ACTING,
                key_arguments=("path", "content"),
            ),
            native_tool(
                EditFile,
                self._edit,
                name="edit_file",
                description="Replace an exact passage of a file; it must be there just once.",
                effect=Effect.CHANGES,
                app="files",
                phase=Phase.ACTING,
                key_arguments=("path", "old_text", "new_text", "replace_all"),
            ),
        )

    async def _write(self, args: WriteFile, _context: CallContext) -> ToolResult:
        _refuse_redactions(args.content, "", "content")
        content = _encoded(args.content, DecodedText("", "utf-8"), "content")

        def write(stop: StopFlag) -> tuple[ScopedPath, bool]:
            place = self._scope.locate(args.path, for_writing=True)
            return place, self._files.replace(place, content, stop.is_set)

        place, is_new = await in_thread(write)
        done = "Created" if is_new else "Replaced"
        return ToolResult(
            ToolStatus.OK,
            f"{done} {self._scope.shown(place.path)} ({len(content):,} bytes).",
            {"path": str(place.path), "created": is_new},
        )

    async def _edit(self, args: EditFile, _context: CallContext) -> ToolResult:
        _refuse_redactions(args.new_text, args.old_text, "new_text")

        def edit(stop: StopFlag) -> tuple[ScopedPath, Edited]:
            place = self._scope.locate(args.path, for_writing=True)
            content = self._files.read(place, MAX_EDITED_BYTES)
            decoded = decode(content)
            if decoded is None:
                shown = self._scope.shown(place.path)
                raise ToolError(f"{shown} is not text: it is {binary_kind(content)}.")
            edited = replace_exact(
                decoded.text, args.old_text, args.new_text, replace_all=args.replace_all
            )
            changed = _encoded(edited.text, decoded, "new_text")
            self._files.replace(place, changed, stop.is_set, expected=content)
            return place, edited

        place, edited = await in_thread(edit)
        places = "1 place" if edited.count == 1 else f"{edited.count} places"
        return ToolResult(
            ToolStatus.OK,
            f"Changed {places} in {self._scope.shown(place.path)}, from line {edited.first_line}.",
            {"path": str(place.path), "created": False, "replaced": edited.count},
        )


def _refuse_redactions(text: str, replaced: str, field: str) -> None:
    """A marker stands for a secret that was hidden from the model; saving it loses the secret.

    A marker that the file itself already holds at that place may stay.
    """
    if len(_REDACTION.findall(text)) > len(_REDACTION.findall(replaced)):
        raise ToolArgumentsError(
            f"{field}: holds a [REDACTED:…] or [STORED:…] marker in place of a secret. "
            "Nothing was changed, because the real value would be lost.",
            field=field,
            advice="Use edit_file and leave out the lines with the marker.",
        )


def _encoded(text: str, like: DecodedText, field: str) -> bytes:
    try:
        return like.encode(text)
    except UnicodeEncodeError as error:
        bad = text[error.start].encode("unicode_escape").decode()
        raise ToolArgumentsError(
            f"{field}: {like.name} has no character {bad}; nothing was changed", field=field
        ) from None
