"""Identifiers. NewTypes, so that mixing two kinds fails at check time."""

from __future__ import annotations

import uuid
from typing import NewType

ThreadId = NewType("ThreadId", str)
TurnId = NewType("TurnId", str)
ItemId = NewType("ItemId", str)
CallId = NewType("CallId", str)
RequestId = NewType("RequestId", str)
TeammateId = NewType("TeammateId", str)
AttachmentId = NewType("AttachmentId", str)


def new_id() -> str:
    """A random 32-character hexadecimal identifier."""
    return uuid.uuid4().hex
