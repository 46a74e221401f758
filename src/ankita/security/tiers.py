"""The four risk tiers that every tool call resolves to."""

from __future__ import annotations

from enum import IntEnum


class RiskTier(IntEnum):
    """How much a call needs a person. A higher number is more protection."""

    ALLOW = 0
    ASK_ONCE = 1
    ALWAYS_ASK = 2
    DENY = 3


RULE_TIERS = frozenset({RiskTier.ALLOW, RiskTier.ASK_ONCE, RiskTier.ALWAYS_ASK})
"""What a rule may hold. Only the blocklist denies."""
