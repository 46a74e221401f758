"""The system keychain: which backends are trusted, and its errors in our words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar, cast

from ankita.errors import VaultError, VaultLockedError, VaultUnavailableError

TRUSTED_BACKENDS = frozenset(
    {
        "keyring.backends.SecretService",
        "keyring.backends.libsecret",
        "keyring.backends.kwallet",
        "keyring.backends.Windows",
        "keyring.backends.macOS",
    }
)
"""Modules whose backends encrypt. Anything else may keep plain text or nothing at all."""

_NO_KEYCHAIN_ADVICE = "Unlock or install a keychain, or choose a passphrase for an encrypted file."

_T = TypeVar("_T")


class Keychain(Protocol):
    """The part of a keyring backend that is used."""

    def get_password(self, service: str, username: str) -> str | None: ...

    def set_password(self, service: str, username: str, password: str) -> None: ...

    def delete_password(self, service: str, username: str) -> None: ...


def system_keychain() -> Keychain:
    """The best trusted keychain of this system. Raises VaultUnavailableError.

    May take a while, and a later call on it may wait for the user: not for a loop's thread.
    """

    def find() -> Keychain:
        import keyring

        backend = keyring.get_keyring()
        # A chain would fall back to whatever comes next in it, so only its first trusted
        # member is used.
        for candidate in (backend, *getattr(backend, "backends", ())):
            if is_trusted(candidate):
                return cast("Keychain", candidate)
        raise VaultUnavailableError(
            "This system offers no keychain that encrypts.", advice=_NO_KEYCHAIN_ADVICE
        )

    return translated(find)


def is_trusted(backend: object) -> bool:
    """Whether a backend is known to encrypt what it keeps."""
    return type(backend).__module__ in TRUSTED_BACKENDS


def translated(call: Callable[[], _T]) -> _T:
    """Run a call on the keychain; whatever it raises becomes a VaultError."""
    import keyring.errors as errors

    try:
        return call()
    except VaultError:
        raise
    except errors.KeyringLocked as error:
        raise VaultLockedError(
            "The system keychain is locked.", advice="Unlock it and try again."
        ) from error
    except (errors.NoKeyringError, errors.InitError) as error:
        raise VaultUnavailableError(
            "The system keychain can't be opened.", advice=_NO_KEYCHAIN_ADVICE
        ) from error
    except Exception as error:  # backends also let errors of D-Bus and of Windows through
        raise VaultError(
            f"The system keychain failed ({type(error).__name__}).",
            advice="Check that it is running and unlocked, then try again.",
        ) from error
