"""Where keys live: the system keychain, an encrypted file, or this run's memory.

The keychain holds one small key only, because Windows refuses more than 1,280
characters; the values lie in a file sealed with it. Nothing is ever kept as plain
text. Calls may wait for the user or for the disk: not for a loop's thread.
"""

from __future__ import annotations

import base64
import binascii
import os
import uuid
from collections.abc import Callable
from pathlib import Path

from ankita.durable import DurableFiles
from ankita.errors import VaultError, VaultLockedError
from ankita.protocols import Vault
from ankita.security.keychain import Keychain, system_keychain, translated
from ankita.security.passphrase_vault import Argon2Cost, PassphraseVault
from ankita.security.vault_file import (
    KEY_BYTES,
    Entries,
    Header,
    SealedFile,
    checked_name,
    header_text,
    removing,
    setting,
)

SERVICE_PREFIX = "Ankita vault"
KEYCHAIN_USER = "ankita"


class KeyringVault:
    """Values in a file sealed with a key from the system keychain.

    Every vault file has a key of its own, under a service name of its own.
    """

    def __init__(self, file: SealedFile, keychain: Keychain) -> None:
        self._file = file
        self._keychain = keychain

    def unlock(self) -> None:
        """See that the keychain answers and that it opens the file, if there is one.

        Nothing is written. Raises VaultError, StoredDataError.
        """
        if self._file.header() is None:
            translated(lambda: self._keychain.get_password(SERVICE_PREFIX, KEYCHAIN_USER))
        else:
            self._file.entries(self._key)

    def get(self, name: str) -> str | None:
        return self._file.entries(self._key).get(checked_name(name))

    def set(self, name: str, value: str) -> None:
        self._update(setting(name, value))

    def delete(self, name: str) -> None:
        if self.get(name) is not None:
            self._update(removing(name))

    def describe(self) -> str:
        return "system keychain"

    def _update(self, change: Callable[[Entries], None]) -> None:
        self._file.update(change, self._key, self._new_key)

    def _key(self, header: Header) -> bytes:
        service = header_text(header, "service", self._file.path)
        stored = translated(lambda: self._keychain.get_password(service, KEYCHAIN_USER))
        if stored is None:
            raise VaultLockedError(
                f"The system keychain has no key for {self._file.path.name}.",
                advice="The file was kept. Enter the keys again to start a new one.",
            )
        try:
            key = base64.b64decode(stored, validate=True)
        except (binascii.Error, ValueError):
            key = b""
        if len(key) != KEY_BYTES:
            raise VaultLockedError(
                f"The key in the system keychain does not fit {self._file.path.name}.",
                advice="The file was kept.",
            )
        return key

    def _new_key(self) -> Header:
        service = f"{SERVICE_PREFIX} {uuid.uuid4().hex}"
        key = base64.b64encode(os.urandom(KEY_BYTES)).decode("ascii")
        translated(lambda: self._keychain.set_password(service, KEYCHAIN_USER, key))
        if translated(lambda: self._keychain.get_password(service, KEYCHAIN_USER)) != key:
            raise VaultError(
                "The system keychain did not keep the key.",
                advice="Nothing was saved. Choose a passphrase for an encrypted file instead.",
            )
        return {"kind": "keychain", "service": service}


class SessionVault:
    """Values in memory, for someone who has no keychain and wants no file."""

    def __init__(self) -> None:
        self._entries: Entries = {}

    def get(self, name: str) -> str | None:
        return self._entries.get(checked_name(name))

    def set(self, name: str, value: str) -> None:
        setting(name, value)(self._entries)

    def delete(self, name: str) -> None:
        removing(name)(self._entries)

    def describe(self) -> str:
        return "memory only: gone when Ankita closes"


class VaultChooser:
    """Decides which vault a profile uses.

    A passphrase file, once made, is the profile's vault: its values would otherwise
    disappear whenever the keychain happens to work.
    """

    def __init__(
        self,
        files: DurableFiles,
        keychain_path: Path,
        passphrase_path: Path,
        *,
        find_keychain: Callable[[], Keychain] = system_keychain,
        cost: Argon2Cost | None = None,
    ) -> None:
        self._files = files
        self._keychain_file = SealedFile(files, keychain_path)
        self._passphrase_file = SealedFile(files, passphrase_path)
        self._find_keychain = find_keychain
        self._cost = cost

    def open(self, passphrase: str | None = None) -> Vault:
        """The vault, ready for use.

        Raises VaultUnavailableError when there is no keychain and no passphrase was
        given, VaultLockedError when a passphrase is needed or wrong or the keychain is
        locked, StoredDataError when a vault file can't be used (it is untouched).
        """
        if self._passphrase_file.header() is not None:
            if passphrase is None:
                raise VaultLockedError(
                    "Your keys are in an encrypted file.", advice="Enter its passphrase."
                )
            return self._with_passphrase(passphrase)
        if passphrase is not None:
            return self._with_passphrase(passphrase)
        return self._with_keychain()

    def start_over(self) -> tuple[Path, ...]:
        """Keep vault files that can't be opened aside, so that keys can be entered anew."""
        return tuple(
            self._files.keep_aside(file.path, "the user started a new vault")
            for file in (self._keychain_file, self._passphrase_file)
            if self._files.read_bytes(file.path) is not None
        )

    def _with_passphrase(self, passphrase: str) -> Vault:
        vault = PassphraseVault(self._passphrase_file, passphrase, self._cost)
        vault.unlock()
        return vault

    def _with_keychain(self) -> Vault:
        vault = KeyringVault(self._keychain_file, self._find_keychain())
        vault.unlock()
        return vault
