"""Where the profile lives and what its files are called; makes the folders private.

Modes are set with chmod after creation, so that the process's umask has no say.
On Windows the profile lies under the user's own AppData, which only that user may
open, and modes are left alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ankita.errors import ProfileError

APPLICATION_NAME = "Ankita"
HOME_VARIABLE = "ANKITA_HOME"
FOLDER_MODE = 0o700
FILE_MODE = 0o600
HAS_FILE_MODES = os.name == "posix"

_OTHERS_MAY_ENTER = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class ProfilePaths:
    """The names inside one profile folder. Nothing here touches the disk."""

    root: Path

    @property
    def database(self) -> Path:
        return self.root / "ankita.db"

    @property
    def settings(self) -> Path:
        return self.root / "settings.json"

    @property
    def tiers(self) -> Path:
        return self.root / "mcp-tiers.json"

    @property
    def ui_state(self) -> Path:
        return self.root / "ui-state.json"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def workspace(self) -> Path:
        return self.root / "workspace"

    @property
    def attachments(self) -> Path:
        return self.root / "attachments"

    @property
    def models(self) -> Path:
        """Model files that were fetched on the user's word."""
        return self.root / "models"

    @property
    def vault(self) -> Path:
        """The sealed values whose key is in the system keychain."""
        return self.root / "vault.json"

    @property
    def passphrase_vault(self) -> Path:
        """The sealed values whose key comes from the user's passphrase."""
        return self.root / "vault-passphrase.json"

    @property
    def engine_lock(self) -> Path:
        """Held by the one process that runs the engine on this profile."""
        return self.root / "engine.lock"

    @property
    def window_lock(self) -> Path:
        """Held by the one process that shows the windows of this profile."""
        return self.root / "window.lock"

    def folders(self) -> tuple[Path, ...]:
        """Every folder that must exist, the profile folder first."""
        return (self.root, self.logs, self.workspace, self.attachments, self.models)


def profile_folder(env: Mapping[str, str]) -> Path:
    """The absolute profile folder: ANKITA_HOME, or else the system's place for user data."""
    chosen = env.get(HOME_VARIABLE, "").strip()
    if not chosen:
        import platformdirs

        chosen = platformdirs.user_data_dir(APPLICATION_NAME, appauthor=False)
    try:
        return Path(os.path.abspath(Path(chosen).expanduser()))  # noqa: PTH100 - keeps symlinks
    except (RuntimeError, ValueError) as error:
        raise ProfileError(
            f"{HOME_VARIABLE} does not name a folder: {chosen!r}.",
            advice="Set it to a full path, or remove it.",
        ) from error


def prepare(paths: ProfilePaths) -> None:
    """Create the folders, private to the user. Raises ProfileError and then changed no mode."""
    refuse_foreign_folder(paths)
    for folder in paths.folders():
        _make_private_folder(folder)
    _check_writable(paths.root)


def create_private_file(path: Path) -> None:
    """Make sure that `path` exists and only the user may read it; content stays. Raises OSError."""
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0), FILE_MODE)
    try:
        if HAS_FILE_MODES:
            os.fchmod(descriptor, FILE_MODE)
    finally:
        os.close(descriptor)


def refuse_foreign_folder(paths: ProfilePaths) -> None:
    """Making a shared folder such as /tmp private would lock everybody else out of it."""
    if not HAS_FILE_MODES:
        return
    try:
        mode = paths.root.stat().st_mode
        if not stat.S_ISDIR(mode) or not mode & _OTHERS_MAY_ENTER:
            return
        names = {entry.name for entry in paths.root.iterdir()}
    except OSError:
        return  # absent or unreadable: the next step says so
    ours = {paths.database.name, paths.settings.name, paths.logs.name}
    if names and not names & ours:
        raise ProfileError(
            f"The folder {paths.root} is shared and holds other things.",
            advice=f"Point {HOME_VARIABLE} to an empty folder or to one that does not exist yet.",
        )


def _make_private_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        if HAS_FILE_MODES:
            folder.chmod(FOLDER_MODE)
    except (FileExistsError, NotADirectoryError) as error:
        raise ProfileError(
            f"{folder} is not a folder.",
            advice=f"Move that file away, or set {HOME_VARIABLE} to another folder.",
        ) from error
    except OSError as error:
        raise _unusable(folder, error) from error


def _check_writable(folder: Path) -> None:
    probe = folder / f".probe-{os.urandom(16).hex()}"
    try:
        create_private_file(probe)
        probe.unlink()
    except OSError as error:
        raise _unusable(folder, error) from error


def _unusable(folder: Path, error: OSError) -> ProfileError:
    why = error.strerror or type(error).__name__
    return ProfileError(
        f"Ankita can't write to its folder {folder}: {why}.",
        advice=f"Check the folder's permissions and free space, or set {HOME_VARIABLE}.",
    )
