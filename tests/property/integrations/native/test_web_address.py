"""No spelling of a private address opens it."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.errors import ToolError
from ankita.integrations.native.web_address import check_connection, read_web_address
from ankita.integrations.native.web_networks import closed_reason

pytestmark = pytest.mark.spec("TOL-3")

PRIVATE_NETWORKS = [
    *("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"),
    *("100.64.0.0/10", "0.0.0.0/8", "224.0.0.0/4", "240.0.0.0/4", "198.18.0.0/15"),
]
PRIVATE = st.sampled_from(PRIVATE_NETWORKS).flatmap(
    lambda network: st.ip_addresses(network=ipaddress.ip_network(network))
)


def octets(ip: ipaddress.IPv4Address) -> list[int]:
    return list(ip.packed)


def wide(text: str) -> str:
    return "".join(chr(ord(sign) + 0xFEE0) if sign.isdigit() else sign for sign in text)


SPELLINGS: list[Callable[[ipaddress.IPv4Address], str]] = [
    str,
    lambda ip: str(int(ip)),
    lambda ip: hex(int(ip)),
    lambda ip: hex(int(ip)).upper(),
    lambda ip: f"0{int(ip):o}",
    lambda ip: f"{ip}.",
    lambda ip: f"{ip}..",
    lambda ip: ".".join(f"0{part:o}" for part in octets(ip)),
    lambda ip: ".".join(f"{part:03d}" for part in octets(ip)),
    lambda ip: ".".join(hex(part) for part in octets(ip)),
    lambda ip: f"{octets(ip)[0]}.{int(ip) & 0xFFFFFF}",
    lambda ip: f"{octets(ip)[0]}.{octets(ip)[1]}.{int(ip) & 0xFFFF}",
    lambda ip: f"{hex(octets(ip)[0])}.{int(ip) & 0xFFFFFF}",
    lambda ip: wide(str(ip)),
    lambda ip: str(ip).replace(".", "\u3002"),
    lambda ip: str(ip).replace(".", "\uff0e"),
    lambda ip: str(ip).replace(".", "%2e"),
    lambda ip: str(ip).replace("1", "%31"),
    lambda ip: f"public.example@{ip}",
    lambda ip: f"public.example:80@{ip}",
    lambda ip: f"public.example\\@{ip}",
    lambda ip: f"{ip}\\.public.example",
    lambda ip: f"{ip}\t",
    lambda ip: f"[::ffff:{ip}]",
    lambda ip: f"[::FFFF:{ip}]",
    lambda ip: f"[0:0:0:0:0:ffff:{int(ip) >> 16:x}:{int(ip) & 0xFFFF:x}]",
    lambda ip: f"[::{ip}]",
    lambda ip: f"[::ffff:{ip}%25eth0]",
    lambda ip: f"[64:ff9b::{ip}]",
    lambda ip: f"[64:ff9b:1::{ip}]",
    lambda ip: f"[2002:{int(ip) >> 16:x}:{int(ip) & 0xFFFF:x}::1]",
    lambda ip: f"[2001:0:4136:e378:8000:63bf:{~int(ip) >> 16 & 0xFFFF:x}:{~int(ip) & 0xFFFF:x}]",
    lambda ip: f"[2a00:1450::5efe:{ip}]",
    lambda ip: f"[2a00:1450::200:5efe:{ip}]",
]


def connects_to(url: str) -> None:
    """What the web door does up to the connection, with the most tolerant of resolvers."""
    address = read_web_address(url)
    found = [address.host]
    if address.ip is None:
        try:
            found = [socket.inet_ntoa(socket.inet_aton(address.host))]
        except OSError:
            raise ToolError("no such name") from None
    check_connection(address, found, granted=False)


@given(PRIVATE, st.sampled_from(SPELLINGS), st.sampled_from(["http", "https", "HTTP"]))
def test_no_spelling_of_a_private_address_is_opened(
    ip: ipaddress.IPv4Address, spell: Callable[[ipaddress.IPv4Address], str], scheme: str
) -> None:
    with pytest.raises(ToolError):
        connects_to(f"{scheme}://{spell(ip)}/")
    with pytest.raises(ToolError):
        connects_to(f"{scheme}://{spell(ip)}:8080/x")


@given(st.ip_addresses())
def test_nothing_that_python_calls_not_global_is_open(
    ip: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if closed_reason(ip) is None:
        assert ip.is_global or ip in ipaddress.ip_network("64:ff9b::/96")
        assert not ip.is_multicast


@given(st.ip_addresses(v=4))
def test_the_public_internet_is_open(ip: ipaddress.IPv4Address) -> None:
    reserved = ("192.88.99.0/24", "168.63.129.16/32", "192.0.0.0/24")
    if any(ip in ipaddress.ip_network(network) for network in reserved):
        return
    is_public = ip.is_global and not ip.is_multicast
    assert (closed_reason(ip) is None) is is_public
    assert (closed_reason(ipaddress.IPv6Address(f"::ffff:{ip}")) is None) is is_public
    assert (closed_reason(ipaddress.IPv6Address(f"64:ff9b::{ip}")) is None) is is_public


@given(st.text(max_size=60), st.sampled_from(["", "http://", "https://", "http://a@", "//"]))
def test_any_text_is_an_address_or_a_plain_refusal(text: str, start: str) -> None:
    try:
        address = read_web_address(start + text)
    except ToolError:
        return
    assert read_web_address(address.url) == address
    assert address.host.isascii()
    assert address.url.isascii()
