"""When two addresses mean the same server, and the name of an address's key; pure."""

from __future__ import annotations

import hashlib
from urllib.parse import urlsplit

_THIS_MACHINE = {"localhost", "127.0.0.1", "::1", "0.0.0.0"}
_PORTS = {"http": 80, "https": 443}


def key_name_for(base_url: str) -> str:
    """The name of an address's key: a key is never found for another address."""
    place = base_url.strip().rstrip("/")
    return f"model-server {hashlib.sha256(place.encode()).hexdigest()[:16]}"


def is_same_address(one: str, other: str) -> bool:
    """Whether a key for the one may be sent to the other: letter for letter the same."""
    return one.strip().rstrip("/") == other.strip().rstrip("/")


def is_same_server(one: str, other: str) -> bool:
    """Whether both reach the same server, however they are written. Never used for keys."""
    return _place(one) == _place(other)


def _place(address: str) -> tuple[str, int | None, str] | str:
    text = address.strip().rstrip("/")
    try:
        parts = urlsplit(text)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return text
    host = (parts.hostname or "").rstrip(".")
    host = "127.0.0.1" if host in _THIS_MACHINE else host
    return (host, port, parts.path.removesuffix("/v1").rstrip("/"))
