"""The user's settings: a plain value, and how it is read from and written to JSON.

Standard library only: the theme is needed before the first frame is painted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from ankita.errors import DamagedDataError, NewerDataError

SETTINGS_VERSION = 1
MIN_TEXT_SCALE, MAX_TEXT_SCALE = 0.8, 2.0


class ThemeMode(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class WireFormat(StrEnum):
    """How a model server is spoken to."""

    OPENAI = "openai"
    """Chat completions, as nearly every server offers them."""
    ANTHROPIC = "anthropic"
    """Anthropic's messages."""


class ToolMode(StrEnum):
    """How a model is asked to act, as its self-test found. UNKNOWN is treated as NATIVE."""

    UNKNOWN = "unknown"
    NATIVE = "native"
    JSON_ACTION = "json_action"
    CHAT_ONLY = "chat_only"


class Motion(StrEnum):
    SYSTEM = "system"
    FULL = "full"
    REDUCED = "reduced"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """A model and where it answers. `key_name` is a name in the vault, never a key.

    `file` names a GGUF file that Ankita runs itself; `base_url` is empty then.
    `tool_mode` is what the self-test found. `context_tokens` is the model's window as
    advertised or learned; None is unknown.
    """

    base_url: str
    model: str
    key_name: str = ""
    wire: WireFormat = WireFormat.OPENAI
    tool_mode: ToolMode = ToolMode.UNKNOWN
    context_tokens: int | None = None
    file: str = ""


@dataclass(frozen=True, slots=True)
class GrantedFolder:
    """A folder outside the workspace that tools may use."""

    path: str
    may_write: bool


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the user chose. `server` None means the built-in assistant answers."""

    server: ServerSettings | None = None
    folders: tuple[GrantedFolder, ...] = ()
    theme: ThemeMode = ThemeMode.SYSTEM
    motion: Motion = Motion.SYSTEM
    text_scale: float = 1.0
    declined_servers: tuple[str, ...] = ()
    """Addresses of found servers that the user does not want to be offered again."""
    private_hosts: tuple[str, ...] = ()
    """Hosts in private networks ("nas.local", "10.0.0.5:8080") that web tools may reach."""
    search_url: str = ""
    """A SearXNG instance for web search; empty means the keyless default."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Fields of this version that this build does not know; written back as they were."""

    def with_server(self, server: ServerSettings | None) -> Settings:
        return replace(self, server=server)

    def with_folder(self, folder: GrantedFolder) -> Settings:
        others = tuple(f for f in self.folders if Path(f.path) != Path(folder.path))
        return replace(self, folders=(*others, folder))

    def without_folder(self, path: str) -> Settings:
        return replace(self, folders=tuple(f for f in self.folders if Path(f.path) != Path(path)))


def settings_to_json(settings: Settings) -> dict[str, Any]:
    """The JSON object that `settings_from_json` reads back to an equal value."""
    known = asdict(settings)
    extra = known.pop("extra")
    return {**extra, "version": SETTINGS_VERSION, **known}


def settings_from_json(value: Any) -> Settings:
    """Read settings. Raises DamagedDataError naming the field, or NewerDataError."""
    if not isinstance(value, Mapping):
        raise DamagedDataError("The settings file does not hold a JSON object.")
    version = value.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise DamagedDataError("The settings file has no valid version.")
    if version > SETTINGS_VERSION:
        raise NewerDataError("The settings were written by a newer version of Ankita.")
    known = {f.name for f in fields(Settings)} | {"version"}
    try:
        return Settings(
            server=server_from_json(value.get("server")),
            folders=tuple(_folder(each) for each in _list(value.get("folders", []), "folders")),
            theme=ThemeMode(value.get("theme", ThemeMode.SYSTEM)),
            motion=Motion(value.get("motion", Motion.SYSTEM)),
            text_scale=_scale(value.get("text_scale", 1.0)),
            declined_servers=_texts(value, "declined_servers"),
            private_hosts=_texts(value, "private_hosts"),
            search_url=_text({"search_url": "", **value}, "search_url"),
            extra={key: value[key] for key in value if key not in known},
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedDataError(f"The settings file cannot be used: {error}.") from error


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{name} is not a list")
    return value


def _text(value: Mapping[str, Any], name: str) -> str:
    text = value[name]
    if not isinstance(text, str):
        raise TypeError(f"{name} is not text")
    return text


def _texts(value: Mapping[str, Any], name: str) -> tuple[str, ...]:
    texts = _list(value.get(name, []), name)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{name} holds something else than text")
    return tuple(texts)


def server_from_json(value: Any) -> ServerSettings | None:
    """Read what `asdict` made of ServerSettings. Raises TypeError, KeyError or ValueError."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise TypeError("server is not an object")
    tokens = value.get("context_tokens")
    if tokens is not None and (not isinstance(tokens, int) or isinstance(tokens, bool)):
        raise TypeError("context_tokens is not a number")
    return ServerSettings(
        base_url=_text(value, "base_url"),
        model=_text(value, "model"),
        key_name=_text({"key_name": "", **value}, "key_name"),
        wire=WireFormat(value.get("wire", WireFormat.OPENAI)),
        tool_mode=ToolMode(value.get("tool_mode", ToolMode.UNKNOWN)),
        context_tokens=tokens,
        file=_text({"file": "", **value}, "file"),
    )


def _folder(value: Any) -> GrantedFolder:
    if not isinstance(value, Mapping) or not isinstance(value.get("may_write"), bool):
        raise TypeError("a folder lacks path or may_write")
    return GrantedFolder(path=_text(value, "path"), may_write=value["may_write"])


def _scale(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("text_scale is not a number")
    return min(MAX_TEXT_SCALE, max(MIN_TEXT_SCALE, float(value)))
