"""The tool that reads a text file or a document."""

from __future__ import annotations

from collections.abc import Sequence

from ankita.errors import DocumentError, ToolArgumentsError, ToolError, UnsupportedDocumentError
from ankita.integrations.native.blocking_work import StopFlag, in_thread
from ankita.integrations.native.scoped_files import ScopedFiles
from ankita.integrations.native.text_encoding import binary_kind, decode
from ankita.integrations.native.tool_model import Arguments, NativeTool, argument, native_tool
from ankita.messages import Effect, Phase, ToolResult, ToolStatus
from ankita.protocols import CallContext, DocumentReader
from ankita.security.scope import FolderScope, ScopedPath

MAX_READ_BYTES = 5_000_000
MAX_READ_LINES = 2_000
MAX_READ_CHARACTERS = 60_000

DOCUMENT_SUFFIXES = frozenset({".pdf", ".docx"})


class ReadFile(Arguments):
    path: str = argument(description="File, from the workspace folder or in full.")
    offset: int = argument(default=1, ge=1, description="First line, counted from 1.")
    limit: int = argument(default=400, ge=1, le=MAX_READ_LINES, description="How many lines.")


class FileReading:
    """Handler of read_file. Disk work happens in threads.

    `reader` reads documents such as PDF; without it they are refused as binary.
    """

    def __init__(
        self, scope: FolderScope, files: ScopedFiles, reader: DocumentReader | None = None
    ) -> None:
        self._scope = scope
        self._files = files
        self._reader = reader

    def declare(self) -> Sequence[NativeTool]:
        """The tools, ready to offer."""
        return (
            native_tool(
                ReadFile,
                self._read,
                name="read_file",
                description="Read a text file or document, whole or a range of lines.",
                effect=Effect.READS,
                app="files",
                phase=Phase.READING,
                key_arguments=("path",),
            ),
        )

    async def _read(self, args: ReadFile, context: CallContext) -> ToolResult:
        def load(_stop: StopFlag) -> tuple[ScopedPath, bytes | None]:
            place = self._scope.locate(args.path, for_writing=False)
            if self._reader and place.path.suffix.lower() in DOCUMENT_SUFFIXES:
                self._files.check_file(place)
                return place, None
            return place, self._files.read(place, MAX_READ_BYTES)

        place, content = await in_thread(load)
        decoded = await in_thread(lambda _stop: decode(content)) if content is not None else None
        if decoded is not None:
            return self._range(place, decoded.text, decoded.name, (), args)
        if self._reader is not None:
            try:
                return await self._read_document(self._reader, place, args, context)
            except UnsupportedDocumentError as error:
                if content is None:
                    raise ToolError(error.message, advice=error.advice) from error
        raise ToolError(
            f"{self._scope.shown(place.path)} is not text: it is {binary_kind(content or b'')}."
        )

    async def _read_document(
        self, reader: DocumentReader, place: ScopedPath, args: ReadFile, context: CallContext
    ) -> ToolResult:
        def report(done: int, total: int) -> None:
            context.report(f"Page {done} of {total}" if total else f"Part {done}")

        try:
            document = await reader.read(place.path, report)
        except UnsupportedDocumentError:
            raise
        except DocumentError as error:
            raise ToolError(error.message, advice=error.advice) from error
        kind = document.kind
        if document.pages is not None:
            kind += f", {document.pages} page{'' if document.pages == 1 else 's'}"
        return self._range(place, document.text, kind, document.notes, args)

    def _range(
        self, place: ScopedPath, text: str, kind: str, notes: Sequence[str], args: ReadFile
    ) -> ToolResult:
        shown = self._scope.shown(place.path)
        lines = text.replace("\r\n", "\n").split("\n")
        if lines[-1] == "":  # the last line break ends a line, it does not begin one
            lines.pop()
        total = len(lines)
        if args.offset > max(total, 1):
            raise ToolArgumentsError(f"offset: {shown} has {total} lines", field="offset")
        chosen = _that_fit(lines[args.offset - 1 : args.offset - 1 + args.limit])
        last = args.offset - 1 + len(chosen)
        where = f"lines {args.offset}-{last} of {total:,}" if total else "empty"
        header = " ".join([f"{shown} ({kind}), {where}.", *notes])
        if last < total:
            header += f" Go on with offset={last + 1}."
        data = {"path": str(place.path), "lines": total, "first": args.offset, "last": last}
        return ToolResult(ToolStatus.OK, "\n".join([header, "", *chosen]), data)


def _that_fit(lines: Sequence[str]) -> list[str]:
    """As many lines as fit the limit; a first line that is too long alone is cut."""
    room = MAX_READ_CHARACTERS
    chosen: list[str] = []
    for line in lines:
        if len(line) > room:
            if not chosen:
                chosen.append(f"{line[:room]}[… {len(line) - room:,} characters cut …]")
            break
        chosen.append(line)
        room -= len(line) + 1
    return chosen
