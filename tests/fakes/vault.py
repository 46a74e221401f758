"""Vaults and keychains that work, or fail in one chosen way."""

from __future__ import annotations

from keyring.errors import InitError, KeyringLocked, PasswordDeleteError

from ankita.errors import VaultLockedError
from ankita.security.vault_file import checked_name

WINDOWS_CREDENTIAL_CHARACTERS = 1280


class FakeVault:
    """Keeps values in memory. Set `is_locked` to make every call fail."""

    def __init__(self, values: dict[str, str] | None = None) -> None:
        self.values = dict(values or {})
        self.is_locked = False

    def get(self, name: str) -> str | None:
        self._check(name)
        return self.values.get(name)

    def set(self, name: str, value: str) -> None:
        self._check(name)
        self.values[name] = value

    def delete(self, name: str) -> None:
        self._check(name)
        self.values.pop(name, None)

    def describe(self) -> str:
        return "memory of a test"

    def _check(self, name: str) -> None:
        checked_name(name)
        if self.is_locked:
            raise VaultLockedError("The vault is locked.")


class FakeKeychain:
    """A keyring backend in memory, as narrow as that of Windows."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if len(password) > WINDOWS_CREDENTIAL_CHARACTERS:
            raise OSError(1783, "CredWrite", "The stub received bad data")
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.entries.pop((service, username), None) is None:
            raise PasswordDeleteError("no such password")


class LockedKeychain(FakeKeychain):
    """Refuses everything until someone unlocks it."""

    def get_password(self, service: str, username: str) -> str | None:
        del service, username
        raise KeyringLocked("Failed to unlock the collection")

    def set_password(self, service: str, username: str, password: str) -> None:
        del service, username, password
        raise KeyringLocked("Failed to unlock the collection")


class DismissedKeychain(FakeKeychain):
    """There is a service, but its prompt was dismissed."""

    def get_password(self, service: str, username: str) -> str | None:
        del service, username
        raise InitError("Failed to create the collection: Prompt dismissed")


class ForgetfulKeychain(FakeKeychain):
    """Accepts a password and has none afterwards."""

    def set_password(self, service: str, username: str, password: str) -> None:
        del service, username, password


class BreaksAfterWriteKeychain(FakeKeychain):
    """Accepts a password and fails when it is read."""

    def get_password(self, service: str, username: str) -> str | None:
        del service, username
        if self.entries:
            raise RuntimeError("org.freedesktop.DBus.Error.NoReply")
        return None
