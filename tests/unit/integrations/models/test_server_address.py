"""An address means one server, in one form, and decides whether a key may travel."""

from __future__ import annotations

import pytest

from ankita.config import WireFormat
from ankita.errors import CommandRefusedError
from ankita.integrations.models.server_address import read_address


@pytest.mark.spec("PRV-1")
@pytest.mark.parametrize(
    ("typed", "base"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        (" http://127.0.0.1:8080/v1/ ", "http://127.0.0.1:8080/v1"),
        ("http://LocalHost:1234/v1/chat/completions", "http://localhost:1234/v1"),
        ("http://[::1]:11434", "http://[::1]:11434/v1"),
        ("https://openrouter.ai/api/v1/models", "https://openrouter.ai/api/v1"),
        ("https://api.kilo.ai/api/gateway/", "https://api.kilo.ai/api/gateway"),
        ("https://x.test/v1beta/openai/", "https://x.test/v1beta/openai"),
    ],
)
def test_every_way_to_type_an_address_gives_one_form(typed: str, base: str) -> None:
    address = read_address(typed)
    assert address.base == base
    assert read_address(address.base) == address
    assert address.endpoint("models") == f"{base}/models"


@pytest.mark.spec("PRV-1")
@pytest.mark.parametrize(
    ("typed", "base"),
    [
        ("https://api.x.test", "https://api.x.test/v1"),
        ("https://api.x.test/v1/", "https://api.x.test/v1"),
        ("https://api.x.test/v1/messages", "https://api.x.test/v1"),
        ("https://api.x.test/v1/models", "https://api.x.test/v1"),
        ("https://api.x.test/anthropic", "https://api.x.test/anthropic/v1"),
        ("https://api.x.test/api/v2", "https://api.x.test/api/v2"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
    ],
)
def test_an_address_for_anthropics_format_ends_in_the_version(typed: str, base: str) -> None:
    address = read_address(typed, WireFormat.ANTHROPIC)
    assert address.base == base
    assert read_address(address.base, WireFormat.ANTHROPIC) == address


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "127.0.0.1:8080",
        "localhost",
        "ftp://127.0.0.1/v1",
        "file:///etc/passwd",
        "http://",
        "http://:8080",
        "http://a b/",
        "http://host:99999",
        "http://host:x",
        "http://[::1",
        "http://host\\@evil.test/",
        "http://host/\nX: y",
        "http://host/v1?key=1",
        "http://host/v1#x",
    ],
)
def test_what_is_no_server_address_is_refused_with_advice(typed: str) -> None:
    with pytest.raises(CommandRefusedError) as refusal:
        read_address(typed)
    assert refusal.value.advice


@pytest.mark.spec("PRV-8")
def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(CommandRefusedError) as refusal:
        read_address("https://me:hunter22@x.test/v1")
    assert "hunter22" not in refusal.value.sentence()


@pytest.mark.spec("PRV-8")
@pytest.mark.parametrize(
    ("typed", "is_local", "is_private", "may_carry_key"),
    [
        ("http://127.0.0.1:1", True, True, True),
        ("http://127.9.9.9:1", True, True, True),
        ("http://[::1]:1", True, True, True),
        ("http://localhost:1", True, True, True),
        ("http://localhost.:1", True, True, True),
        ("http://192.168.1.7:1", False, True, False),
        ("http://10.0.0.1:1", False, True, False),
        ("https://192.168.1.7:1", False, True, True),
        ("http://x.test", False, False, False),
        ("https://x.test", False, False, True),
        ("http://localhost.evil.test", False, False, False),
        ("http://127.0.0.1.evil.test", False, False, False),
        ("http://2130706433", False, False, False),
    ],
)
def test_a_key_travels_only_encrypted_or_within_this_machine(
    typed: str, is_local: bool, is_private: bool, may_carry_key: bool
) -> None:
    address = read_address(typed)
    assert address.is_local is is_local
    assert address.is_private is is_private
    assert address.may_carry_key is may_carry_key
