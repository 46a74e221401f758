"""Builds the providers. The only importer of integrations besides the composition root.

Libraries behind them load on first use, in the engine's thread.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ankita.config import ServerSettings
from ankita.engine.commands import ServerReport
from ankita.messages import ModelInfo
from ankita.protocols import DocumentReader, ModelProvider, ToolProvider
from ankita.security.scope import FolderScope

BUILT_IN = ModelInfo("Built-in assistant", "built-in rules", is_local=True, is_built_in=True)


def built_in_assistant() -> ModelProvider:
    from ankita.integrations.models.builtin import BuiltInAssistant

    return BuiltInAssistant()


def chat_server(server: ServerSettings, key: str | None) -> ModelProvider:
    """A provider for the server. Raises CommandRefusedError for an unusable address."""
    from ankita.integrations.models.openai_chat import OpenAIChatProvider

    info = server_info(server)
    return OpenAIChatProvider(
        server.base_url,
        server.model,
        api_key=lambda: key,
        label=info.label,
        is_local=info.is_local,
    )


def server_info(server: ServerSettings) -> ModelInfo:
    """How the server is named on screen. Raises CommandRefusedError for an unusable address."""
    from ankita.integrations.models.server_address import read_address

    address = read_address(server.base_url)
    where = "local" if address.is_local else address.host
    return ModelInfo(f"{server.model} · {where}", server.model, address.is_local)


async def check_server(base_url: str, key: str | None) -> ServerReport:
    from ankita.integrations.models.server_check import ServerState, check

    found = await check(base_url, lambda: key)
    if found.state is ServerState.READY:
        return ServerReport(models=found.models, advice=found.sentence)
    return ServerReport(problem=found.sentence)


def document_reader() -> DocumentReader:
    from ankita.integrations.documents.process_reader import ProcessDocumentReader

    return ProcessDocumentReader()


def quick_check(path: Path) -> str | None:
    """Why a file would be refused, found without reading it; None when it may be tried."""
    from ankita.integrations.documents.intake import quick_check as check_file

    return check_file(path)


def native_tools(
    scope: FolderScope, reader: DocumentReader, is_secret: Callable[[str, str], bool]
) -> ToolProvider:
    from ankita.integrations.native.provider import NativeTools

    return NativeTools(scope, reader, is_secret=is_secret)
