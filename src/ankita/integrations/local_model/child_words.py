"""What parent and child say to each other: one order in, one address out. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Final

MODEL_NAME: Final = "local"
"""What the model is called in requests to the child."""

MAX_ORDER_BYTES: Final = 64 * 1024
MAX_ANSWER_BYTES: Final = 4 * 1024
_ADDRESS_START: Final = "http://127.0.0.1:"


@dataclass(frozen=True, slots=True)
class Order:
    """What the child shall run. `model` is the absolute path of a GGUF file."""

    model: str
    context_tokens: int
    threads: int
    api_key: str = field(repr=False)


def encode_order(order: Order) -> bytes:
    """One line."""
    return json.dumps(asdict(order)).encode("ascii") + b"\n"


def decode_order(line: bytes) -> Order:
    """Raises ValueError or TypeError when it is no order."""
    return Order(**json.loads(line))


def encode_ready(address: str) -> bytes:
    """One line; `address` is where the server answers ("http://127.0.0.1:40123")."""
    return json.dumps({"address": address}).encode("ascii") + b"\n"


def decode_ready(line: bytes) -> str | None:
    """The address, or None when the child said anything else."""
    try:
        answer = json.loads(line)
        address = answer["address"]
        is_ours = address.startswith(_ADDRESS_START)
        port = int(address.removeprefix(_ADDRESS_START))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return address if is_ours and 0 < port < 65_536 else None
