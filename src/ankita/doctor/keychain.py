"""Says which keychain there is and whether it is open, without asking anybody for anything."""

from __future__ import annotations

from ankita.doctor.finding import Finding, State, Subject
from ankita.security.keychain_state import KeychainState, KeychainView, look_at_keychain

_INSTEAD = "Until then keys go into a file with a passphrase of yours, or last until Ankita ends."

_WORDS = {
    KeychainState.OPEN: (State.OK, "{name} is there and open.", ""),
    KeychainState.PRESENT: (State.OK, "{name} is there.", ""),
    KeychainState.LOCKED: (State.WARN, "{name} is locked.", f"Unlock it. {_INSTEAD}"),
    KeychainState.EMPTY: (
        State.WARN,
        "{name} is there, but it holds no keyring yet.",
        f"Create one in it, with a password. {_INSTEAD}",
    ),
    KeychainState.NONE: (
        State.WARN,
        "No keychain that encrypts was found.",
        f"Install or start one. {_INSTEAD}",
    ),
}


def check_keychain(_subject: Subject) -> Finding:
    return judge_keychain(look_at_keychain())


def judge_keychain(view: KeychainView) -> Finding:
    """Keys are not needed for the main job, so nothing here fails it."""
    state, words, advice = _WORDS[view.state]
    return Finding("keyring", state, words.format(name=view.name), advice)
