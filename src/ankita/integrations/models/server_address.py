"""The address of a model server: read, checked, brought into one form. Pure.

Decides too what may travel to it: a key never goes over an unencrypted connection
to another machine.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from ankita.config import WireFormat
from ankita.errors import CommandRefusedError

_DEFAULT_PATH = "/v1"
_ENDPOINTS = ("/chat/completions", "/completions", "/models", "/messages")
_VERSION = re.compile(r"/v\d[^/]*$")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """`base` has no slash at its end and includes the version path ("http://127.0.0.1:8080/v1").

    `host` is what the user sees (host and port). `is_local`: on this very machine.
    `is_private`: on this machine or on a private network.
    """

    base: str
    host: str
    is_encrypted: bool
    is_local: bool
    is_private: bool

    @property
    def may_carry_key(self) -> bool:
        """Whether a key can be sent there without others being able to read it."""
        return self.is_encrypted or self.is_local

    def endpoint(self, path: str) -> str:
        """The whole address of an endpoint such as "models"."""
        return f"{self.base}/{path}"


def read_address(text: str, wire: WireFormat = WireFormat.OPENAI) -> ServerAddress:
    """Read what the user typed. Raises CommandRefusedError with what to change.

    In Anthropic's format people leave the version out, also behind a longer path
    ("https://x.test/anthropic"), so it is put in there; in OpenAI's only where there
    is no path at all.
    """
    parts = _split(text.strip())
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise _refusal(
            "The address of a model server must begin with http:// or https://.",
            "For example http://127.0.0.1:8080",
        )
    if "@" in parts.netloc:
        raise _refusal(
            "The address holds a name or a password.",
            "Leave them out and store the key in its own field.",
        )
    if parts.query or parts.fragment:
        raise _refusal(
            "The address holds more than a server and a path.",
            "Leave out everything from the first ? or # on.",
        )
    ip = _ip(parts.hostname)
    name = parts.hostname.rstrip(".")
    is_local = ip.is_loopback if ip else name == "localhost" or name.endswith(".localhost")
    is_private = is_local or bool(ip and (ip.is_private or ip.is_link_local))
    host = parts.netloc.lower()
    return ServerAddress(
        base=f"{parts.scheme}://{host}{_path(parts.path, wire)}",
        host=host,
        is_encrypted=parts.scheme == "https",
        is_local=is_local,
        is_private=is_private,
    )


def _split(text: str) -> SplitResult:
    is_plain = text.isprintable() and " " not in text and "\\" not in text
    try:
        parts = urlsplit(text if is_plain else "")
        _ = parts.port  # reading it is what checks it
    except ValueError:
        return urlsplit("")
    return parts


def _path(path: str, wire: WireFormat) -> str:
    path = path.rstrip("/")
    for endpoint in _ENDPOINTS:
        path = path.removesuffix(endpoint)
    path = path.rstrip("/")
    if wire is WireFormat.ANTHROPIC and not _VERSION.search(path):
        path += _DEFAULT_PATH
    return path or _DEFAULT_PATH


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _refusal(message: str, advice: str) -> CommandRefusedError:
    return CommandRefusedError(message, advice=advice)
