"""The log file holds no secrets, is private, and stays small."""

from __future__ import annotations

import logging
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ankita import logs
from ankita.logs import close_logging, configure_logging, install_excepthooks
from ankita.paths import HAS_FILE_MODES

SECRET = "hunter2-planted"
log = logging.getLogger("ankita.test_logs")


def scrub(text: str) -> str:
    return text.replace(SECRET, "[REDACTED:test]")


@pytest.fixture
def log_file(tmp_path: Path) -> Iterator[Path]:
    handler = configure_logging(tmp_path, scrub)
    yield tmp_path / "ankita.log"
    close_logging(handler)
    close_logging(handler)


def raise_secret() -> None:
    raise ValueError(f"the key {SECRET} was refused")


@pytest.mark.spec("SEC-6")
def test_messages_arguments_and_tracebacks_are_scrubbed(log_file: Path) -> None:
    log.info("the key is %s", SECRET)
    try:
        raise_secret()
    except ValueError:
        log.exception("it failed")
    text = log_file.read_text()
    assert SECRET not in text
    assert text.count("[REDACTED:test]") == 2
    assert "Traceback" in text


def test_a_line_that_can_not_be_scrubbed_is_withheld(tmp_path: Path) -> None:
    def broken(_text: str) -> str:
        raise RuntimeError("scrubber")

    handler = configure_logging(tmp_path, broken)
    log.warning("the key is %s", SECRET)
    close_logging(handler)
    text = (tmp_path / "ankita.log").read_text()
    assert SECRET not in text
    assert logs.WITHHELD in text


def test_a_record_that_can_not_be_formatted_is_withheld(tmp_path: Path) -> None:
    handler = configure_logging(tmp_path, scrub)
    handler.handle(logging.LogRecord("x", logging.INFO, "", 1, "%d keys", (SECRET,), None))
    close_logging(handler)
    assert logs.WITHHELD in (tmp_path / "ankita.log").read_text()


def test_other_libraries_are_heard_from_warning_on(log_file: Path) -> None:
    logging.getLogger("some.library").info("chatter")
    logging.getLogger("some.library").warning("trouble")
    text = log_file.read_text()
    assert "trouble" in text
    assert "chatter" not in text


@pytest.mark.skipif(not HAS_FILE_MODES, reason="the system has no file modes")
@pytest.mark.spec("APP-7")
def test_the_log_and_the_one_before_are_private_and_small(
    log_file: Path,
) -> None:
    log_file.chmod(0o644)
    line = "x" * 10_000
    for _ in range(2 * logs.LOG_BYTES // len(line) + 10):
        log.info(line)
    close_again = sorted(log_file.parent.iterdir())
    assert [file.name for file in close_again] == ["ankita.log", "ankita.log.1"]
    assert stat.S_IMODE(log_file.stat().st_mode) == 0o600
    assert all(file.stat().st_size <= logs.LOG_BYTES for file in close_again)


@pytest.mark.skipif(not HAS_FILE_MODES, reason="the system has no file modes")
@pytest.mark.spec("APP-7")
def test_an_older_log_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    file = tmp_path / "ankita.log"
    file.write_text("old\n")
    file.chmod(0o644)
    close_logging(configure_logging(tmp_path, scrub))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text() == "old\n"


def test_a_log_that_can_not_be_written_neither_stops_the_product_nor_prints_the_record(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    handler = configure_logging(tmp_path, scrub)
    assert isinstance(handler, logging.StreamHandler)
    handler.stream.close()  # from now on every write fails
    log.error("the key is %s", SECRET)
    close_logging(handler)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_an_uncaught_error_is_logged_scrubbed_and_shown_without_details(log_file: Path) -> None:
    shown: list[str] = []
    restore = install_excepthooks(log, shown.append)
    try:
        raise_secret()
    except ValueError as error:
        sys.excepthook(ValueError, error, error.__traceback__)
    finally:
        restore()
    assert SECRET not in log_file.read_text()
    assert "raise_secret" in log_file.read_text()
    assert shown == ["Something went wrong in Ankita (ValueError). Details are in the log."]


def test_an_uncaught_error_of_a_thread_is_logged(log_file: Path) -> None:
    shown: list[str] = []
    restore = install_excepthooks(log, shown.append)
    thread = threading.Thread(target=raise_secret)
    thread.start()
    thread.join()
    restore()
    assert "raise_secret" in log_file.read_text()
    assert len(shown) == 1


def test_without_a_window_one_sentence_goes_to_standard_error(
    log_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    restore = install_excepthooks(log)
    try:
        raise_secret()
    except ValueError as error:
        sys.excepthook(ValueError, error, error.__traceback__)
    finally:
        restore()
    assert SECRET not in capsys.readouterr().err
    assert "Uncaught error" in log_file.read_text()


def test_a_failing_window_does_not_hide_the_error(log_file: Path) -> None:
    def no_window(_sentence: str) -> None:
        raise RuntimeError("no window")

    restore = install_excepthooks(log, no_window)
    sys.excepthook(ValueError, ValueError("first"), None)
    restore()
    text = log_file.read_text()
    assert "first" in text
    assert "no window" in text


def test_hooks_can_be_put_back() -> None:
    before = sys.excepthook, threading.excepthook
    install_excepthooks(log)()
    assert (sys.excepthook, threading.excepthook) == before
