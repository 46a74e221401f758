"""What every vault does, whatever is behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ankita.durable import DurableFiles
from ankita.errors import VaultError
from ankita.protocols import Vault
from ankita.security.passphrase_vault import Argon2Cost, PassphraseVault
from ankita.security.vault import KeyringVault, SessionVault
from ankita.security.vault_file import SealedFile
from tests.fakes.vault import FakeKeychain, FakeVault

CHEAP = Argon2Cost(memory_kib=64, iterations=1, lanes=1)
OAUTH_PAIR = "eyJ" + "a7Q_" * 1389  # the 5,559 characters that Windows refuses in one credential


def _keyring_vault(folder: Path) -> Vault:
    return KeyringVault(SealedFile(DurableFiles(folder), folder / "vault.json"), FakeKeychain())


def _passphrase_vault(folder: Path) -> Vault:
    file = SealedFile(DurableFiles(folder), folder / "vault.json")
    return PassphraseVault(file, "correct horse battery", CHEAP)


MAKERS: dict[str, Callable[[Path], Vault]] = {
    "keychain": _keyring_vault,
    "passphrase": _passphrase_vault,
    "session": lambda _folder: SessionVault(),
    "fake": lambda _folder: FakeVault(),
}


@pytest.fixture(params=sorted(MAKERS))
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Vault:
    return MAKERS[request.param](tmp_path)


def test_a_name_that_was_never_set_has_no_value(vault: Vault) -> None:
    assert vault.get("openai") is None


@pytest.mark.parametrize("value", ["sk-1", "", "päss \n\0 🔑", "\ud800 half", OAUTH_PAIR])
@pytest.mark.spec("SEC-8")
def test_what_was_set_comes_back_whole(vault: Vault, value: str) -> None:
    vault.set("openai", value)
    assert vault.get("openai") == value


def test_setting_again_replaces_only_that_value(vault: Vault) -> None:
    vault.set("one", "first")
    vault.set("two", "second")
    vault.set("one", "third")
    assert (vault.get("one"), vault.get("two")) == ("third", "second")


def test_a_deleted_value_is_gone_and_the_others_stay(vault: Vault) -> None:
    vault.set("one", "first")
    vault.set("two", "second")
    vault.delete("one")
    assert (vault.get("one"), vault.get("two")) == (None, "second")


def test_deleting_what_is_not_there_is_no_error(vault: Vault) -> None:
    vault.delete("nothing")
    vault.set("one", "first")
    vault.delete("nothing")
    assert vault.get("one") == "first"


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 121])
def test_a_name_that_is_no_slug_is_refused_by_every_call(vault: Vault, name: str) -> None:
    for call in (vault.get, vault.delete, lambda name: vault.set(name, "value")):
        with pytest.raises(VaultError):
            call(name)


def test_it_says_in_words_where_the_keys_are(vault: Vault) -> None:
    assert vault.describe().strip()


@pytest.mark.spec("PRV-8")
def test_no_value_and_no_name_is_readable_on_the_disk(vault: Vault, tmp_path: Path) -> None:
    vault.set("openai-key-name", "very-secret-value-4711")
    for file in tmp_path.rglob("*"):
        content = file.read_bytes()
        assert b"very-secret" not in content
        assert b"openai-key-name" not in content
