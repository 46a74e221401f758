"""The doctor on machines and profiles that are really broken."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.doctor.doctor_run import doctor, snapshot
from tests.servers.scripted_chat_server import scripted_server_thread

pytestmark = pytest.mark.spec("APP-8")

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="breaks what only Linux has")


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    folder = tmp_path / "profile"
    folder.mkdir(mode=0o700)
    return folder


def write_settings(profile: Path, **settings: object) -> None:
    document = {"version": 1, "folders": [], **settings}
    (profile / "settings.json").write_text(json.dumps(document), encoding="utf-8")


def without_privileges() -> list[str]:
    """What starts a program to which file modes apply, also for root."""
    if os.name != "posix" or os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root passes every file mode, and setpriv is missing")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@LINUX
def test_a_profile_that_the_user_may_not_enter(profile: Path) -> None:
    profile.chmod(0o000)
    try:
        run = doctor(profile, before=without_privileges())
    finally:
        profile.chmod(0o700)
    assert run.code == 1
    assert run.state("profile") == "FAIL"
    assert "can't be read and written" in run.found("profile")
    assert run.state("python") == "ok", "one broken thing does not hide the others"


def test_a_file_in_the_place_of_the_profile(tmp_path: Path) -> None:
    place = tmp_path / "profile"
    place.write_text("not a folder", encoding="utf-8")
    run = doctor(place)
    assert run.code == 1
    assert run.state("profile") == "FAIL"
    assert "not a folder" in run.found("profile")


def test_a_profile_that_is_no_path_at_all() -> None:
    run = doctor("~nobody-has-this-name/x")
    assert run.code == 1
    assert run.state("profile") == "FAIL"
    assert run.state("python") == "ok"


@contextlib.contextmanager
def small_disk(folder: Path, options: str) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if (
        not sys.platform.startswith("linux")
        or subprocess.run(mount, capture_output=True).returncode
    ):
        pytest.skip("mounting a disk needs root on Linux")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "size=1m") as disk:
        with contextlib.suppress(OSError), (disk / "filler").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        run = doctor(disk / "profile")
    assert run.code == 1
    assert run.state("disk") == "FAIL"
    assert "full" in run.found("disk")


def test_a_disk_that_can_only_be_read(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "size=8m,mode=700") as disk:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        run = doctor(disk)
    assert run.code == 1
    assert run.state("profile") == "FAIL"
    assert "only be read" in run.found("profile")


@pytest.mark.parametrize(
    "content", [b"this is no database at all" * 400, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_damaged_database_is_said_and_left_alone(profile: Path, content: bytes) -> None:
    (profile / "ankita.db").write_bytes(content)
    before = snapshot(profile)
    run = doctor(profile)
    assert snapshot(profile) == before
    assert run.code == 0, "the app starts with an empty one"
    assert run.state("database") == "warn"
    assert "cannot be read" in run.found("database")
    assert "aside" in run.advice("database")


def test_a_database_of_a_newer_version(profile: Path) -> None:
    with contextlib.closing(sqlite3.connect(profile / "ankita.db")) as database:
        database.execute("PRAGMA user_version = 99")
    run = doctor(profile)
    assert run.state("database") == "warn"
    assert "newer version" in run.found("database")
    assert "Update" in run.advice("database")


def test_a_folder_in_the_place_of_the_database(profile: Path) -> None:
    (profile / "ankita.db").mkdir()
    run = doctor(profile)
    assert run.code == 1
    assert run.state("database") == "FAIL"


def test_damaged_settings(profile: Path) -> None:
    (profile / "settings.json").write_text('{"version": 1, "theme": "purple"', encoding="utf-8")
    run = doctor(profile)
    assert run.code == 0
    assert run.state("settings") == "warn"
    assert "damaged" in run.found("settings")


@pytest.mark.parametrize(
    "text", ["{", '{"version": 1, "surprise": {}}', '{"version": 99}'], ids=["cut", "odd", "newer"]
)
def test_damaged_rules(profile: Path, text: str) -> None:
    (profile / "mcp-tiers.json").write_text(text, encoding="utf-8")
    before = snapshot(profile)
    run = doctor(profile)
    assert snapshot(profile) == before
    assert run.code == 0
    assert run.state("rules") == "warn"
    assert "everything asks" in run.found("rules")


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"QT_QPA_PLATFORM": ""}, "no display"),
        ({"QT_QPA_PLATFORM": "nonsense"}, "QT_QPA_PLATFORM"),
        ({"QT_QPA_PLATFORM": "offscreen"}, "nobody sees it"),
        ({"QT_QPA_PLATFORM": "xcb", "DISPLAY": ":4711"}, "display can't be reached"),
    ],
    ids=["none", "nonsense", "unseen", "gone"],
)
@LINUX
def test_windows_that_cannot_be_shown(
    tmp_path: Path, variables: dict[str, str], words: str
) -> None:
    run = doctor(tmp_path / "profile", env=variables)
    assert run.code == 0, "the terminal chat works"
    assert run.state("window") == "warn"
    assert words in run.found("window")


@LINUX
def test_a_platform_plugin_that_cannot_be_loaded(tmp_path: Path) -> None:
    plugins = tmp_path / "plugins" / "platforms"
    plugins.mkdir(parents=True)
    (plugins / "libqoffscreen.so").write_bytes(b"\x7fELF but not really")
    variables = {
        "QT_QPA_PLATFORM": "offscreen",
        "QT_QPA_PLATFORM_PLUGIN_PATH": str(plugins),
        "QT_PLUGIN_PATH": str(plugins.parent),
    }
    run = doctor(tmp_path / "profile", env=variables)
    assert run.state("window") == "warn"


def test_no_keychain(tmp_path: Path) -> None:
    backend = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
    run = doctor(tmp_path / "profile", env=backend)
    assert run.code == 0
    assert run.state("keyring") == "warn"
    assert "No keychain" in run.found("keyring")


def test_a_model_server_that_is_gone(profile: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        port = taken.getsockname()[1]
        write_settings(profile, server={"base_url": f"http://127.0.0.1:{port}", "model": "m"})
        run = doctor(profile)
    assert run.code == 0, "the built-in assistant answers"
    assert run.state("models") == "warn"
    assert str(port) in run.found("models")
    assert "built-in assistant" in run.advice("models")


def test_a_model_server_that_is_there_is_sent_no_key_and_no_message(profile: Path) -> None:
    with scripted_server_thread([]) as server:
        settings = {"base_url": server.base_url, "model": "m", "key_name": "model-server x"}
        write_settings(profile, server=settings)
        run = doctor(profile)
        assert run.state("models") == "ok"
        assert {(r.method, "authorization" in r.headers) for r in server.requests} == {
            ("GET", False)
        }


def test_a_window_lock_of_a_process_that_is_gone(profile: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(60)
    lock = f"{ended.pid}\nankita\n{socket.gethostname()}\n"
    (profile / "window.lock").write_text(lock, encoding="utf-8")
    run = doctor(profile)
    assert run.state("locks") == "ok"
    assert "stale" in run.found("locks")
    assert str(ended.pid) in run.found("locks")


def test_a_window_lock_of_a_process_that_lives_without_an_engine(profile: Path) -> None:
    lock = f"{os.getpid()}\nankita\n{socket.gethostname()}\n"
    (profile / "window.lock").write_text(lock, encoding="utf-8")
    run = doctor(profile)
    assert run.state("locks") == "warn"
    assert str(os.getpid()) in run.found("locks")


@pytest.mark.parametrize("number", ["99999999999999999999", "2147483648", "-1", "0"])
def test_a_window_lock_with_a_number_that_no_process_has(profile: Path, number: str) -> None:
    lock = f"{number}\nankita\n{socket.gethostname()}\n"
    (profile / "window.lock").write_text(lock, encoding="utf-8")
    run = doctor(profile)
    assert (run.state("locks"), run.found("locks")) == (
        "ok",
        "Ankita is not running on this profile.",
    )


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_a_terminal_that_cannot_show_every_character(tmp_path: Path, encoding: str) -> None:
    name = os.fsdecode(b"d\xc3\xa4\xff") if sys.platform == "linux" else "d\u00e4"
    for as_text in (True, False):
        run = doctor(tmp_path / name, as_text=as_text, env={"PYTHONIOENCODING": encoding})
        assert (run.code, run.errors) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="closes a POSIX pipe")
def test_a_reader_that_goes_away_is_no_trouble(profile: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ankita", "doctor"],
        env={**os.environ, "ANKITA_HOME": str(profile)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, errors = process.communicate(timeout=90)
    assert (process.returncode, errors) == (0, "")


def test_a_secret_in_what_is_read_is_not_printed(profile: Path) -> None:
    key = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4"
    write_settings(profile, server={"base_url": f"http://127.0.0.1:1/{key}", "model": key})
    assert key not in doctor(profile).output
