"""One check that crashes, hangs or can't be loaded leaves the others as they are (APP-8)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from ankita.doctor.examination import CHECKS, Check, examine, quick_checks
from ankita.doctor.finding import Finding, State, Subject, can_do_main_job
from ankita.paths import ProfilePaths

pytestmark = pytest.mark.spec("APP-8")

SUBJECT = Subject(ProfilePaths(Path("/nowhere/profile")), {}, sys.platform)
GOOD = Check("clock", "machine", "check_clock")
KEY = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A module with checks that misbehave; setting the event ends the one that hangs."""
    ended = threading.Event()
    module = ModuleType("ankita.doctor.broken")

    def hang(_: Subject) -> Finding:
        ended.wait(60)
        return Finding("hangs", State.OK, "late")

    def crash(_: Subject) -> Finding:
        raise RuntimeError(f"with {KEY}")

    def tell(_: Subject) -> Finding:
        return Finding("tells", State.OK, f"the key is {KEY}", f"use {KEY}")

    for function in (hang, crash, tell):
        setattr(module, function.__name__, function)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    yield ended
    ended.set()


def test_a_crash_is_said_without_its_words_and_the_others_go_on(broken: threading.Event) -> None:
    del broken
    crashed, absent, clock = examine(
        SUBJECT, [Check("crashes", "broken", "crash"), Check("absent", "absent", "look"), GOOD]
    )
    assert (crashed.state, crashed.found) == (
        State.WARN,
        "This check itself failed (RuntimeError).",
    )
    assert "ModuleNotFoundError" in absent.found
    assert clock.state is State.OK


def test_a_check_that_hangs_is_left_behind(broken: threading.Event) -> None:
    hung, clock = examine(SUBJECT, [Check("hangs", "broken", "hang"), GOOD], seconds=1.0)
    assert not broken.is_set()
    assert (hung.name, hung.state) == ("hangs", State.WARN)
    assert "1 seconds" in hung.found
    assert clock.name == "clock"


def test_whatever_a_check_says_is_scrubbed(broken: threading.Event) -> None:
    del broken
    (finding,) = examine(SUBJECT, [Check("tells", "broken", "tell")])
    assert KEY not in finding.line()
    assert KEY not in str(finding.as_json())


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_every_check_exists_and_answers_under_its_own_name(check: Check) -> None:
    (finding,) = examine(SUBJECT, [check])
    assert finding.name == check.name
    assert "itself failed" not in finding.found


def test_the_quick_checks_start_no_program_and_ask_no_server() -> None:
    assert {check.name for check in quick_checks()} >= {"profile", "disk", "database", "settings"}
    assert not {"window", "models", "keyring"} & {check.name for check in quick_checks()}


def test_one_failure_means_that_the_main_job_cannot_run() -> None:
    fine = [Finding("a", State.OK, "."), Finding("b", State.WARN, ".")]
    assert can_do_main_job(fine)
    assert not can_do_main_job([*fine, Finding("c", State.FAIL, ".")])
