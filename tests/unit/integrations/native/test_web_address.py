"""How addresses are read, shown, and compared with what the user granted."""

from __future__ import annotations

import pytest

from ankita.errors import ToolError
from ankita.integrations.native.web_address import (
    check_connection,
    follow,
    is_granted,
    read_web_address,
)

pytestmark = pytest.mark.spec("TOL-3")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://Example.ORG", "https://example.org/"),
        ("https://example.org.:443/a%20b", "https://example.org/a%20b"),
        ("http://example.org:8080/ä?q=ö#part", "http://example.org:8080/%C3%A4?q=%C3%B6"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://[2A00:1450:0::1]:81/", "http://[2a00:1450::1]:81/"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
    ],
)
def test_an_address_has_one_form(text: str, url: str) -> None:
    assert read_web_address(text).url == url


def test_a_name_that_only_looks_like_another_is_shown_for_what_it_is() -> None:
    cyrillic = "\u0430\u0440\u0440le.com"
    assert read_web_address(f"https://{cyrillic}/").host.startswith("xn--")


@pytest.mark.parametrize(
    "text",
    [
        *("ftp://example.org/", "file:///etc/passwd", "example.org", "http://", "javascript:1"),
        *("https://user:pass@example.org/", "https://example.org@10.0.0.1/", "http://a b/"),
        *("http://example.org\\@10.0.0.1/", "http://exa\u200bmple.org/", "http://a..b/"),
        *("http://example.org:99999/", "http://example.org:0/", "http://-a.org/", "http://[::1/"),
        *("http://[fe80::1%25eth0]/", "http://0x7f.1/", "http://a.0x/", "http://256.1.1.1/"),
        "https://example.org/" + "a" * 5_000,
    ],
)
def test_what_is_no_plain_address_is_refused(text: str) -> None:
    with pytest.raises(ToolError):
        read_web_address(text)


def test_a_password_in_an_address_is_not_repeated() -> None:
    with pytest.raises(ToolError) as refused:
        read_web_address("https://ann:hunter2@example.org/")
    assert "hunter2" not in refused.value.sentence()


@pytest.mark.parametrize(
    ("url", "grant", "granted"),
    [
        ("http://nas.local/x", "nas.local", True),
        ("https://nas.local/x", "NAS.local", True),
        ("http://nas.local:5000/", "nas.local", False),
        ("http://nas.local:5000/", "nas.local:5000", True),
        ("http://nas.local/", "nas.local:5000", False),
        ("http://nas.local/", "nas.local:80", True),
        ("http://evil.nas.local/", "nas.local", False),
        ("http://nas.local.evil.example/", "nas.local", False),
        ("http://10.0.0.5:8080/", "10.0.0.5:8080", True),
        ("http://10.0.0.5:8081/", "10.0.0.5:8080", False),
        ("http://[fd00::1]/", "fd00::1", True),
        ("http://[fd00::1]:81/", "[fd00::1]:81", True),
        ("http://nas.local/", "", False),
    ],
)
def test_a_grant_means_exactly_one_place(url: str, grant: str, granted: bool) -> None:
    assert is_granted(read_web_address(url), [grant]) is granted


def test_a_refusal_says_how_to_allow_the_place() -> None:
    address = read_web_address("http://10.0.0.5:8080/a")
    with pytest.raises(ToolError) as refused:
        check_connection(address, ["10.0.0.5"], granted=False)
    assert "a private network" in refused.value.message
    assert '"10.0.0.5:8080"' in refused.value.advice


def test_one_closed_address_among_public_ones_closes_the_name() -> None:
    address = read_web_address("http://example.org/")
    check_connection(address, ["93.184.215.14"], granted=False)
    with pytest.raises(ToolError):
        check_connection(address, ["93.184.215.14", "10.0.0.1"], granted=False)
    with pytest.raises(ToolError):
        check_connection(address, ["93.184.215.14", "not a number"], granted=False)


@pytest.mark.parametrize("number", ["169.254.169.254", "::ffff:169.254.169.254", "224.0.0.1", "::"])
def test_no_grant_leads_to_the_keys_of_a_cloud_machine(number: str) -> None:
    address = read_web_address("http://nas.local/")
    check_connection(address, ["192.168.1.9"], granted=True)
    with pytest.raises(ToolError):
        check_connection(address, [number], granted=True)


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/b?c", "https://example.org/b?c"),
        ("d", "https://example.org/a/d"),
        ("//other.example/", "https://other.example/"),
        ("http://other.example:81/x", "http://other.example:81/x"),
    ],
)
def test_a_redirect_is_read_as_browsers_read_it(location: str, url: str) -> None:
    assert follow(read_web_address("https://example.org/a/b"), location).url == url


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://[", "https://a@b.example/"])
def test_a_redirect_to_no_web_address_is_refused(location: str) -> None:
    with pytest.raises(ToolError):
        follow(read_web_address("https://example.org/a/b"), location)
