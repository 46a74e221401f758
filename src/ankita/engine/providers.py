"""Builds the providers. The only importer of integrations besides the composition root.

Libraries behind them load on first use, in the engine's thread.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ankita.config import ServerSettings, Settings, ToolMode, WireFormat
from ankita.engine.commands import ModelOffer, ServerReport
from ankita.engine.model_factory import (
    DownloadProgress,
    LocalModels,
    ModelFactory,
    SharedConnection,
)
from ankita.engine.state import OfferedModel, ServerOffer
from ankita.errors import CommandRefusedError
from ankita.messages import ModelInfo
from ankita.protocols import DocumentReader, ModelProvider, ToolProvider
from ankita.security.scope import FolderScope

BUILT_IN = ModelInfo("Built-in assistant", "built-in rules", is_local=True, is_built_in=True)


def built_in_assistant() -> ModelProvider:
    from ankita.integrations.models.builtin import BuiltInAssistant

    return BuiltInAssistant()


def chat_server(server: ServerSettings, key: str | None) -> ModelProvider:
    """A provider for the server that asks again where that helps.

    Raises CommandRefusedError for an unusable address.
    """
    from ankita.integrations.models.retrying import Retrying

    return Retrying(_asked_once(server, key))


def _asked_once(server: ServerSettings, key: str | None) -> ModelProvider:
    info = server_info(server)
    if server.file:
        from ankita.integrations.local_model.provider import LocalModelProvider

        return LocalModelProvider(Path(server.file), info=info)
    if server.wire is WireFormat.ANTHROPIC:
        from ankita.integrations.models.anthropic_messages import AnthropicProvider

        return AnthropicProvider(server.base_url, server.model, api_key=key, info=info)
    from ankita.integrations.models.openai_chat import OpenAIChatProvider

    return OpenAIChatProvider(server.base_url, server.model, api_key=key, info=info)


def server_info(server: ServerSettings) -> ModelInfo:
    """How the server is named on screen. Raises CommandRefusedError for an unusable address."""
    where, is_local = "run by Ankita", True
    if not server.file:
        from ankita.integrations.models.server_address import read_address

        address = read_address(server.base_url, server.wire)
        where, is_local = "local" if address.is_local else address.host, address.is_local
    return ModelInfo(
        f"{server.model} · {where}",
        server.model,
        is_local,
        tool_mode=server.tool_mode,
        context_tokens=server.context_tokens,
    )


async def check_server(
    base_url: str, key: str | None, wire: WireFormat = WireFormat.OPENAI
) -> ServerReport:
    from ankita.integrations.models.server_check import ServerState, check

    found = await check(base_url, lambda: key, wire=wire)
    if found.state is ServerState.READY:
        return ServerReport(models=found.models, advice=found.sentence)
    return ServerReport(problem=found.sentence)


async def server_state(base_url: str, wire: WireFormat) -> tuple[str, str]:
    """What a server does with a question without a key: "ready", "needs key", ..., in words."""
    from ankita.integrations.models.server_check import check

    found = await check(base_url, lambda: None, wire=wire)
    return str(found.state), found.sentence


def acting(provider: ModelProvider, server: ServerSettings) -> ModelProvider:
    """The provider, its model asked to act in the way that its self-test found."""
    from ankita.integrations.models.shared_model import DescribedModel

    if server.tool_mode is ToolMode.JSON_ACTION:
        from ankita.integrations.models.json_actions import JsonActions

        provider = JsonActions(provider)
    elif server.tool_mode is ToolMode.CHAT_ONLY:
        from ankita.integrations.models.json_actions import ChatOnly

        provider = ChatOnly(provider)
    return DescribedModel(provider, server_info(server))


def shared(make: Callable[[], ModelProvider]) -> SharedConnection:
    """A provider for all who use it; it closes once it is retired and idle."""
    from ankita.integrations.models.shared_model import SharedModel

    return SharedModel(make)


async def find_servers(ports: Sequence[int] | None) -> Sequence[ServerOffer]:
    """The model servers of this machine; nothing but GET questions are sent to them."""
    if ports is not None and not ports:
        return ()
    from ankita.integrations.models.discovery import find_servers as find
    from ankita.integrations.models.discovery import usual_ports

    found = await find(ports=tuple(usual_ports(os.environ) if ports is None else ports))
    return [
        ServerOffer(
            each.base_url,
            each.kind,
            models=tuple(
                OfferedModel(m.name, m.context_tokens, m.has_tools, m.has_vision)
                for m in each.models
            ),
            needs_key=each.needs_key,
            note=each.note,
        )
        for each in found
    ]


async def try_tools(provider: ModelProvider) -> ToolMode:
    """The self-test. Raises ModelError when the server could not be asked."""
    from ankita.integrations.models.self_test import find_tool_mode

    return await find_tool_mode(provider)


async def context_of(server: ServerSettings, key: str | None) -> int | None:
    """The model's window in tokens as its server advertises it. Raises ModelError."""
    if server.file or server.wire is not WireFormat.OPENAI:
        return None
    from ankita.integrations.models.model_metadata import describe_model

    return (await describe_model(server.base_url, server.model, key)).context_tokens


