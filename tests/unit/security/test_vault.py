"""Keychains that fail, wrong passphrases, damaged files, and the choice between vaults."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from ankita.atomic_replace import DiskCalls
from ankita.durable import DurableFiles
from ankita.errors import (
    AnkitaError,
    DamagedDataError,
    DiskFullError,
    NewerDataError,
    VaultError,
    VaultLockedError,
    VaultUnavailableError,
)
from ankita.paths import HAS_FILE_MODES
from ankita.security.keychain import Keychain, is_trusted, system_keychain
from ankita.security.passphrase_vault import Argon2Cost, PassphraseVault
from ankita.security.vault import KeyringVault, SessionVault, VaultChooser
from ankita.security.vault_file import SealedFile
from tests.fakes.vault import (
    WINDOWS_CREDENTIAL_CHARACTERS,
    BreaksAfterWriteKeychain,
    DismissedKeychain,
    FakeKeychain,
    ForgetfulKeychain,
    LockedKeychain,
)

CHEAP = Argon2Cost(memory_kib=64, iterations=1, lanes=1)
PASSPHRASE = "correct horse battery"


def sealed(folder: Path, disk: DiskCalls | None = None) -> SealedFile:
    return SealedFile(DurableFiles(folder, disk=disk), folder / "vault.json")


def chooser(folder: Path, find: Callable[[], Keychain]) -> VaultChooser:
    return VaultChooser(
        DurableFiles(folder),
        folder / "vault.json",
        folder / "vault-passphrase.json",
        find_keychain=find,
        cost=CHEAP,
    )


def no_keychain() -> Keychain:
    raise VaultUnavailableError("There is no keychain.", advice="Choose a passphrase.")


def edit(path: Path, **changes: object) -> bytes:
    document = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps(document))
    return path.read_bytes()


@pytest.mark.spec("SEC-8")
def test_the_keychain_only_ever_gets_a_small_key(tmp_path: Path) -> None:
    keychain = FakeKeychain()
    vault = KeyringVault(sealed(tmp_path), keychain)
    vault.set("grant", "x" * (4 * WINDOWS_CREDENTIAL_CHARACTERS))
    assert vault.get("grant") == "x" * (4 * WINDOWS_CREDENTIAL_CHARACTERS)
    assert [len(password) for password in keychain.entries.values()] == [44]


def test_two_profiles_in_one_keychain_keep_their_own_keys(tmp_path: Path) -> None:
    keychain = FakeKeychain()
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        KeyringVault(sealed(folder), keychain).set("openai", folder.name)
    values = [KeyringVault(sealed(folder), keychain).get("openai") for folder in folders]
    assert values == ["one", "two"]


@pytest.mark.skipif(not HAS_FILE_MODES, reason="the system has no file modes")
@pytest.mark.spec("APP-7")
def test_the_vault_file_is_private(tmp_path: Path) -> None:
    KeyringVault(sealed(tmp_path), FakeKeychain()).set("openai", "sk-1")
    assert stat.S_IMODE((tmp_path / "vault.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("keychain", "error", "words"),
    [
        (LockedKeychain(), VaultLockedError, "is locked"),
        (ForgetfulKeychain(), VaultError, "did not keep"),
        (BreaksAfterWriteKeychain(), VaultError, "failed"),
    ],
)
@pytest.mark.spec("SEC-8")
def test_a_keychain_that_does_not_keep_the_key_means_nothing_is_saved(
    tmp_path: Path, keychain: FakeKeychain, error: type[VaultError], words: str
) -> None:
    with pytest.raises(error, match=words):
        KeyringVault(sealed(tmp_path), keychain).set("openai", "sk-1")
    assert not (tmp_path / "vault.json").exists()


def test_a_vault_whose_key_left_the_keychain_is_locked_and_kept(tmp_path: Path) -> None:
    KeyringVault(sealed(tmp_path), FakeKeychain()).set("openai", "sk-1")
    before = (tmp_path / "vault.json").read_bytes()
    other = KeyringVault(sealed(tmp_path), FakeKeychain())
    for call in (lambda: other.get("openai"), lambda: other.set("openai", "sk-2")):
        with pytest.raises(VaultLockedError):
            call()
    assert (tmp_path / "vault.json").read_bytes() == before


@pytest.mark.parametrize("stored", ["", "not base64!", "c2hvcnQ="])
def test_a_key_that_does_not_fit_leaves_the_file_alone(tmp_path: Path, stored: str) -> None:
    keychain = FakeKeychain()
    vault = KeyringVault(sealed(tmp_path), keychain)
    vault.set("openai", "sk-1")
    keychain.entries = dict.fromkeys(keychain.entries, stored)
    before = (tmp_path / "vault.json").read_bytes()
    with pytest.raises(VaultLockedError):
        vault.set("openai", "sk-2")
    assert (tmp_path / "vault.json").read_bytes() == before


@pytest.mark.parametrize(
    "changes",
    [
        {"sealed": "AAAA"},
        {"sealed": "***"},
        {"nonce": "AAAA"},
        {"check": None},
        {"header": []},
        {"header": {}},
    ],
)
def test_a_damaged_vault_is_said_to_be_damaged_and_kept(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    vault = KeyringVault(sealed(tmp_path), FakeKeychain())
    vault.set("openai", "sk-1")
    damaged = edit(tmp_path / "vault.json", **changes)
    for call in (lambda: vault.get("openai"), lambda: vault.set("openai", "sk-2")):
        with pytest.raises(DamagedDataError):
            call()
    assert (tmp_path / "vault.json").read_bytes() == damaged


def test_a_vault_of_a_newer_version_is_kept(tmp_path: Path) -> None:
    vault = KeyringVault(sealed(tmp_path), FakeKeychain())
    vault.set("openai", "sk-1")
    newer = edit(tmp_path / "vault.json", version=2)
    with pytest.raises(NewerDataError):
        vault.set("openai", "sk-2")
    assert (tmp_path / "vault.json").read_bytes() == newer


def test_a_header_changed_by_someone_else_is_noticed(tmp_path: Path) -> None:
    vault = KeyringVault(sealed(tmp_path), FakeKeychain())
    vault.set("openai", "sk-1")
    header = json.loads((tmp_path / "vault.json").read_text())["header"]
    edit(tmp_path / "vault.json", header={**header, "kind": "passphrase"})
    with pytest.raises(DamagedDataError):
        vault.get("openai")


def test_a_full_disk_keeps_the_old_login(tmp_path: Path) -> None:
    keychain = FakeKeychain()
    KeyringVault(sealed(tmp_path), keychain).set("grant", "old")

    def full(_descriptor: int, _data: object) -> int:
        raise OSError(28, "No space left on device")

    with pytest.raises(DiskFullError):
        KeyringVault(sealed(tmp_path, DiskCalls(write=full)), keychain).set("grant", "new")
    assert KeyringVault(sealed(tmp_path), keychain).get("grant") == "old"


def test_the_right_passphrase_opens_the_file_again(tmp_path: Path) -> None:
    PassphraseVault(sealed(tmp_path), "schlüssel bund", CHEAP).set("openai", "sk-1")
    again = PassphraseVault(sealed(tmp_path), "schlu\u0308ssel bund", CHEAP)  # typed otherwise
    assert again.get("openai") == "sk-1"


def test_a_wrong_passphrase_is_locked_and_changes_nothing(tmp_path: Path) -> None:
    PassphraseVault(sealed(tmp_path), PASSPHRASE, CHEAP).set("openai", "sk-1")
    before = (tmp_path / "vault.json").read_bytes()
    wrong = PassphraseVault(sealed(tmp_path), "wrong horse battery", CHEAP)
    for call in (wrong.unlock, lambda: wrong.get("openai"), lambda: wrong.set("a", "b")):
        with pytest.raises(VaultLockedError):
            call()
    assert (tmp_path / "vault.json").read_bytes() == before


def test_a_short_passphrase_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(VaultError, match="8 characters"):
        PassphraseVault(sealed(tmp_path), "short", CHEAP).unlock()
    assert not (tmp_path / "vault.json").exists()


@pytest.mark.parametrize(
    "changes",
    [{"memory_kib": 2**31}, {"iterations": 10**9}, {"lanes": 0}, {"salt": "AAAA"}, {"salt": 5}],
)
def test_a_header_that_asks_for_absurd_work_is_damage(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    PassphraseVault(sealed(tmp_path), PASSPHRASE, CHEAP).set("openai", "sk-1")
    header = json.loads((tmp_path / "vault.json").read_text())["header"]
    edit(tmp_path / "vault.json", header={**header, **changes})
    with pytest.raises(DamagedDataError):
        PassphraseVault(sealed(tmp_path), PASSPHRASE, CHEAP).get("openai")


def test_the_default_cost_of_a_guess_is_64_mebibytes(tmp_path: Path) -> None:
    PassphraseVault(sealed(tmp_path), PASSPHRASE).unlock()
    header = json.loads((tmp_path / "vault.json").read_text())["header"]
    assert (header["memory_kib"], header["iterations"]) == (65536, 3)


def test_a_working_keychain_is_chosen_and_nothing_is_written_yet(tmp_path: Path) -> None:
    keychain = FakeKeychain()
    vault = chooser(tmp_path, lambda: keychain).open()
    assert vault.describe() == "system keychain"
    assert not keychain.entries
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("find", "error"),
    [
        (no_keychain, VaultUnavailableError),
        (DismissedKeychain, VaultUnavailableError),
        (LockedKeychain, VaultLockedError),
    ],
)
@pytest.mark.spec("SEC-8", "PRV-8")
def test_without_a_keychain_there_is_no_vault_until_a_passphrase_is_given(
    tmp_path: Path, find: Callable[[], Keychain], error: type[AnkitaError]
) -> None:
    with pytest.raises(error) as caught:
        chooser(tmp_path, find).open()
    assert caught.value.advice
    assert not list(tmp_path.iterdir())
    vault = chooser(tmp_path, find).open(PASSPHRASE)
    vault.set("openai", "sk-1")
    assert vault.describe().startswith("encrypted file")
    assert chooser(tmp_path, find).open(PASSPHRASE).get("openai") == "sk-1"


def test_a_passphrase_file_stays_the_vault_when_a_keychain_appears(tmp_path: Path) -> None:
    chooser(tmp_path, no_keychain).open(PASSPHRASE).set("openai", "sk-1")
    later = chooser(tmp_path, FakeKeychain)
    with pytest.raises(VaultLockedError):
        later.open()
    with pytest.raises(VaultLockedError):
        later.open("wrong horse battery")
    assert later.open(PASSPHRASE).get("openai") == "sk-1"


def test_starting_over_keeps_the_old_file(tmp_path: Path) -> None:
    chooser(tmp_path, no_keychain).open(PASSPHRASE).set("openai", "sk-1")
    before = (tmp_path / "vault-passphrase.json").read_bytes()
    again = chooser(tmp_path, FakeKeychain)
    (kept,) = again.start_over()
    assert kept.read_bytes() == before
    assert again.open().get("openai") is None


def test_the_vault_of_one_run_says_that_it_forgets() -> None:
    assert "gone when Ankita closes" in SessionVault().describe()


@pytest.mark.parametrize(
    "backend", ["keyring.backends.null.Keyring", "keyring.backends.fail.Keyring"]
)
@pytest.mark.spec("SEC-8")
def test_backends_that_keep_nothing_are_not_used(
    backend: str,
) -> None:
    import keyring

    former = keyring.get_keyring()
    keyring.set_keyring(keyring.core.load_keyring(backend))
    try:
        with pytest.raises(VaultUnavailableError):
            system_keychain()
    finally:
        keyring.set_keyring(former)


def test_a_backend_that_is_not_known_to_encrypt_is_not_trusted() -> None:
    plain_text = type("PlaintextKeyring", (), {"__module__": "keyrings.alt.file"})
    assert not is_trusted(plain_text())
    assert not is_trusted(FakeKeychain())
    secret_service = type("Keyring", (), {"__module__": "keyring.backends.SecretService"})
    assert is_trusted(secret_service())
