"""What the windows remember over a restart: small values in one JSON file of the profile.

A file that is damaged or from a newer version is kept aside and reported in `problem`,
never overwritten.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from ankita.durable import DurableFiles
from ankita.errors import AnkitaError, StoredDataError

UI_STATE_VERSION = 1
SAVE_AFTER_MILLISECONDS = 250
"""A drag of a window's edge changes its size many times a second; one write is enough."""

_VERSION = "version"


class UiState(QObject):
    """`get` and `set` of JSON values, on the window's thread. Writes happen behind.

    Nothing is read before `load`. `problem` is one sentence for the user, or empty.
    """

    write_failed = Signal(str)
    """One sentence; told once until a write works again."""

    def __init__(self, files: DurableFiles, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.problem = ""
        self._files = files
        self._path = path
        self._values: dict[str, Any] = {}
        self._may_write = False
        self._is_dirty = False
        self._has_told = False
        self._writing = threading.Lock()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_AFTER_MILLISECONDS)
        self._timer.timeout.connect(self._save_behind)

    def load(self) -> None:
        """Read the file. Only the one process that shows this profile's windows may."""
        try:
            document = self._read()
        except StoredDataError as error:
            self._start_afresh(error)
            return
        except AnkitaError as error:
            self.problem = error.sentence()
            return
        self._values = {key: value for key, value in document.items() if key != _VERSION}
        self._may_write = True

    def get(self, key: str) -> Any:
        """The value, or None when there is none."""
        return self._values.get(key)

    def set(self, key: str, value: Any) -> None:
        """Keep a JSON value; it is on disk soon after."""
        if value == self._values.get(key):
            return
        self._values[key] = value
        self._is_dirty = True
        self._timer.start()

    def flush(self) -> None:
        """Write what is not on disk yet. Blocks."""
        self._timer.stop()
        if self._is_dirty:
            self._write(self._take())
        else:
            with self._writing:  # a write behind may still be under way
                pass

    def _read(self) -> Mapping[str, Any]:
        if not self._path.exists():
            return {}
        return self._files.read_json(self._path, UI_STATE_VERSION) or {}

    def _start_afresh(self, error: StoredDataError) -> None:
        try:
            aside = self._files.keep_aside(self._path, error.message)
        except AnkitaError:
            self.problem = f"{error.message} The places of the windows will not be saved."
            return
        self.problem = (
            f"{error.message} It was kept as {aside.name} in {aside.parent}, and the windows"
            " opened at their usual places."
        )
        self._may_write = True

    def _save_behind(self) -> None:
        # Never waited for in the window's thread: a slow disk must not stop a drag.
        document = self._take()
        threading.Thread(target=self._write, args=(document,), name="ui-state").start()

    def _take(self) -> dict[str, Any]:
        self._is_dirty = False
        return {_VERSION: UI_STATE_VERSION, **self._values}

    def _write(self, document: dict[str, Any]) -> None:
        if not self._may_write:
            return
        with self._writing:
            try:
                self._files.write_json(self._path, document)
            except AnkitaError as error:
                if not self._has_told:
                    self._has_told = True
                    self.write_failed.emit(error.sentence())
            else:
                self._has_told = False
