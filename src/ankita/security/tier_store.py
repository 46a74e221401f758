"""The user's rules on disk: read once, changed one entry at a time, closed when in doubt."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from ankita.clock import Clock, SystemClock
from ankita.errors import (
    CommandRefusedError,
    NewerDataError,
    StoredDataError,
    WriteError,
)
from ankita.messages import Json
from ankita.security.policy import LOCKED_APP_DEFAULTS, TierRules, Verdict
from ankita.security.tier_document import (
    CLOSED_DAMAGED,
    CLOSED_NEWER,
    CLOSED_UNREADABLE,
    VERSION,
    ReadDocument,
    StandingRule,
    drop_ended,
    empty_document,
    entry_for,
    read_document,
)
from ankita.security.tiers import RULE_TIERS, RiskTier

FILE_NAME = "mcp-tiers.json"


class RuleFiles(Protocol):
    """Durable JSON files."""

    def read_json(self, path: Path, newest_version: int) -> dict[str, Any] | None:
        """The document, None when there is none. Raises StoredDataError; the file stays."""
        ...

    def write_json(self, path: Path, document: Mapping[str, Json]) -> None:
        """Replace the whole file or nothing. Raises WriteError."""
        ...

    def keep_aside(self, path: Path, reason: str) -> Path:
        """Give the file another name beside its own and return that. Raises WriteError."""
        ...


class TierStore:
    """Rules that last. Safe to use from any thread.

    A file that can't be used stays where it is and keeps the gate closed, in this run
    and in the next, until `repair` puts it aside because the user said so. To move it
    away on reading would leave no file, and no file means no rules.
    """

    def __init__(self, files: RuleFiles, path: Path, clock: Clock | None = None) -> None:
        self._files = files
        self._path = path
        self._clock = clock or SystemClock()
        self._rules = TierRules(closed_reason="your rules have not been read yet")
        self._listing: tuple[StandingRule, ...] = ()
        self._problem = ""
        # Edits come from worker threads: two at once must not both start from the same file.
        self._editing = threading.RLock()

    @property
    def rules(self) -> TierRules:
        """The rules as last read or written, without those that have ended by now."""
        return self._rules.at(self._clock.now())

    @property
    def problem(self) -> str:
        """Plain sentences about what is wrong with the file; empty when nothing is."""
        return self._problem

    def listing(self) -> tuple[StandingRule, ...]:
        """Every standing rule and blocklist entry that could be read and has not ended."""
        now = self._clock.now()
        return tuple(r for r in self._listing if r.ends_at is None or r.ends_at > now)

    def load(self) -> TierRules:
        """Read the file. Never raises for what is in it: a file in doubt closes the gate."""
        with self._editing:
            return self._load()

    def _load(self) -> TierRules:
        try:
            document = self._files.read_json(self._path, VERSION)
        except NewerDataError as error:
            return self._close(CLOSED_NEWER, error.sentence())
        except StoredDataError as error:
            return self._close(CLOSED_DAMAGED, error.sentence())
        except (WriteError, OSError, ValueError, RecursionError) as error:
            return self._close(CLOSED_UNREADABLE, str(error))
        self._take(read_document(empty_document() if document is None else document))
        return self._rules

    def set_tool_rule(
        self,
        server: str,
        tool: str,
        tier: RiskTier,
        scope: str,
        created_at: datetime,
        *,
        present: Verdict,
        ends_at: datetime | None = None,
        text_hash: str = "",
    ) -> TierRules:
        """Store a rule for one tool; `tool` comes from `rule_name`, `scope` is the card's text.

        It counts until `ends_at`, where that is given. `text_hash`, where it is not empty,
        ties it to what the tool says about itself now.

        `present` is the verdict without the new rule. Raises CommandRefusedError when
        the tier is DENY, when ALLOW is wanted for what always asks or is denied, or
        when the gate is closed; WriteError when it could not be stored.
        """
        _check_tier(tier)
        if tier is RiskTier.ALLOW and present.tier >= RiskTier.ALWAYS_ASK:
            raise CommandRefusedError(
                f"This can't be allowed for always: {present.reason}.",
                advice="It can be allowed each time it asks.",
            )
        entry = entry_for(tier, scope, created_at, ends_at, text_hash)
        return self._edit(lambda document: _server(document, server, "tiers").update({tool: entry}))

    def remove_rule(self, server: str, tool: str) -> TierRules:
        """Undo a tool's rule; nothing happens when there is none. Raises like `set_tool_rule`."""
        return self._edit(lambda document: _server(document, server, "tiers").pop(tool, None))

    def set_app_rule(self, app: str, tier: RiskTier, scope: str, created_at: datetime) -> TierRules:
        """Store a rule for a whole app. Raises like `set_tool_rule`, and for a locked app."""
        _check_tier(tier)
        if tier is RiskTier.ALLOW and app in LOCKED_APP_DEFAULTS:
            raise CommandRefusedError(f"The whole of {app} can't be allowed for always.")
        entry = entry_for(tier, scope, created_at)
        return self._edit(lambda document: document["apps"].update({app: entry}))

    def remove_app_rule(self, app: str) -> TierRules:
        """Undo an app's rule; nothing happens when there is none. Raises like `set_tool_rule`."""
        return self._edit(lambda document: document["apps"].pop(app, None))

    def block(self, server: str, tool: str, created_at: datetime) -> TierRules:
        """Deny one tool, by its own exact name. Raises CommandRefusedError or WriteError."""
        entry = {"tool": tool, "created_at": created_at.isoformat()}

        def add(document: dict[str, Any]) -> None:
            blocked = _server(document, server, "blocklist")
            if tool not in map(_blocked_tool, blocked):
                blocked.append(entry)

        return self._edit(add)

    def unblock(self, server: str, tool: str) -> TierRules:
        """Take a tool off the blocklist. Raises CommandRefusedError or WriteError."""

        def drop(document: dict[str, Any]) -> None:
            blocked = _server(document, server, "blocklist")
            blocked[:] = [entry for entry in blocked if _blocked_tool(entry) != tool]

        return self._edit(drop)

    def repair(self) -> Path | None:
        """Put an unusable file aside and start a fresh one; the user asked for it.

        Returns where the old file is kept, None when nothing was wrong. Raises WriteError.
        """
        with self._editing:
            if not self._load().closed_reason:
                return None
            kept = self._files.keep_aside(self._path, self._problem)
            self._files.write_json(self._path, empty_document())
            self._load()
            return kept

    def _edit(self, change: Callable[[dict[str, Any]], object]) -> TierRules:
        with self._editing:
            return self._edit_alone(change)

    def _edit_alone(self, change: Callable[[dict[str, Any]], object]) -> TierRules:
        # Read again first: what was damaged since the start must not be written over.
        if self.load().closed_reason:
            raise CommandRefusedError(
                "The file with your rules can't be used, so it was not changed.",
                advice="Repair it first; the old file is kept.",
            )
        stored = self._files.read_json(self._path, VERSION)
        document = empty_document() if stored is None else copy.deepcopy(stored)
        document.setdefault("servers", {})
        document.setdefault("apps", {})
        drop_ended(document, self._clock.now())
        change(document)
        wanted = read_document(document)
        self._files.write_json(self._path, document)
        if self.load() != wanted.rules:
            raise WriteError(
                "The rule was written but reads back differently.",
                advice="Look at your rules before you go on.",
            )
        return self._rules

    def _take(self, read: ReadDocument) -> None:
        self._rules, self._listing = read.rules, read.listing
        self._problem = " ".join(read.problems)

    def _close(self, reason: str, problem: str) -> TierRules:
        """Everything asks; what this run has read of the blocklist goes on denying."""
        self._rules = TierRules(blocklist=self._rules.blocklist, closed_reason=reason)
        self._problem = problem or reason
        return self._rules


def _check_tier(tier: RiskTier) -> None:
    if tier not in RULE_TIERS:
        raise CommandRefusedError("A rule can't deny.", advice="Put the tool on the blocklist.")


def _server(document: dict[str, Any], server: str, part: str) -> Any:
    """A server's rules or blocklist, made when missing."""
    entry = document["servers"].setdefault(server, {})
    return entry.setdefault(part, [] if part == "blocklist" else {})


def _blocked_tool(entry: Json) -> Json:
    return entry.get("tool") if isinstance(entry, dict) else entry
