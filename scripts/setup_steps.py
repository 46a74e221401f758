"""Makes the project's own Python environment in .venv; later calls find it ready.

Uses the standard library alone, so that a Python is all that a machine needs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, CalledProcessError
from typing import IO

from system_packages import Level, SetupError, provide

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "scripts" / "constraints.txt"
RUN_SECTION = "# --- run: what the app needs, and what installs it ---"
TEST_SECTION = "# --- test: what the checks and the tests need in addition ---"

VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "setup.json"
LOCK = VENV / "setup.lock"


def prepare(level: Level) -> Path:
    """The Python of an environment that has everything for `level`.

    Takes no time when it is there already. Safe when several processes call it at
    once, and after a call that was interrupted. Raises SetupError.
    """
    if not is_ready(level):
        VENV.mkdir(exist_ok=True)
        with only_one() as lock:
            if not is_ready(level):
                set_up(level, lock)
    return PYTHON


def is_ready(level: Level) -> bool:
    return PYTHON.exists() and read_stamp().get(level.value) == fingerprint(level)


def set_up(level: Level, lock: IO[bytes]) -> None:
    print(f"Setting up Ankita in {VENV} (needed once) ...", file=sys.stderr)
    provide(level)
    wanted = [Level.RUN, Level.TEST] if level is Level.TEST else [Level.RUN]
    if is_ready(Level.RUN):
        wanted.remove(Level.RUN)
    else:
        make_empty_venv(lock)
    pins = VENV / "requirements.txt"
    pins.write_text("".join(section(part) for part in wanted), encoding="utf-8")
    # A file with another hash is refused, and nobody's build script is run.
    exact = ["--require-hashes", "--no-deps", "--only-binary=:all:"]
    pip(lock, "install", *exact, "--requirement", str(pins))
    if Level.RUN in wanted:
        pip(lock, "install", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    pip(lock, "check")
    write_stamp(read_stamp() | {part.value: fingerprint(part) for part in wanted})


def make_empty_venv(lock: IO[bytes]) -> None:
    """A fresh environment; what an older or interrupted set-up left is removed."""
    import venv

    try:
        STAMP.unlink(missing_ok=True)
        for entry in VENV.iterdir():
            if entry == LOCK:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        venv.EnvBuilder(symlinks=os.name != "nt").create(VENV)
        run(lock, [str(PYTHON), "-I", "-m", "ensurepip", "--default-pip"], output=DEVNULL)
    except OSError as error:
        raise SetupError(
            f"{VENV} cannot be renewed ({error}). Quit Ankita and try again."
        ) from error
    except CalledProcessError as error:
        raise SetupError(f"This Python cannot make an environment ({error}).") from error


def pip(lock: IO[bytes], *arguments: str) -> None:
    try:
        run(lock, [str(PYTHON), "-m", "pip", *arguments])
    except CalledProcessError as error:
        raise SetupError(
            f"pip {arguments[0]} did not succeed; its last lines above say why. "
            "Check the network connection and start again."
        ) from error


def run(lock: IO[bytes], command: list[str], output: int | IO[str] | None = None) -> None:
    """Run a step of the set-up, its output on standard error. Raises CalledProcessError.

    The step holds the lock too: should this process be killed, the next set-up waits
    until the step has ended.
    """
    environment = os.environ | {
        # A person's own settings could point outside the environment.
        "PIP_USER": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdin=DEVNULL,
        stdout=sys.stderr if output is None else output,
        pass_fds=() if os.name == "nt" else (lock.fileno(),),
        check=True,
    )


def section(level: Level) -> str:
    """The pins of one part of the constraints file."""
    first, mark, second = CONSTRAINTS.read_text(encoding="utf-8").partition(TEST_SECTION)
    if not mark or RUN_SECTION not in first:
        raise SetupError(f"{CONSTRAINTS} is damaged: its two sections are not there.")
    return first if level is Level.RUN else second


def fingerprint(level: Level) -> str:
    """Changes whenever an environment made for `level` would come out different."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        settings = tomllib.load(file)
    parts = (
        section(level),
        json.dumps([settings["project"], settings["build-system"], settings["tool"]["hatch"]]),
        "{}.{}".format(*sys.version_info),
        str(ROOT),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read_stamp() -> dict[str, str]:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(stamp: dict[str, str]) -> None:
    """Comes last and at once, so that an interrupted set-up never looks whole."""
    draft = STAMP.with_suffix(".new")
    draft.write_text(json.dumps(stamp), encoding="utf-8")
    draft.replace(STAMP)


@contextmanager
def only_one() -> Iterator[IO[bytes]]:
    """Hold the set-up lock; the system lets go of it when all who hold it have ended."""
    with LOCK.open("a+b") as file:
        if not try_lock(file):
            print("Another set-up is running; waiting for it ...", file=sys.stderr)
            wait_for_lock(file)
        yield file


if sys.platform == "win32":
    import msvcrt
    import time

    POLL_SECONDS = 0.5

    def try_lock(file: IO[bytes]) -> bool:
        try:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def wait_for_lock(file: IO[bytes]) -> None:
        while not try_lock(file):
            time.sleep(POLL_SECONDS)

else:
    import fcntl

    def try_lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait_for_lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)
