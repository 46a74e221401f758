"""The sealed file of a vault: names and values under one 32-byte key.

    {"version": 1, "header": {...}, "check": "...", "nonce": "...", "sealed": "..."}

AES-256-GCM; the header is authenticated with the values. `check` is derived from the
key, so that a wrong key and a damaged file can be told apart.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ankita.durable import DurableFiles, parse_document
from ankita.errors import DamagedDataError, VaultError, VaultLockedError

FILE_VERSION = 1
KEY_BYTES = 32
MAX_NAME_CHARACTERS = 120
NONCE_BYTES = 12
_CHECK_TEXT = b"ankita vault key check 1"

Header = Mapping[str, Any]
Entries = dict[str, str]


@dataclass(frozen=True, slots=True)
class SealedFile:
    """One vault file on disk."""

    files: DurableFiles
    path: Path

    def header(self) -> Header | None:
        """What the file says about its key, or None when there is no file.

        Raises StoredDataError; the file is untouched.
        """
        document = self.files.read_json(self.path, FILE_VERSION)
        return None if document is None else _header(document, self.path)

    def entries(self, key_for: Callable[[Header], bytes]) -> Entries:
        """The values; none when there is no file. Raises StoredDataError, VaultLockedError."""
        document = self.files.read_json(self.path, FILE_VERSION)
        return {} if document is None else _unseal(document, key_for, self.path)

    def update(
        self,
        change: Callable[[Entries], None],
        key_for: Callable[[Header], bytes],
        new_header: Callable[[], Header],
    ) -> None:
        """Change the values in one step. Raises WriteError and the errors of `entries`.

        What is about to be written is opened again with the key first, and the writer
        reads it back from the disk before it replaces the old file; whatever fails,
        the old file is whole.
        """

        def seal(old: bytes | None) -> bytes:
            if old is None:
                header, entries = new_header(), Entries()
            else:
                document = parse_document(self.path, old, FILE_VERSION)
                header = _header(document, self.path)
                entries = _unseal(document, key_for, self.path)
            change(entries)
            data = _seal(header, entries, key_for(header))
            if (
                _unseal(parse_document(self.path, data, FILE_VERSION), key_for, self.path)
                != entries
            ):
                raise VaultError("The key can't be read back, so nothing was saved.")
            return data

        self.files.update_bytes(self.path, seal)


def _seal(header: Header, entries: Entries, key: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(NONCE_BYTES)
    plain = json.dumps(entries).encode()
    document = {
        "version": FILE_VERSION,
        "header": header,
        "check": _encode(_key_check(key)),
        "nonce": _encode(nonce),
        "sealed": _encode(AESGCM(key).encrypt(nonce, plain, _authenticated(header))),
    }
    return json.dumps(document, indent=2).encode()


def _unseal(document: Mapping[str, Any], key_for: Callable[[Header], bytes], path: Path) -> Entries:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    header = _header(document, path)
    check = _decode(document, "check", path)
    nonce = _decode(document, "nonce", path)
    sealed = _decode(document, "sealed", path)
    key = key_for(header)
    if not hmac.compare_digest(check, _key_check(key)):
        raise VaultLockedError(
            f"The key does not open {path.name}.", advice="The file was left as it is."
        )
    try:
        entries = json.loads(AESGCM(key).decrypt(nonce, sealed, _authenticated(header)))
    except (InvalidTag, ValueError) as error:
        raise damaged_vault(path) from error
    if not isinstance(entries, dict):
        raise damaged_vault(path)
    return entries


def _header(document: Mapping[str, Any], path: Path) -> Header:
    header = document.get("header")
    if not isinstance(header, dict):
        raise damaged_vault(path)
    return header


def _decode(document: Mapping[str, Any], name: str, path: Path) -> bytes:
    text = document.get(name)
    try:
        return base64.b64decode(text if isinstance(text, str) else "?", validate=True)
    except (binascii.Error, ValueError) as error:
        raise damaged_vault(path) from error


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _authenticated(header: Header) -> bytes:
    return json.dumps(header, sort_keys=True, separators=(",", ":")).encode()


def _key_check(key: bytes) -> bytes:
    return hmac.digest(key, _CHECK_TEXT, "sha256")


def checked_name(name: str) -> str:
    """The name, if it can be one. Raises VaultError."""
    if not name.strip() or len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        raise VaultError(f"{name[:40]!r} can't be the name of a key.")
    return name


def setting(name: str, value: str) -> Callable[[Entries], None]:
    """The change that stores one value."""
    checked_name(name)

    def change(entries: Entries) -> None:
        entries[name] = value

    return change


def removing(name: str) -> Callable[[Entries], None]:
    """The change that removes one value, if it is there."""
    checked_name(name)

    def change(entries: Entries) -> None:
        entries.pop(name, None)

    return change


def header_text(header: Header, name: str, path: Path) -> str:
    """A text of the header. Raises DamagedDataError."""
    value: Any = header.get(name)
    if not isinstance(value, str):
        raise damaged_vault(path)
    return value


def header_number(header: Header, name: str, path: Path) -> int:
    """A number of the header. Raises DamagedDataError."""
    value: Any = header.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise damaged_vault(path)
    return value


def damaged_vault(path: Path) -> DamagedDataError:
    """The error for a vault file whose inside makes no sense."""
    return DamagedDataError(
        f"{path.name} is damaged and its keys can't be read.", advice="It was left as it is."
    )
