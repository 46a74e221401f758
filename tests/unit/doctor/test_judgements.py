"""What each check concludes from what it read, without reading anything (APP-8)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.config import ServerSettings
from ankita.doctor.browser import find_browser
from ankita.doctor.finding import Finding, State
from ankita.doctor.keychain import judge_keychain
from ankita.doctor.locks import Holder, WindowLock, judge_locks, listed_holder
from ankita.doctor.machine import FULL_BYTES, LOW_BYTES, judge_clock, judge_disk, judge_python
from ankita.doctor.models import judge_server, without_server
from ankita.doctor.window import judge_probe, why_not
from ankita.engine.state import OfferedModel, ServerOffer
from ankita.security.keychain_state import KeychainState, KeychainView

pytestmark = pytest.mark.spec("APP-8")

DAY = 24 * 3600.0
NOW = 1_800_000_000.0
OFFER = ServerOffer("http://127.0.0.1:11434", "Ollama", models=(OfferedModel("a"),) * 3)
SERVER = ServerSettings("http://127.0.0.1:1", "m", key_name="model-server x")

CURSOR = """qt.core.library: "/x/libqxcb.so" cannot load: Cannot load library /x/libqxcb.so: \
(libxcb-icccm.so.4: cannot open shared object file: No such file or directory)
qt.qpa.plugin: Could not load the Qt platform plugin "xcb" in "" even though it was found."""


@pytest.mark.parametrize(
    ("version", "state"),
    [((3, 10, 9), State.FAIL), ((3, 11, 0), State.OK), ((3, 14, 1), State.OK)],
)
def test_python(version: tuple[int, int, int], state: State) -> None:
    assert judge_python(version).state is state


@given(st.integers(min_value=0, max_value=2**50))
def test_less_room_is_never_better(free: int) -> None:
    order = [State.FAIL, State.WARN, State.OK]
    here, more = judge_disk(free), judge_disk(free + 1)
    assert order.index(here.state) <= order.index(more.state)
    assert (here.state is State.FAIL) == (free < FULL_BYTES)
    assert (here.state is State.OK) == (free >= LOW_BYTES)


@pytest.mark.parametrize(
    ("now", "newest", "words"),
    [
        (NOW, NOW, "UTC"),
        (NOW, NOW + 2 * DAY, "before the last use"),
        (0.0, 0.0, "too early"),
    ],
)
def test_the_clock(now: float, newest: float, words: str) -> None:
    assert words in judge_clock(now, newest).found


@pytest.mark.parametrize(
    ("errors", "environ", "reason"),
    [
        (CURSOR, {}, "libxcb-icccm.so.4 is missing"),
        (
            "From 6.5.0, xcb-cursor0 or libxcb-cursor0 is needed to load the Qt xcb platform",
            {},
            "xcb-cursor0 is missing",
        ),
        (
            "ImportError: libGL.so.1: cannot open shared object file: No such file",
            {},
            "libGL.so.1 is missing",
        ),
        ("ModuleNotFoundError: No module named 'PySide6'", {}, "not installed whole"),
        (
            "could not connect to display :9\nxcb-cursor0 is needed to load the Qt xcb platform",
            {},
            "display can't be reached",
        ),
        ("aborted", {"QT_PLUGIN_PATH": "/x"}, "QT_PLUGIN_PATH"),
        ('Could not find the Qt platform plugin "cocoa" in ""', {}, "“cocoa” is missing"),
        ("", {}, "no Qt platform plugin"),
    ],
)
def test_why_qt_shows_no_window(errors: str, environ: dict[str, str], reason: str) -> None:
    assert reason in why_not(errors, environ)[0]
    finding = judge_probe(-6, "", errors, environ)
    assert finding.state is State.WARN
    assert "ankita chat" in finding.advice


def test_a_platform_that_shows_windows() -> None:
    finding = judge_probe(0, 'noise\n{"qt": "6.11.3", "platform": "xcb"}\n', "noise", {})
    assert finding == Finding("window", State.OK, "Qt 6.11.3 shows windows here (xcb).")


@pytest.mark.parametrize("state", KeychainState)
def test_no_state_of_the_keychain_stops_the_main_job(state: KeychainState) -> None:
    finding = judge_keychain(KeychainView(state, "KWallet"))
    assert finding.state is not State.FAIL
    is_fine = state in (KeychainState.OPEN, KeychainState.PRESENT)
    assert (finding.state is State.OK) == is_fine == (finding.advice == "")


@pytest.mark.parametrize(
    ("engine", "window", "is_alive", "state", "words"),
    [
        (Holder(12), None, False, State.OK, "running on this profile (process 12)"),
        (Holder(0), None, False, State.OK, "another process"),
        (None, None, False, State.OK, "not running"),
        (None, WindowLock(7, "here"), False, State.OK, "stale lock was left by process 7"),
        (None, WindowLock(7, "here"), True, State.WARN, "Process 7"),
        (None, WindowLock(7, "there"), True, State.WARN, "another machine"),
    ],
)
def test_locks(
    engine: Holder | None, window: WindowLock | None, is_alive: bool, state: State, words: str
) -> None:
    finding = judge_locks(engine, window, is_alive, "here")
    assert finding.state is state
    assert words in finding.found


def test_the_systems_list_of_locks() -> None:
    lines = [
        "1: POSIX  ADVISORY  WRITE 10 fe:00:77 0 EOF",
        "2: FLOCK  ADVISORY  WRITE 11 fe:00:177 0 EOF",
        "2: -> FLOCK  ADVISORY  WRITE 12 fe:00:77 0 EOF",
        "3: FLOCK  ADVISORY  WRITE 13 fe:00:77 0 EOF",
    ]
    assert listed_holder(lines, 77) == Holder(13)
    assert listed_holder(lines, 78) is None
    assert listed_holder(["odd"], 77) is None


def test_models_without_a_server_are_never_a_trouble() -> None:
    assert without_server(()).state is State.OK
    finding = without_server([OFFER])
    assert "Ollama at http://127.0.0.1:11434 (3 models)" in finding.found
    assert "/servers" in finding.advice


@pytest.mark.parametrize(
    ("state", "expected"), [("ready", State.OK), ("needs key", State.OK), ("gone", State.WARN)]
)
def test_the_server_that_is_set(state: str, expected: State) -> None:
    finding = judge_server(SERVER, state, "It says so.", [OFFER])
    assert finding.state is expected
    assert "Ollama" in finding.found


def test_a_key_that_is_wanted_but_was_never_given_is_a_trouble() -> None:
    without = ServerSettings("http://127.0.0.1:1", "m")
    assert judge_server(without, "needs key", "It wants a key.", ()).state is State.WARN


def test_browsers(tmp_path: Path) -> None:
    assert find_browser({}, "linux", lambda _: None) is None
    only = {"google-chrome": "/opt/google-chrome"}
    assert find_browser({}, "linux", only.get) == "/opt/google-chrome"
    chrome = tmp_path.joinpath("Google", "Chrome", "Application", "chrome.exe")
    chrome.parent.mkdir(parents=True)
    chrome.touch()
    assert find_browser({"PROGRAMFILES": str(tmp_path)}, "win32", lambda _: None) == str(chrome)
