"""Which network addresses a web tool may reach: an allow list of the public internet. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Final

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_V4_CLOSED: Final = tuple(
    (ipaddress.IPv4Network(network), reason)
    for network, reason in (
        ("127.0.0.0/8", "this machine"),
        ("0.0.0.0/8", "this machine"),
        ("10.0.0.0/8", "a private network"),
        ("172.16.0.0/12", "a private network"),
        ("192.168.0.0/16", "a private network"),
        ("100.64.0.0/10", "a provider's inner network"),
        ("169.254.0.0/16", "the local link, where cloud machines keep their keys"),
        ("168.63.129.16/32", "the inner service of a cloud machine"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "reserved"),
        ("192.88.99.0/24", "reserved"),
        ("198.18.0.0/15", "reserved"),
        ("198.51.100.0/24", "reserved"),
        ("203.0.113.0/24", "reserved"),
        ("224.0.0.0/4", "a group of machines"),
        ("240.0.0.0/4", "reserved"),
    )
)
_V6_CLOSED: Final = tuple(
    (ipaddress.IPv6Network(network), reason)
    for network, reason in (
        ("::/128", "this machine"),
        ("::1/128", "this machine"),
        ("fc00::/7", "a private network"),
        ("fe80::/10", "the local link"),
        ("fec0::/10", "a private network"),
        ("ff00::/8", "a group of machines"),
        ("2001::/23", "reserved"),
        ("2001:db8::/32", "reserved"),
        ("2002::/16", "reserved"),
        ("3fff::/20", "reserved"),
    )
)
"""2001::/23 holds Teredo tunnels, whose far end cannot be told from the address alone, and
2002::/16 the 6to4 tunnels that nobody runs any more."""

_V6_PUBLIC: Final = ipaddress.IPv6Network("2000::/3")
_MAPPED: Final = ipaddress.IPv6Network("::ffff:0:0/96")
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_ISATAP: Final = frozenset({0x00005EFE, 0x02005EFE})

_NEVER: Final = frozenset(
    ipaddress.ip_address(text) for text in ("169.254.169.254", "fd00:ec2::254", "168.63.129.16")
)
"""Where cloud machines hand out their keys: a granted name must not lead there."""


def closed_reason(address: Address) -> str | None:
    """What a closed address is, as the end of "it is …"; None for one of the public internet."""
    if isinstance(address, ipaddress.IPv4Address):
        return _listed(address) or (None if address.is_global else "reserved")
    for inner in inner_addresses(address):
        if (reason := closed_reason(inner)) is not None:
            return reason
    if address in _MAPPED or address in _NAT64:
        return None
    return _listed(address) or (None if address in _V6_PUBLIC else "reserved")


def closed_although_granted(address: Address) -> str | None:
    """The same for a host that the user granted: only what no grant of a name can mean."""
    for each in (address, *inner_addresses(address)):
        if each in _NEVER:
            return "where cloud machines keep their keys"
        if each.is_multicast or each.is_unspecified or each == ipaddress.IPv4Address(2**32 - 1):
            return "no single machine"
    return None


def inner_addresses(address: Address) -> Iterator[ipaddress.IPv4Address]:
    """The IPv4 addresses that an IPv6 address carries: a gateway would go on to them."""
    if isinstance(address, ipaddress.IPv4Address):
        return
    number = int(address)
    if address in _MAPPED or address in _NAT64 or (number >> 32 == 0 and number > 1):
        yield ipaddress.IPv4Address(number & 0xFFFFFFFF)
    if address.sixtofour is not None:
        yield address.sixtofour
    if (number >> 32) & 0xFFFFFFFF in _ISATAP:
        yield ipaddress.IPv4Address(number & 0xFFFFFFFF)


def _listed(address: Address) -> str | None:
    table: tuple[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, str], ...] = (
        _V4_CLOSED if isinstance(address, ipaddress.IPv4Address) else _V6_CLOSED
    )
    return next((reason for network, reason in table if address in network), None)
