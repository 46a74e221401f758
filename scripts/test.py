"""Sets up everything and runs all checks and all tests. Arguments go to pytest."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - an older Python is exactly what this is about
    sys.exit("The tests need Python 3.11 or later; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import setup_steps
import system_packages
from system_packages import Level, SetupError

# A keyring of its own on a bus of its own; the password protects nothing but test data.
KEYRING_SESSION = """
printf %s test-password | gnome-keyring-daemon --unlock --components=secrets >/dev/null || exit 1
exec "$@"
"""
DESKTOP_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "GNOME_KEYRING_CONTROL", "SSH_AUTH_SOCK")


def run_pytest(python: Path, arguments: list[str]) -> int:
    command = [str(python), "-m", "pytest", *arguments]
    with tempfile.TemporaryDirectory(prefix="ankita-", ignore_cleanup_errors=True) as home:
        environment = private_environment(Path(home))
        if shutil.which("dbus-run-session") and shutil.which("gnome-keyring-daemon"):
            environment["ANKITA_TEST_KEYRING"] = "1"
            session = ["dbus-run-session", "--", "sh", "-c", KEYRING_SESSION, "sh"]
            command = session + command
        return subprocess.call(command, cwd=setup_steps.ROOT, env=environment)


def private_environment(home: Path) -> dict[str, str]:
    """The environment of the tests: on Linux nothing of the person's own desktop is in reach."""
    environment = dict(os.environ)
    environment.pop("ANKITA_HOME", None)
    if not sys.platform.startswith("linux"):
        return environment
    for name in DESKTOP_VARIABLES:
        environment.pop(name, None)
    for name in ("DATA_HOME", "CONFIG_HOME", "CACHE_HOME", "STATE_HOME", "RUNTIME_DIR"):
        folder = home / name.lower()
        folder.mkdir(mode=0o700)
        environment[f"XDG_{name}"] = str(folder)
    return environment | {"HOME": str(home), "XDG_SESSION_TYPE": "tty"}


def main() -> int:
    try:
        system_packages.provide(Level.TEST)
        python = setup_steps.prepare(Level.TEST)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    scripts = setup_steps.ROOT / "scripts"
    failed = [
        name
        for name in ("check.py", "spec_coverage.py")
        if subprocess.call([str(python), str(scripts / name)], cwd=setup_steps.ROOT) != 0
    ]
    if run_pytest(python, sys.argv[1:]) != 0:
        failed.append("pytest")
    if failed:
        print("Failed: " + ", ".join(failed), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
