"""A document reader that works without a child process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from ankita.errors import DocumentError, UnreadableDocumentError
from ankita.messages import DocumentText


class FakeDocumentReader:
    """Reads UTF-8 text files; `answers` by file name replaces what a file would give.

    `hold()` makes later readings wait, after their first progress, until `release()`.
    `reading` holds the names that are being read now, `cancelled` those given up.
    """

    def __init__(self, answers: Mapping[str, DocumentText | DocumentError] | None = None) -> None:
        self.answers = dict(answers or {})
        self.reading: list[str] = []
        self.cancelled: list[str] = []
        self._open = asyncio.Event()
        self._open.set()

    def hold(self) -> None:
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    async def read(self, path: Path, progress: Callable[[int, int], None]) -> DocumentText:
        self.reading.append(path.name)
        try:
            progress(0, 1)
            await self._open.wait()
            document = self._answer(path)
            progress(1, 1)
            return document
        except asyncio.CancelledError:
            self.cancelled.append(path.name)
            raise
        finally:
            self.reading.remove(path.name)

    def _answer(self, path: Path) -> DocumentText:
        answer = self.answers.get(path.name)
        if isinstance(answer, DocumentError):
            raise answer
        if answer is not None:
            return answer
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UnreadableDocumentError(f"{path.name} cannot be read.") from error
        if not text:
            raise UnreadableDocumentError(f"{path.name} is empty.")
        return DocumentText(path.name, "text", text, encoding="utf-8")
