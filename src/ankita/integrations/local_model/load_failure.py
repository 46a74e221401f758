"""Why a model could not be loaded, told from how its process ended. Pure."""

from __future__ import annotations

import signal
from typing import Final

from ankita.errors import ModelError, ModelNotRunnableError

INSTALL_ADVICE: Final = "Install it with: pip install 'ankita[local]'"

_SIGNS: Final = (
    (
        ("unknown model architecture", "unsupported model architecture"),
        "the installed llama.cpp does not know models of its kind",
        "Install a newer one with: pip install --upgrade 'ankita[local]'",
    ),
    (
        ("failed to allocate", "out of memory", "bad_alloc", "MemoryError"),
        "there is not enough free memory",
        "Close other programs, or choose a smaller model.",
    ),
    (
        ("No module named 'xllamacpp'",),
        "the part that runs model files is not installed",
        INSTALL_ADVICE,
    ),
    (
        ("No such file or directory", "failed to open"),
        "its file can't be opened",
        "Check that the file is still there, or choose another one in Settings.",
    ),
)
_TOO_OLD: Final = frozenset({-int(signal.SIGILL), 0xC000001D})
"""An instruction that this processor does not have, on POSIX and on Windows."""
_KILLED: Final = -9


def load_failure(name: str, returncode: int | None, complaint: str) -> ModelError:
    """The error for a child that never served. `complaint` is the end of its standard error.

    `returncode` None: it said something useless and lives.
    """
    if returncode in _TOO_OLD:
        return _failure(
            name,
            "this machine's processor is too old for llama.cpp's ready-made build",
            "Connect a model server instead, such as Ollama.",
        )
    if returncode == _KILLED:
        return _failure(
            name,
            "the system ended it, most likely for want of memory",
            "Close other programs, or choose a smaller model.",
        )
    for signs, reason, advice in _SIGNS:
        if any(sign in complaint for sign in signs):
            return _failure(name, reason, advice)
    return _failure(
        name, "llama.cpp could not load its file", "It may be damaged. Choose another model."
    )


def _failure(name: str, reason: str, advice: str) -> ModelError:
    return ModelNotRunnableError(f"{name} could not be started: {reason}.", advice=advice)
