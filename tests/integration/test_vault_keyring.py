"""The vault on a real Secret Service, in a session bus and a home of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NEEDED = ("dbus-run-session", "gnome-keyring-daemon")
TIMEOUT_SECONDS = 60

pytestmark = [
    pytest.mark.keyring,
    pytest.mark.skipif(
        any(shutil.which(program) is None for program in NEEDED),
        reason=f"needs {' and '.join(NEEDED)}",
    ),
]

UNLOCK = "printf %s test | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; "
DAEMON_LEFT_LOCKED = "true; "

PROGRAM = """
import sys
from pathlib import Path
from ankita.durable import DurableFiles
from ankita.errors import VaultError
from ankita.security.vault import VaultChooser

folder = Path(sys.argv[1])
chooser = VaultChooser(DurableFiles(folder), folder / "vault.json", folder / "passphrase.json")
try:
    vault = chooser.open()
except VaultError as error:
    print(type(error).__name__)
    raise SystemExit
if sys.argv[2] == "set":
    vault.set("openai", "sk-" + "x" * 6000)
    vault.set("gone", "value")
    vault.delete("gone")
print(vault.describe(), len(vault.get("openai") or ""), vault.get("gone"))
"""


def run(folder: Path, what: str, before: str = UNLOCK) -> str:
    """Run PROGRAM in a new session bus, as after a new login."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY")
        and not name.startswith(("PYTHON_KEYRING", "XDG_"))
    }
    home = folder / "home"
    home.mkdir(exist_ok=True)
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700, exist_ok=True)
    environment |= {"HOME": str(home), "XDG_RUNTIME_DIR": str(runtime)}
    profile = folder / "profile"
    profile.mkdir(exist_ok=True)
    program = [sys.executable, "-c", PROGRAM, str(profile), what]
    done = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", before + 'exec "$@"', "sh", *program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.spec("SEC-8", "PRV-8")
def test_a_key_survives_a_new_login(tmp_path: Path) -> None:
    assert run(tmp_path, "set") == "system keychain 6003 None"
    assert run(tmp_path, "get") == "system keychain 6003 None"
    stored = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(b"sk-xxxx" in content for content in stored)


@pytest.mark.spec("SEC-8")
def test_a_bus_without_an_unlocked_keychain_gives_no_vault(tmp_path: Path) -> None:
    assert run(tmp_path, "set", DAEMON_LEFT_LOCKED) in ("VaultUnavailableError", "VaultLockedError")
    assert not list((tmp_path / "profile").iterdir())
