"""What a sentence can ask for, once it is understood."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ankita.integrations.models.builtin_arguments import Order


class Topic(StrEnum):
    """What can be talked about; there is no other small talk."""

    HELLO = "hello"
    THANKS = "thanks"
    HELP = "help"
    IDENTITY = "identity"
    LAST_ACT = "last act"
    NEVER_MIND = "never mind"
    REMINDER = "reminder"


@dataclass(frozen=True, slots=True)
class Chat:
    """A question about the assistant itself."""

    topic: Topic


@dataclass(frozen=True, slots=True)
class ReadIt:
    """Show what "it" means."""


@dataclass(frozen=True, slots=True)
class SumUp:
    """A summary was asked for, which only an extract can stand in for."""


@dataclass(frozen=True, slots=True)
class LookInto:
    """Find words or a page in a text that is already in the thread.

    `name` is the file as the user called it, "" for "it".
    """

    words: str = ""
    exact: bool = False
    page: int | None = None
    name: str = ""


Intent = Order | Chat | ReadIt | SumUp | LookInto
