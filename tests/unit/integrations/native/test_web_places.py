"""Hosts and search servers as the user writes them, in the form that is compared later."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.errors import CommandRefusedError
from ankita.integrations.native.web_address import is_granted, read_web_address
from ankita.integrations.native.web_places import private_host, search_server

pytestmark = pytest.mark.spec("TOL-3")


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        (" NAS.local ", "nas.local"),
        ("nas.local/", "nas.local"),
        ("nas.local:80", "nas.local:80"),
        ("10.0.0.5:8080", "10.0.0.5:8080"),
        ("https://nas.local/photos?x=1", "nas.local"),
        ("http://nas.local:8080/", "nas.local:8080"),
        ("[fd00::5]:8080", "[fd00::5]:8080"),
        ("localhost:3000", "localhost:3000"),
    ],
)
def test_a_host_is_stored_as_it_is_compared(text: str, stored: str) -> None:
    assert private_host(text) == stored


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a b",
        "nas.local/photos",
        "10.0.0.0/8",
        "*.local",
        "me@nas.local",
        "nas.local:99999",
        "::1",
        "0x7f.1",
        "169.254.169.254",
        "0.0.0.0",
        "ftp://nas.local",
    ],
)
def test_what_is_no_host_is_refused_with_advice(text: str) -> None:
    with pytest.raises(CommandRefusedError) as refused:
        private_host(text)
    assert refused.value.message.endswith(".")


@given(
    st.from_regex(r"[a-z][a-z0-9]{0,9}\.local", fullmatch=True),
    st.none() | st.integers(1, 65535),
)
def test_a_stored_host_grants_itself_and_no_other_port(host: str, port: int | None) -> None:
    wanted = host if port is None else f"{host}:{port}"
    stored = private_host(wanted)
    assert private_host(stored) == stored
    assert is_granted(read_web_address(f"http://{wanted}/"), [stored])
    other = 81 if port != 81 else 82
    assert not is_granted(read_web_address(f"http://{host}:{other}/"), [stored])


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("  ", ""),
        ("https://search.example.org/", "https://search.example.org"),
        ("https://example.org/searx/search", "https://example.org/searx"),
        ("http://10.0.0.5:8888", "http://10.0.0.5:8888"),
    ],
)
def test_a_search_server_is_stored_as_its_base_address(text: str, stored: str) -> None:
    assert search_server(text) == stored


@pytest.mark.parametrize(
    "text", ["search.example.org", "https://a:b@example.org", "https://example.org/search?q=x", "x"]
)
def test_what_is_no_server_is_refused(text: str) -> None:
    with pytest.raises(CommandRefusedError):
        search_server(text)
