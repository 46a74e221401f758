"""The address of a web page: read strictly, brought into one form, compared with grants. Pure.

A host has one spelling here. What browsers take for an IP address in a strange notation
(decimal, octal, hex, fewer parts) is refused, not translated: no honest link is written so.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from ankita.errors import ToolError
from ankita.integrations.native.web_networks import (
    Address,
    closed_although_granted,
    closed_reason,
)

MAX_ADDRESS_CHARACTERS: Final = 4_000
DEFAULT_PORTS: Final = {"http": 80, "https": 443}

_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
_KEPT: Final = "%/?#[]@!$&'()*+,;=:-._~|"
_HIDDEN: Final = re.compile(r"[\x00-\x20\x7f\\]|\s")


@dataclass(frozen=True, slots=True)
class WebAddress:
    """`host` is ASCII in lower case (punycode for other scripts), IPv6 without brackets.

    `target` is path and query, percent-encoded, and begins with a slash.
    """

    scheme: str
    host: str
    port: int
    target: str

    @property
    def ip(self) -> Address | None:
        """The host as a number, when it is one."""
        try:
            return ipaddress.ip_address(self.host)
        except ValueError:
            return None

    @property
    def place(self) -> str:
        """Host and port as a grant and a `Host` header name them; the usual port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.place}{self.target}"


def read_web_address(text: str) -> WebAddress:
    """Raises ToolError that says what is wrong with the address."""
    parts = _split(text.strip())
    if "@" in parts.netloc:
        raise ToolError(
            "The address holds a name or a password, and those are never sent.",
            advice="Leave out everything up to the @.",
        )
    host = _host(parts)
    path = quote(parts.path or "/", safe=_KEPT)
    query = f"?{quote(parts.query, safe=_KEPT)}" if parts.query else ""
    return WebAddress(parts.scheme, host, _port(parts), path + query)


def follow(address: WebAddress, location: str) -> WebAddress:
    """Where a redirect leads. Raises ToolError like `read_web_address`."""
    try:
        return read_web_address(urljoin(address.url, location.strip()))
    except ValueError:
        raise ToolError(f"{address.place} redirects to something that is no address.") from None


def is_granted(address: WebAddress, granted: Sequence[str]) -> bool:
    """Whether the user named exactly this host and port.

    A grant without a port means the usual ports, 80 for http and 443 for https.
    """
    return any(grant.strip().lower().rstrip("/") in _grants(address) for grant in granted)


def check_connection(address: WebAddress, found: Sequence[str], *, granted: bool) -> None:
    """Refuse unless every address that the name stands for may be reached.

    One closed address among public ones is refused as well: the answers of a hostile
    name server are in no order that could be trusted. Raises ToolError.
    """
    judge = closed_although_granted if granted else closed_reason
    for text in found:
        try:
            number = ipaddress.ip_address(text)
        except ValueError:
            raise ToolError(f"{address.place} has an address that cannot be used.") from None
        if (reason := judge(number)) is not None:
            raise _closed(address, reason, granted=granted)


def _closed(address: WebAddress, reason: str, *, granted: bool) -> ToolError:
    way = (
        "This address can't be allowed."
        if granted
        else f'Only the user can allow it, by adding "{address.place}" to the private hosts'
        " in the settings."
    )
    return ToolError(
        f"{address.place} was not opened: its address is {reason}, not the public internet.",
        advice=way,
    )


def _grants(address: WebAddress) -> set[str]:
    bare = f"[{address.host}]" if ":" in address.host else address.host
    names = {f"{bare}:{address.port}"}
    if address.port == DEFAULT_PORTS[address.scheme]:
        names |= {bare, address.host}
    return names


def _split(text: str) -> SplitResult:
    if len(text) > MAX_ADDRESS_CHARACTERS:
        raise ToolError(f"The address is longer than {MAX_ADDRESS_CHARACTERS:,} characters.")
    if _HIDDEN.search(text):
        raise ToolError("The address holds spaces, backslashes or hidden characters.")
    try:
        parts = urlsplit(text)
        _ = parts.hostname
    except ValueError:
        raise ToolError("This is no web address.", advice="Write it like https://host/…") from None
    if parts.scheme not in DEFAULT_PORTS or not parts.netloc:
        raise ToolError("Only addresses that begin with http:// or https:// can be opened.")
    return parts


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise ToolError("The address has a port that does not exist.")
    return port or DEFAULT_PORTS[parts.scheme]


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if "[" in parts.netloc:
        return _ipv6(host)
    host = _ascii(host).removesuffix(".")
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return _ipv4(host)
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise ToolError("The address has no host name that can exist.")
    return host


def _ascii(host: str) -> str:
    if host.isascii():
        return host.lower()
    import httpx2  # it knows the rules for other scripts; seldom needed

    try:
        return httpx2.URL(f"http://{host}/").raw_host.decode("ascii").lower()
    except (httpx2.InvalidURL, UnicodeError):
        raise ToolError("The host name holds characters that no host name has.") from None


def _ipv4(host: str) -> str:
    try:
        return str(ipaddress.IPv4Address(host))
    except ValueError:
        raise ToolError(
            "The host is a number in an unusual notation, which is not opened.",
            advice="Write an IP address as four decimal numbers, such as 192.0.2.1.",
        ) from None


def _ipv6(host: str) -> str:
    try:
        number = ipaddress.IPv6Address(host)
    except ValueError:
        number = None
    if number is None or number.scope_id:
        raise ToolError("The host in brackets is no IPv6 address that can be opened.")
    return str(number)
