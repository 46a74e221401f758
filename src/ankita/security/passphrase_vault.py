"""A vault without a keychain: an encrypted file whose key is the user's passphrase."""

from __future__ import annotations

import base64
import binascii
import os
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from ankita.errors import VaultError, VaultUnavailableError
from ankita.security.vault_file import (
    KEY_BYTES,
    Entries,
    Header,
    SealedFile,
    checked_name,
    damaged_vault,
    header_number,
    header_text,
    removing,
    setting,
)

MIN_PASSPHRASE_CHARACTERS = 8
SALT_BYTES = 16


@dataclass(frozen=True, slots=True)
class Argon2Cost:
    """What one guess at a passphrase costs. The defaults take about 0.1 s and 64 MiB."""

    memory_kib: int = 64 * 1024
    iterations: int = 3
    lanes: int = 4

    def is_sane(self) -> bool:
        """A damaged header must not make the product take all memory or all day."""
        return (
            1 <= self.iterations <= 100
            and 1 <= self.lanes <= 64
            and 8 * self.lanes <= self.memory_kib <= 2**21
        )


class PassphraseVault:
    """Values in a file sealed with a key from the user's passphrase (Argon2id)."""

    def __init__(self, file: SealedFile, passphrase: str, cost: Argon2Cost | None = None) -> None:
        self._file = file
        self._passphrase = unicodedata.normalize("NFKC", passphrase).encode(
            "utf-8", "surrogatepass"
        )
        self._cost = cost or Argon2Cost()
        self._derived: tuple[Header, bytes] | None = None

    def unlock(self) -> None:
        """Check the passphrase, or make it the one of a new file.

        Raises VaultLockedError when it is wrong, VaultError when a new one is too short.
        """
        if self._file.header() is not None:
            self._file.entries(self._key)
            return
        if len(self._passphrase.decode("utf-8", "surrogatepass")) < MIN_PASSPHRASE_CHARACTERS:
            raise VaultError(
                f"The passphrase needs at least {MIN_PASSPHRASE_CHARACTERS} characters."
            )
        self._update(lambda _entries: None)

    def get(self, name: str) -> str | None:
        return self._file.entries(self._key).get(checked_name(name))

    def set(self, name: str, value: str) -> None:
        self._update(setting(name, value))

    def delete(self, name: str) -> None:
        if self.get(name) is not None:
            self._update(removing(name))

    def describe(self) -> str:
        return "encrypted file, opened with your passphrase"

    def _update(self, change: Callable[[Entries], None]) -> None:
        self._file.update(change, self._key, self._new_header)

    def _new_header(self) -> Header:
        return {
            "kind": "passphrase",
            "salt": base64.b64encode(os.urandom(SALT_BYTES)).decode("ascii"),
            "memory_kib": self._cost.memory_kib,
            "iterations": self._cost.iterations,
            "lanes": self._cost.lanes,
        }

    def _key(self, header: Header) -> bytes:
        if self._derived is None or self._derived[0] != header:
            self._derived = (dict(header), self._derive(header))
        return self._derived[1]

    def _derive(self, header: Header) -> bytes:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

        path = self._file.path
        cost = Argon2Cost(
            *(header_number(header, n, path) for n in ("memory_kib", "iterations", "lanes"))
        )
        try:
            salt = base64.b64decode(header_text(header, "salt", path), validate=True)
        except (binascii.Error, ValueError) as error:
            raise damaged_vault(path) from error
        if len(salt) < SALT_BYTES or not cost.is_sane():
            raise damaged_vault(path)
        try:
            return Argon2id(
                salt=salt,
                length=KEY_BYTES,
                iterations=cost.iterations,
                lanes=cost.lanes,
                memory_cost=cost.memory_kib,
            ).derive(self._passphrase)
        except UnsupportedAlgorithm as error:
            raise VaultUnavailableError(
                "This system's OpenSSL is too old for an encrypted file."
            ) from error
