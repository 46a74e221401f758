"""What the window remembers about itself: its place, the chosen thread, an unsent first draft."""

from __future__ import annotations

from typing import Any, Protocol

GEOMETRY = "window.geometry"
"""Base64 text of QWidget.saveGeometry()."""
THREAD = "window.thread"
FIRST_DRAFT = "window.first_draft"
"""The text typed while there was no thread to keep it in."""


class UiStateStore(Protocol):
    """Keeps small JSON values over a restart. `get` gives None for what is not there."""

    def get(self, key: str) -> Any: ...

    def set(self, key: str, value: Any) -> None: ...


class MemoryUiState:
    """Forgets everything at the end of the process."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}

    def get(self, key: str) -> Any:
        return self._values.get(key)

    def set(self, key: str, value: Any) -> None:
        self._values[key] = value
