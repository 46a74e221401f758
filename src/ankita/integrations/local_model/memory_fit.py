"""Decides how long a context and how many threads a model gets on this machine. Pure."""

from __future__ import annotations

from typing import Final

from ankita.errors import ModelNotRunnableError
from ankita.integrations.local_model.gguf_file import GgufInfo

MIN_CONTEXT_TOKENS: Final = 4_096
MAX_CONTEXT_TOKENS: Final = 32_768
"""More than this takes minutes to read on a processor alone."""
STEP_TOKENS: Final = 256
UNKNOWN_CACHE_BYTES: Final = 160 * 1024
"""For a token, where the file doesn't say: that of a model with eight thousand million numbers."""
WORKING_BYTES: Final = 512 * 1024 * 1024
"""What a run takes besides the model and its cache."""
USABLE_SHARE: Final = 0.85
"""Of the memory that is free; the rest stays for everything else."""


def thread_count(physical_cores: int | None) -> int:
    """All cores but one: with every core taken, one busy neighbour slows all of them down."""
    return max(1, (physical_cores or 1) - 1)


def context_tokens(info: GgufInfo, available_bytes: int) -> int:
    """How many tokens of context fit. Raises ModelNotRunnableError when the model does not."""
    left = int(available_bytes * USABLE_SHARE) - info.file_bytes - WORKING_BYTES
    per_token = info.cache_bytes_per_token or UNKNOWN_CACHE_BYTES
    wanted = min(info.context_tokens or MIN_CONTEXT_TOKENS, MAX_CONTEXT_TOKENS)
    least = min(wanted, MIN_CONTEXT_TOKENS)
    fitting = min(wanted, max(left, 0) // per_token)
    if fitting < least:
        needed = (info.file_bytes + WORKING_BYTES + least * per_token) / USABLE_SHARE
        raise ModelNotRunnableError(
            f"{info.name} does not fit into the free memory: it needs {_gigabytes(needed)}, "
            f"and {_gigabytes(available_bytes)} are free.",
            advice="Close other programs, or choose a smaller model.",
        )
    return max(least, fitting - fitting % STEP_TOKENS)


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB"
