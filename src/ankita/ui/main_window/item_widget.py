"""What every item of a thread is on the screen, and what it may ask for."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtWidgets import QWidget

from ankita.engine import Answer, Item, PendingApproval
from ankita.ids import ItemId, RequestId


class ThreadEvents(Protocol):
    """What the items' widgets ask for."""

    def retry(self) -> None: ...

    def follow_link(self, address: str) -> None: ...

    def answer(self, request_id: RequestId, answer: Answer, days: int | None) -> None: ...

    def pin(self, item_id: ItemId, *, is_pinned: bool) -> None: ...

    def teammate_name(self) -> str: ...


class ItemWidget(QWidget):
    """One item. `set_item` shows a changed value, `grow` adds what was streamed."""

    def set_item(self, item: Item) -> None:
        raise NotImplementedError

    def grow(self, text: str, item: Item) -> None:
        """Only replies and tool calls grow."""

    def set_approval(self, approval: PendingApproval | None) -> None:
        """Only tool calls are asked about."""

    def set_speaker(self, name: str, *, is_shown: bool) -> None:
        """Only replies say whose they are; `is_shown` for the first one of a turn."""

    def toggle_pin(self) -> bool:
        """Only messages can be pinned; False for everything else."""
        return False
