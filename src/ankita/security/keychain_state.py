"""Looks whether the system's keychain is there and open, without unlocking or creating one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ankita.errors import VaultError
from ankita.security.keychain import system_keychain

SECRET_SERVICE = "keyring.backends.SecretService"
_DEFAULT_COLLECTION = "/org/freedesktop/secrets/aliases/default"

_NAMES = {
    SECRET_SERVICE: "Secret Service",
    "keyring.backends.libsecret": "libsecret",
    "keyring.backends.kwallet": "KWallet",
    "keyring.backends.Windows": "Windows Credential Manager",
    "keyring.backends.macOS": "macOS Keychain",
}


class KeychainState(StrEnum):
    """PRESENT: there is one, but whether it is open can only be found by using it."""

    OPEN = "open"
    PRESENT = "present"
    LOCKED = "locked"
    EMPTY = "empty"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class KeychainView:
    state: KeychainState
    name: str = ""


def look_at_keychain() -> KeychainView:
    """May wait for the session bus; never shows a prompt. Raises nothing of the keychain's."""
    try:
        module = type(system_keychain()).__module__
    except VaultError:
        return KeychainView(KeychainState.NONE)
    name = _NAMES.get(module, "A keychain")
    if module != SECRET_SERVICE:
        return KeychainView(KeychainState.PRESENT, name)
    return KeychainView(_secret_service_state(), name)


def _secret_service_state() -> KeychainState:
    """Asks for the state of the default collection; opening it could show a prompt."""
    import secretstorage

    try:
        connection = secretstorage.dbus_init()
    except secretstorage.SecretServiceNotAvailableException:
        return KeychainState.NONE
    try:
        collection = secretstorage.Collection(connection, _DEFAULT_COLLECTION)
        return KeychainState.LOCKED if collection.is_locked() else KeychainState.OPEN
    except secretstorage.ItemNotFoundException:
        return KeychainState.EMPTY
    except secretstorage.SecretStorageException:
        return KeychainState.NONE
    finally:
        connection.close()
