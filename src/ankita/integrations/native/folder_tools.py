"""The tools that list a folder, find files by name and search in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ankita.integrations.native.blocking_work import StopFlag, in_thread
from ankita.integrations.native.folder_walk import Entry, FolderWalk, matches_glob
from ankita.integrations.native.plain_errors import plain_errors
from ankita.integrations.native.scoped_files import ScopedFiles
from ankita.integrations.native.text_search import (
    SearchResult,
    TextSearch,
    literal_finder,
    regex_finder,
)
from ankita.integrations.native.tool_model import Arguments, NativeTool, argument, native_tool
from ankita.messages import Effect, Phase, ToolResult, ToolStatus
from ankita.protocols import CallContext
from ankita.security.scope import FolderScope, ScopedPath, on_one_line

MAX_LISTED = 500
MAX_LIST_DEPTH = 5
MAX_FOUND = 200
MAX_PATTERN_CHARACTERS = 500


class ListFolder(Arguments):
    path: str = argument(default=".", description="Folder.")
    depth: int = argument(default=1, ge=1, le=MAX_LIST_DEPTH, description="Levels to show.")


class FindFiles(Arguments):
    pattern: str = argument(
        min_length=1,
        max_length=MAX_PATTERN_CHARACTERS,
        description="Name pattern such as *.md, src/**/*.py or *.{jpg,png}.",
    )
    path: str = argument(default=".", description="Folder to look in.")


class SearchFiles(Arguments):
    pattern: str = argument(
        min_length=1, max_length=MAX_PATTERN_CHARACTERS, description="Text to look for."
    )
    path: str = argument(default=".", description="Folder or file to search.")
    glob: str = argument(
        default="", max_length=MAX_PATTERN_CHARACTERS, description="Only files like *.py."
    )
    ignore_case: bool = False
    regex: bool = argument(default=False, description="Pattern is a regular expression.")


class FolderTools:
    """Handlers of list_folder, find_files and search_files. Disk work happens in threads."""

    def __init__(self, scope: FolderScope, files: ScopedFiles) -> None:
        self._scope = scope
        self._files = files

    def declare(self) -> Sequence[NativeTool]:
        """The tools, ready to offer."""
        return (
            native_tool(
                ListFolder,
                self._list,
                name="list_folder",
                description="List a folder.",
                effect=Effect.READS,
                app="files",
                phase=Phase.READING,
                key_arguments=("path",),
            ),
            native_tool(
                FindFiles,
                self._find,
                name="find_files",
                description="Find files and folders by name.",
                effect=Effect.READS,
                app="files",
                phase=Phase.READING,
                key_arguments=("pattern", "path"),
            ),
            native_tool(
                SearchFiles,
                self._search,
                name="search_files",
                description="Find lines of text in files.",
                effect=Effect.READS,
                app="files",
                phase=Phase.READING,
                key_arguments=("pattern", "path"),
            ),
        )

    async def _list(self, args: ListFolder, _context: CallContext) -> ToolResult:
        def collect(stop: StopFlag) -> tuple[str, list[Entry], FolderWalk]:
            place, shown = self._folder(args.path)
            walk = FolderWalk(place.path, stop.is_set, max_depth=args.depth)
            return shown, _collect(walk, shown, MAX_LISTED, "**"), walk

        shown, entries, walk = await in_thread(collect)
        entries.sort(key=lambda entry: entry.relative.split("/"))
        lines = [_listed(entry) for entry in entries]
        return _listing(f"{shown}: {len(lines)} entries.", lines, walk.notes())

    async def _find(self, args: FindFiles, _context: CallContext) -> ToolResult:
        def collect(stop: StopFlag) -> tuple[str, list[Entry], FolderWalk]:
            place, shown = self._folder(args.path)
            walk = FolderWalk(place.path, stop.is_set)
            return shown, _collect(walk, shown, MAX_FOUND, args.pattern), walk

        shown, entries, walk = await in_thread(collect)
        prefix = _prefix(shown)
        lines = [f"{prefix}{on_one_line(entry.relative)}{_slash(entry)}" for entry in entries]
        return _listing(f"{len(lines)} found in {shown}.", lines, walk.notes())

    async def _search(self, args: SearchFiles, _context: CallContext) -> ToolResult:
        def search(stop: StopFlag) -> SearchResult:
            place = self._scope.locate(args.path, for_writing=False)
            shown = self._scope.shown(place.path)
            make = regex_finder if args.regex else literal_finder
            find = make(args.pattern, ignore_case=args.ignore_case)
            walk = FolderWalk(place.path, stop.is_set)

            def read(path: str, limit: int) -> bytes:
                return self._files.read(ScopedPath(place.root, Path(path)), limit)

            text_search = TextSearch(walk, find, read, args.glob)
            with plain_errors(shown, "searched"):
                try:
                    return text_search.run(_prefix(shown))
                except NotADirectoryError:
                    return text_search.run_on_file(place.path, shown)

        found = await in_thread(search)
        head = f"{len(found.lines)} lines found in {found.files_searched} files."
        return _listing(head, [on_one_line(line) for line in found.lines], found.notes)

    def _folder(self, path: str) -> tuple[ScopedPath, str]:
        place = self._scope.locate(path, for_writing=False)
        return place, self._scope.shown(place.path)


def _collect(walk: FolderWalk, shown: str, limit: int, pattern: str) -> list[Entry]:
    found: list[Entry] = []
    with plain_errors(shown, "listed"):
        for entry in walk.entries():
            if pattern != "**" and not matches_glob(entry.relative, pattern):
                continue
            if len(found) == limit:
                walk.cut(f"over {limit} results")
                break
            found.append(entry)
    return found


def _listing(head: str, lines: Sequence[str], notes: Sequence[str]) -> ToolResult:
    text = "\n".join([" ".join([head, *notes]), "", *lines])
    is_incomplete = any(note.startswith("Incomplete") for note in notes)
    return ToolResult(ToolStatus.OK, text.rstrip("\n"), {"incomplete": is_incomplete})


def _prefix(shown: str) -> str:
    return "" if shown == "." else f"{shown.rstrip('/')}/"


def _slash(entry: Entry) -> str:
    return "/" if entry.is_folder else ""


def _listed(entry: Entry) -> str:
    name = on_one_line(entry.relative.rsplit("/", 1)[-1])
    indent = "  " * (entry.depth - 1)
    if entry.is_link:
        return f"{indent}{name} (link)"
    return f"{indent}{name}/" if entry.is_folder else f"{indent}{name} ({entry.size:,} bytes)"
