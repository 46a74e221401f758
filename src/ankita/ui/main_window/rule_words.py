"""A standing permission or a block as it is listed: its name, its scope, its end; pure."""

from __future__ import annotations

import re
from urllib.parse import unquote

from ankita.engine import RuleState
from ankita.ui.main_window.thread_words import parse_time
from ankita.ui.widgets.approval_words import day_words

_TIER_TAGS = {0: ("no asking", "ok"), 1: ("asks once", "info"), 2: ("always asks", "ask")}
_DIGEST = re.compile(r"[0-9a-f]{64}")
_UNTIL = ", until "


def rule_title(rule: RuleState) -> str:
    """ "native: run command" or "github: issue write (action=close)"."""
    tool, _, chosen = rule.tool.partition("#")
    words = unquote(tool)
    if chosen and not _DIGEST.fullmatch(chosen):
        # A digest says nothing to a person; what it stands for is the scope.
        words = f"{words} ({unquote(chosen)})"
    return f"{rule.server}: {words}" if rule.server else words


def rule_scope(rule: RuleState) -> str:
    """What it covers; the end is left out where the tag says it."""
    if rule.ends_at and _UNTIL in rule.scope:
        return rule.scope.rpartition(_UNTIL)[0]
    return rule.scope


def rule_tag(rule: RuleState) -> tuple[str, str]:
    """A few words on how it asks or when it ends, and the tone of the tag."""
    if rule.kind == "blocked":
        return "denied", "danger"
    if rule.kind == "run":
        return "until closed", "info"
    end = parse_time(rule.ends_at) if rule.ends_at else None
    if end is not None:
        return f"until {day_words(end)}", "ok"
    return _TIER_TAGS.get(rule.tier, ("", "plain"))
