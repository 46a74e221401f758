"""The log file: every record is scrubbed before it is written, and it stays small.

Uncaught errors go to the same file. Neither they nor a failing handler print a
message or a traceback to standard error, because that often ends in a system
journal that nobody scrubs.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from ankita.paths import FILE_MODE, HAS_FILE_MODES

LOG_BYTES = 2 * 1024 * 1024
LOGS_KEPT = 1
WITHHELD = "(this line was withheld: it could not be checked for secrets)"

_FORMAT = "%(asctime)s %(levelname)s %(name)s [%(threadName)s] %(message)s"

Scrub = Callable[[str], str]


class ScrubbingFormatter(logging.Formatter):
    """Passes the whole line, traceback included, through `scrub`."""

    def __init__(self, scrub: Scrub) -> None:
        super().__init__(_FORMAT)
        self._scrub = scrub

    def format(self, record: logging.LogRecord) -> str:
        try:
            return self._scrub(super().format(record))
        except Exception:
            return f"{record.levelname} {record.name} {WITHHELD}"


class PrivateRotatingFileHandler(RotatingFileHandler):
    """A rotating file that only the user may read."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding="utf-8", opener=_open_private)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """A log that can't be written must neither stop the product nor print the record."""
        del record


def configure_logging(
    folder: Path, scrub: Scrub, *, file_name: str = "ankita.log", level: int = logging.INFO
) -> logging.Handler:
    """Log the product at `level` and everything else at WARNING to `folder / file_name`.

    Returns the handler for `close_logging`. Raises OSError when the file can't be opened.
    """
    handler = PrivateRotatingFileHandler(
        folder / file_name, maxBytes=LOG_BYTES, backupCount=LOGS_KEPT, encoding="utf-8"
    )
    handler.setFormatter(ScrubbingFormatter(scrub))
    logging.getLogger("ankita").setLevel(level)
    logging.getLogger().addHandler(handler)
    return handler


def close_logging(handler: logging.Handler) -> None:
    """Undo `configure_logging`. May be called twice."""
    logging.getLogger().removeHandler(handler)
    with contextlib.suppress(OSError, ValueError):  # what was not written yet can't be written
        handler.close()


def install_excepthooks(
    log: logging.Logger, show: Callable[[str], None] | None = None
) -> Callable[[], None]:
    """Log uncaught errors of all threads, and tell `show` in one sentence without details.

    Returns a function that puts the former hooks back.
    """
    former_main, former_thread = sys.excepthook, threading.excepthook

    def report(
        kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
    ) -> None:
        log.critical("Uncaught error", exc_info=(kind, error or kind(), trace))
        sentence = f"Something went wrong in Ankita ({kind.__name__}). Details are in the log."
        try:
            (show or _tell_standard_error)(sentence)
        except Exception:
            log.exception("The uncaught error could not be shown")

    def main_hook(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            former_main(kind, error, trace)
        else:
            report(kind, error, trace)

    def thread_hook(details: threading.ExceptHookArgs) -> None:
        if not issubclass(details.exc_type, SystemExit):
            report(details.exc_type, details.exc_value, details.exc_traceback)

    def restore() -> None:
        sys.excepthook, threading.excepthook = former_main, former_thread

    sys.excepthook, threading.excepthook = main_hook, thread_hook
    return restore


def _open_private(path: str, flags: int) -> int:
    descriptor = os.open(path, flags, FILE_MODE)
    if HAS_FILE_MODES:
        os.fchmod(descriptor, FILE_MODE)
    return descriptor


def _tell_standard_error(sentence: str) -> None:
    if sys.stderr is not None:  # a windowed Windows build has none
        print(sentence, file=sys.stderr)
