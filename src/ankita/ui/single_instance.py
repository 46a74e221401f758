"""One running desktop app for each profile; a second launch shows the first one's window.

The lock file decides who is first. The first one listens on a local socket named after
the profile; the second says "show" there and waits for the answer, which proves that
the first one's window thread is alive.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLockFile, QObject, Signal

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

ANSWER_SECONDS = 5.0
"""How long a first instance may take to start listening and to answer."""

RETRY_SECONDS = 0.05
MAX_MESSAGE_BYTES = 200

_SHOW = "show"
_SHOWN = "shown"


class Claim(Enum):
    """What a launch found."""

    FIRST = "this is the only instance"
    SHOWN = "another instance showed its window"
    OTHER_VERSION = "another instance of another version showed its window"
    SILENT = "another instance holds the lock but does not answer"


def server_name(profile: Path, environment: dict[str, str] | None = None) -> str:
    """The local server's name: a path in the user's own run-time folder, or a pipe's name."""
    env = dict(os.environ) if environment is None else environment
    real = os.path.realpath(profile)
    name = f"ankita-{hashlib.sha256(os.fsencode(real)).hexdigest()[:24]}"
    run_time = env.get("XDG_RUNTIME_DIR", "")
    if sys.platform != "win32" and Path(run_time).is_absolute() and Path(run_time).is_dir():
        return str(Path(run_time, name))
    return name


class SingleInstance(QObject):
    """`claim` first; when it says FIRST, `listen` as soon as the window is up."""

    show_requested = Signal(str)
    """Another launch asks for the window; carries that launch's version."""

    def __init__(
        self,
        lock_file: Path,
        name: str,
        version: str,
        *,
        answer_seconds: float = ANSWER_SECONDS,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._lock = QLockFile(str(lock_file))
        # A lock is stale when its process is gone, never merely because it is old.
        self._lock.setStaleLockTime(0)
        self._name = name
        self._version = version
        self._answer_seconds = answer_seconds
        self._server: QLocalServer | None = None

    def claim(self) -> Claim:
        """Take the lock, or have the holder show its window. Blocks while it asks."""
        deadline = time.monotonic() + self._answer_seconds
        while True:
            if self._lock.tryLock(0):
                return Claim.FIRST
            if self._lock.error() != QLockFile.LockError.LockFailedError:
                return Claim.FIRST  # the folder can't be written: the engine says so on screen
            answer = self._ask(max(deadline - time.monotonic(), RETRY_SECONDS))
            if answer is not None:
                return answer
            if time.monotonic() >= deadline:
                return Claim.SILENT
            time.sleep(RETRY_SECONDS)

    def listen(self) -> bool:
        """Hear other launches from now on; False when the system does not let us."""
        from PySide6.QtNetwork import QLocalServer

        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        QLocalServer.removeServer(self._name)  # what a killed process left behind
        server.newConnection.connect(self._meet)
        self._server = server
        return server.listen(self._name)

    def holder(self) -> int | None:
        """The process id written in the lock, when it can be read."""
        try:
            return int(Path(self._lock.fileName()).read_text(encoding="ascii").split()[0])
        except (OSError, ValueError, IndexError):
            return None

    def release(self) -> None:
        """Let the next launch be the first. May be called twice."""
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._lock.isLocked():
            self._lock.unlock()

    def _ask(self, seconds: float) -> Claim | None:
        """None when nobody listens yet."""
        from PySide6.QtNetwork import QLocalSocket

        deadline = time.monotonic() + seconds
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(_milliseconds(deadline)):
            return None
        _let_come_forward(self.holder())
        socket.write(f"{_SHOW} {self._version}\n".encode())
        while not socket.canReadLine():
            if not socket.waitForReadyRead(_milliseconds(deadline)):
                return None if time.monotonic() < deadline else Claim.SILENT
        word, _, version = _line(socket).partition(" ")
        if word != _SHOWN:
            return Claim.SILENT
        return Claim.SHOWN if version == self._version else Claim.OTHER_VERSION

    def _meet(self) -> None:
        assert self._server is not None
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(lambda s=socket: self._hear(s))
            self._hear(socket)

    def _hear(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            if socket.bytesAvailable() > MAX_MESSAGE_BYTES:
                socket.abort()
            return
        word, _, version = _line(socket).partition(" ")
        if word == _SHOW:
            self.show_requested.emit(version)
            socket.write(f"{_SHOWN} {self._version}\n".encode())
            socket.flush()
        socket.disconnectFromServer()


def _line(socket: QLocalSocket) -> str:
    return bytes(socket.readLine(MAX_MESSAGE_BYTES).data()).decode("utf-8", "replace").strip()


def _milliseconds(deadline: float) -> int:
    return max(int((deadline - time.monotonic()) * 1000), 1)


def _let_come_forward(process_id: int | None) -> None:
    """Windows lets a program raise its window only if the one the user started permits it."""
    if sys.platform == "win32" and process_id is not None:
        import ctypes

        ctypes.windll.user32.AllowSetForegroundWindow(process_id)
