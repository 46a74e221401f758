"""Checks that the profile folder can be used, or could be made, by this user."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ankita.doctor.finding import Finding, State, Subject, from_error
from ankita.doctor.machine import nearest_folder
from ankita.errors import ProfileError
from ankita.paths import HAS_FILE_MODES, HOME_VARIABLE, ProfilePaths, refuse_foreign_folder

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_profile(subject: Subject) -> Finding:
    """Writes nothing: what the system says about permissions is believed."""
    root = subject.paths.root
    if not os.path.lexists(root):
        return _absent(root)
    try:
        refuse_foreign_folder(subject.paths)
    except ProfileError as error:
        return from_error("profile", State.FAIL, error)
    for folder in subject.paths.folders():
        if problem := _unusable(folder):
            return problem
    return _modes(subject.paths)


def _absent(root: Path) -> Finding:
    above = nearest_folder(root.parent)
    if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
        return Finding("profile", State.OK, f"{root} will be made at the first start.")
    return Finding(
        "profile",
        State.FAIL,
        f"{root} can't be made: {above} can't be written to.",
        f"Check its permissions, or set {HOME_VARIABLE} to another folder.",
    )


def _unusable(folder: Path) -> Finding | None:
    """Why a folder can't be used; None also when it is not there, as it will be made."""
    if not os.path.lexists(folder):
        return None
    advice = f"Check its permissions, or set {HOME_VARIABLE} to another folder."
    if not folder.is_dir():
        words = f"{folder} is not a folder that can be entered."
        advice = f"Move it away, or set {HOME_VARIABLE} to another folder."
    elif _is_read_only_disk(folder):
        words = f"{folder} lies on a disk that can only be read."
    elif not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        words = f"{folder} can't be read and written by you."
    elif not _may_change_modes(folder):
        words = f"{folder} belongs to another user."
    else:
        return None
    return Finding("profile", State.FAIL, words, advice)


def _modes(paths: ProfilePaths) -> Finding:
    root = paths.root
    if HAS_FILE_MODES and root.stat().st_mode & _OTHERS:
        return Finding(
            "profile",
            State.WARN,
            f"{root} may be entered by others on this machine.",
            "The next start makes it private.",
        )
    return Finding("profile", State.OK, f"{root}")


def _is_read_only_disk(folder: Path) -> bool:
    if not hasattr(os, "statvfs"):
        return False
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _may_change_modes(folder: Path) -> bool:
    """Only the owner may make a folder private, and that is done at each start."""
    if not HAS_FILE_MODES:
        return True
    return os.geteuid() in (0, folder.stat().st_uid)