def check_local() -> None:
    """Raises CommandRefusedError where no model file can be run."""
    from ankita.integrations.local_model.provider import is_available

    if not is_available():
        raise CommandRefusedError(
            "The part that runs model files is not installed.",
            advice="Install it with: pip install 'ankita[local]'",
        )


def check_model_file(path: Path) -> str:
    """The name of the model in the file. Raises CommandRefusedError."""
    from ankita.integrations.local_model.gguf_file import read_gguf

    return read_gguf(path).name or path.stem


async def list_models() -> Sequence[ModelOffer]:
    """What the model hub offers now. Raises ModelError."""
    from ankita.integrations.local_model import hub

    return [
        ModelOffer(f.id, f.name, f.publisher, f.licence, f.size, f.sha256, f.host, f.note)
        for f in await hub.list_models()
    ]


async def download_model(offer: ModelOffer, folder: Path, progress: DownloadProgress) -> Path:
    """The whole, checked file. Raises ModelError, WriteError or DiskFullError."""
    from ankita.integrations.local_model.download import Download

    def note(done: int, total: int, is_checking: bool) -> None:
        progress(done, total, is_checking)

    return await Download(offer, folder, note).run()


async def discard_download(offer: ModelOffer, folder: Path) -> None:
    """Delete what was fetched so far. Raises WriteError."""
    from ankita.integrations.local_model.download import Download

    await Download(offer, folder, lambda *_: None).discard()


def document_reader() -> DocumentReader:
    from ankita.integrations.documents.process_reader import ProcessDocumentReader

    return ProcessDocumentReader()


def quick_check(path: Path) -> str | None:
    """Why a file would be refused, found without reading it; None when it may be tried."""
    from ankita.integrations.documents.intake import quick_check as check_file

    return check_file(path)


def private_host(text: str) -> str:
    """A host of a private network as it is stored. Raises CommandRefusedError."""
    from ankita.integrations.native.web_places import private_host as checked

    return checked(text)


def search_server(text: str) -> str:
    """The address of a search server as it is stored. Raises CommandRefusedError."""
    from ankita.integrations.native.web_places import search_server as checked

    return checked(text)


def native_tools(
    scope: FolderScope,
    reader: DocumentReader,
    is_secret: Callable[[str, str], bool],
    settings: Callable[[], Settings] = Settings,
) -> ToolProvider:
    """`settings` are asked at each call: hosts the web tools may reach, where they search."""
    from ankita.integrations.native.provider import NativeTools
    from ankita.integrations.native.web_search import web_search

    return NativeTools(
        scope,
        reader,
        is_secret=is_secret,
        private_hosts=lambda: settings().private_hosts,
        search=lambda: web_search(settings().search_url),
    )


LOCAL_MODELS = LocalModels(
    check_available=check_local,
    check_file=check_model_file,
    list_models=list_models,
    download=download_model,
    discard=discard_download,
)

REAL_MODELS = ModelFactory(
    built_in=built_in_assistant,
    built_in_info=BUILT_IN,
    server=chat_server,
    acting=acting,
    shared=shared,
    server_info=server_info,
    check=check_server,
    find=find_servers,
    try_tools=try_tools,
    context_of=context_of,
    local=LOCAL_MODELS,
)
