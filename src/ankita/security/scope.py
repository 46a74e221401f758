"""Decides whether a path lies inside the folders that the user granted."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ankita.errors import ScopeError

SHOWN_PATH_CHARACTERS = 200

_DEVICE_NAMES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³"]
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SEPARATORS = re.compile(r"[\\/]")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class Grant:
    """A folder that tools may use. `may_write` False means reading only."""

    path: Path
    may_write: bool


@dataclass(frozen=True, slots=True)
class ScopedPath:
    """A path that was allowed: `path` is real (no links left in it) and lies in `root`.

    `root` is the real path of the granted folder.
    """

    root: Path
    path: Path

    @property
    def parts(self) -> tuple[str, ...]:
        """The names below the granted folder; empty for the folder itself."""
        return self.path.relative_to(self.root).parts


class FolderScope:
    """The workspace (the first folder) and the other granted folders.

    `folders` is asked at every decision, so that a grant taken back counts at once.
    A grant that would open `closed`, the profile with the gate's own rules, counts for
    nothing, whoever wrote it into the settings; only `open_below` is open in there.
    `windows_names` turns on the rules for device names, alternate data streams and
    network paths; on other systems those are ordinary file names.
    """

    def __init__(
        self,
        folders: Callable[[], Sequence[Grant]],
        *,
        windows_names: bool = os.name == "nt",
        closed: Path | None = None,
        open_below: Path | None = None,
    ) -> None:
        self._folders = folders
        self._closed = closed
        self._open_below = open_below
        self._windows_names = windows_names

    def resolve(self, text: str, for_writing: bool) -> Path:
        """The real path of `text`, which need not exist. Raises ScopeError."""
        return self.locate(text, for_writing).path

    def locate(self, text: str, for_writing: bool) -> ScopedPath:
        """Like `resolve`, and says which granted folder the path lies in. Raises ScopeError."""
        grants = self._real_grants()
        if not grants:
            raise ScopeError(
                "No folder is open.", advice="Ask the user to choose a workspace in Settings."
            )
        self._refuse_odd_names(text)
        typed = Path(os.path.expanduser(text) if _starts_at_home(text) else text)  # noqa: PTH111
        is_network = self._windows_names and _is_network_path(str(typed))
        if is_network and not any(typed.is_relative_to(grant.path) for grant in grants):
            # Only looking at a network path already sends the user's sign-in to that host.
            raise self._outside(text, grants)
        real = _real_path(grants[0].path / typed)
        grant = _closest(real, grants) if real is not None else None
        if real is None or grant is None:
            raise self._outside(text, grants)
        if for_writing and not grant.may_write:
            raise ScopeError(
                f"{shown_text(text)} is in a folder that may only be read: {grant.path}",
                advice="Ask the user to allow changes to this folder in Settings.",
            )
        return ScopedPath(grant.path, real)

    def check_unmoved(self, place: ScopedPath) -> None:
        """Raise ScopeError when a part of the path has become a link since `locate`."""
        if _real_path(place.path) != place.path:
            raise moved(place.path)

    def shown(self, path: Path) -> str:
        """How to name the path to a person: below the workspace without its folder."""
        grants = self._real_grants()
        workspace = grants[0].path if grants else path
        if path.is_relative_to(workspace):
            return on_one_line(path.relative_to(workspace).as_posix())
        return on_one_line(str(path))

    def _real_grants(self) -> list[Grant]:
        resolved = ((_real_path(grant.path.absolute()), grant) for grant in self._folders())
        return [
            Grant(path, grant.may_write)
            for path, grant in resolved
            if path is not None and not self._opens_what_is_closed(path)
        ]

    def _opens_what_is_closed(self, path: Path) -> bool:
        if self._closed is None:
            return False
        closed = _real_path(self._closed.absolute()) or self._closed
        if closed.is_relative_to(path):
            return True
        inside = self._open_below and _real_path(self._open_below.absolute())
        return path.is_relative_to(closed) and not (inside and path.is_relative_to(inside))

    def _refuse_odd_names(self, text: str) -> None:
        shown = shown_text(text)
        if not text.strip():
            raise ScopeError("The path is empty.", advice="Use '.' for the workspace folder.")
        if "\0" in text or not _is_valid_unicode(text):
            raise ScopeError(f"{shown} is not a path: it holds a character that no name can have.")
        parts = _SEPARATORS.split(text) if self._windows_names else text.split("/")
        if ".." in (part.strip() for part in parts):
            raise ScopeError(
                f"{shown} goes up with '..', which is not allowed.",
                advice="Write the path from the workspace folder, or in full.",
            )
        if self._windows_names:
            for problem in _windows_problems(text, parts):
                raise ScopeError(f"{shown} is not allowed: {problem}.")

    def _outside(self, text: str, grants: Sequence[Grant]) -> ScopeError:
        allowed = ", ".join(
            f"{grant.path}{'' if grant.may_write else ' (reading only)'}" for grant in grants
        )
        return ScopeError(
            f"{shown_text(text)} is outside the allowed folders: {allowed}.",
            advice="Use a path inside them, or ask the user to add the folder in Settings.",
        )


def moved(path: Path) -> ScopeError:
    """The error for a path that changed between the decision and the act."""
    return ScopeError(
        f"{shown_text(str(path))} became a link while it was being opened.",
        advice="Nothing was read or changed. Look at the folder before trying again.",
    )


def shown_text(text: str) -> str:
    """The text fit for a sentence: one line and not too long."""
    clean = on_one_line(text)
    if len(clean) > SHOWN_PATH_CHARACTERS:
        return clean[: SHOWN_PATH_CHARACTERS - 1] + "…"
    return clean


def on_one_line(text: str) -> str:
    """The text as valid Unicode without line breaks and control characters."""
    return _CONTROL.sub("?", text.encode("utf-8", "replace").decode("utf-8"))


def _real_path(path: Path) -> Path | None:
    """The path with every link followed, or None when that is impossible (a loop)."""
    try:
        return path.resolve(strict=False)
    except (OSError, RuntimeError, ValueError):
        return None


def _closest(path: Path, grants: Sequence[Grant]) -> Grant | None:
    """The innermost grant that holds the path: it may take back what an outer one allows."""
    holding = [grant for grant in grants if path.is_relative_to(grant.path)]
    return max(holding, key=lambda grant: (len(grant.path.parts), grant.may_write), default=None)


def _starts_at_home(text: str) -> bool:
    return text == "~" or text.startswith(("~/", "~\\"))


def _is_network_path(text: str) -> bool:
    return text[:2] in {"\\\\", "//", "\\/", "/\\"}


def _is_valid_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _windows_problems(text: str, parts: Sequence[str]) -> Iterator[str]:
    after_drive = text[2:] if _DRIVE.match(text) else text
    if ":" in after_drive:
        yield "':' would name a hidden stream of a file or a folder on another drive"
    for part in parts:
        if part.split(".")[0].split(":")[0].strip().casefold() in _DEVICE_NAMES:
            yield f"'{shown_text(part)}' is the name of a device"
