"""The built-in tools as one provider."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from ankita.errors import ToolError
from ankita.ids import TurnId
from ankita.integrations.native.commands import CommandTools
from ankita.integrations.native.file_changes import FileChanges
from ankita.integrations.native.file_reading import FileReading
from ankita.integrations.native.folder_tools import FolderTools
from ankita.integrations.native.jobs import JobRegistry
from ankita.integrations.native.scoped_files import ScopedFiles
from ankita.integrations.native.tool_model import NativeTool
from ankita.integrations.native.web_fetch import WebDoor
from ankita.integrations.native.web_search import DuckDuckGoSearch
from ankita.integrations.native.web_tools import WebTools
from ankita.messages import JsonObject, ToolResult, ToolSpec
from ankita.protocols import CallContext, DocumentReader, WebSearch
from ankita.security.scope import FolderScope, shown_text


class NativeTools:
    """Files, commands and the web; a ToolProvider.

    `reader` reads documents (PDF, DOCX). `is_secret(name, value)` says which environment
    variables commands must not inherit. `files` replaces the file access in tests.
    `private_hosts` names the hosts in private networks that web tools may reach;
    `search` gives the search service to use now. Both are asked at each call.
    """

    def __init__(
        self,
        scope: FolderScope,
        reader: DocumentReader | None = None,
        *,
        is_secret: Callable[[str, str], bool],
        environment: Callable[[], Mapping[str, str]] = lambda: os.environ,
        files: ScopedFiles | None = None,
        private_hosts: Callable[[], Sequence[str]] = tuple,
        search: Callable[[], WebSearch] = DuckDuckGoSearch,
    ) -> None:
        self._jobs = JobRegistry(is_secret, environment)
        files = files or ScopedFiles(scope)
        declared = (
            *FileReading(scope, files, reader).declare(),
            *FileChanges(scope, files).declare(),
            *FolderTools(scope, files).declare(),
            *CommandTools(scope, self._jobs).declare(),
        )
        self._tools = {tool.spec.name: tool for tool in declared}
        self._web = WebTools(WebDoor(private_hosts), search)
        self._web_declared: Sequence[NativeTool] = ()
        self._specs: tuple[ToolSpec, ...] = ()

    def tools(self) -> Sequence[ToolSpec]:
        # The web tools say whom they tell what, and that may change with the settings.
        web = self._web.declare()
        if web is not self._web_declared:
            self._web_declared = web
            self._specs = tuple(tool.spec for tool in (*self._tools.values(), *web))
        return self._specs

    async def call(self, name: str, arguments: JsonObject, context: CallContext) -> ToolResult:
        web = {tool.spec.name: tool for tool in self._web.declare()}
        tool = self._tools.get(name) or web.get(name)
        if tool is None:
            raise ToolError(f"There is no tool {shown_text(name)}.")
        return await tool.run(arguments, context)

    async def end_turn(self, turn_id: TurnId) -> None:
        """End the background jobs that a stopped turn had started."""
        await self._jobs.end_turn(turn_id)

    async def aclose(self) -> None:
        await self._jobs.aclose()
