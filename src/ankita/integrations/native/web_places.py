"""A host or a search server as the user writes it in the settings, in the form that is stored."""

from __future__ import annotations

from urllib.parse import urlsplit

from ankita.errors import CommandRefusedError, ToolError
from ankita.integrations.native.web_address import WebAddress, read_web_address
from ankita.integrations.native.web_networks import closed_although_granted

HOST_ADVICE = "Write a host alone, such as nas.local or 10.0.0.5:8080."
SERVER_ADVICE = "Write the server's address alone, such as https://search.example.org."


def private_host(text: str) -> str:
    """ "nas.local" or "10.0.0.5:8080", as `is_granted` compares it. A whole address is cut down.

    Raises CommandRefusedError.
    """
    wanted = text.strip()
    is_address = "://" in wanted
    url = wanted if is_address else f"http://{wanted}"
    address = _read(url, HOST_ADVICE)
    if not is_address and address.target != "/":
        raise CommandRefusedError(f"{wanted} is not a host alone.", advice=HOST_ADVICE)
    if address.ip is not None and (reason := closed_although_granted(address.ip)):
        raise CommandRefusedError(f"{wanted} can't be allowed: it is {reason}.")
    bare = f"[{address.host}]" if ":" in address.host else address.host
    # A port that was named is kept, also a usual one: without it both usual ports are meant.
    return bare if urlsplit(url).port is None else f"{bare}:{address.port}"


def search_server(text: str) -> str:
    """The base address of a SearXNG server, without a slash at its end; empty stays empty.

    Raises CommandRefusedError.
    """
    wanted = text.strip()
    if not wanted:
        return ""
    parts = _read(wanted, SERVER_ADVICE)
    if "?" in wanted or "#" in wanted:
        raise CommandRefusedError("This is the address of a page.", advice=SERVER_ADVICE)
    return parts.url.rstrip("/").removesuffix("/search")


def _read(url: str, advice: str) -> WebAddress:
    try:
        return read_web_address(url)
    except ToolError as error:
        raise CommandRefusedError(error.message, advice=error.advice or advice) from error
