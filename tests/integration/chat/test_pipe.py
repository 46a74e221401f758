"""The terminal chat without a terminal: one message, or lines from a pipe (CLI-1)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.integration.chat.profiles import configure, server_settings
from tests.servers.scripted_chat_server import (
    Hold,
    ScriptedReply,
    delta,
    raw,
    scripted_server_thread,
    text,
    tool_calls,
)

pytestmark = pytest.mark.spec("CLI-1")

SECONDS = 90
COMMAND = f"\"{sys.executable}\" -c \"open('ran.txt', 'a').write('x')\""
ASKS = [tool_calls(("run_command", {"command": COMMAND})), text("As you wish.")]
FAILS = [ScriptedReply(status=401, content_type="application/json", steps=(b'{"error": "no"}',))]


def chat(
    profile: Path, *arguments: str, lines: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ankita", "chat", *arguments],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={**os.environ, "ANKITA_HOME": str(profile)},
        check=False,
    )


def played(
    tmp_path: Path, script: Sequence[ScriptedReply], *arguments: str, lines: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    with scripted_server_thread(script) as server:
        profile = configure(tmp_path / "profile", server=server_settings(server.base_url))
        return chat(profile, *arguments, lines=lines)


def test_one_message_puts_the_reply_alone_on_the_output(tmp_path: Path) -> None:
    done = played(tmp_path, [text("Good ", "day.")], "-m", "hello")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Good day.\n", "")


def test_one_message_to_the_built_in_assistant_needs_no_model(tmp_path: Path) -> None:
    done = chat(tmp_path / "profile", "-m", "hello")
    assert done.returncode == 0
    assert done.stdout.strip()


@pytest.mark.spec("APR-12")
@pytest.mark.parametrize("arguments", [("-m", "run it"), ()])
def test_where_nobody_can_answer_the_answer_is_no_whatever_the_pipe_says(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    lines = [] if arguments else ["run it"]
    done = played(tmp_path, [*ASKS, text("A letter.")], *arguments, lines=[*lines, "y"])
    assert done.returncode == 3
    assert "As you wish." in done.stdout
    assert "the answer is no" in done.stdout + done.stderr
    assert not (tmp_path / "profile" / "workspace" / "ran.txt").exists()


@pytest.mark.parametrize("arguments", [("-m", "hello"), ()])
def test_a_reply_that_failed_ends_with_1_and_says_why(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    lines = [] if arguments else ["hello"]
    done = played(tmp_path, FAILS, *arguments, lines=lines)
    assert done.returncode == 1
    assert "key" in (done.stderr if arguments else done.stdout)


def test_lines_from_a_pipe_are_messages_and_commands(tmp_path: Path) -> None:
    done = played(tmp_path, [text("One."), text("Two.")], lines=["first", "second", "/threads"])
    assert done.returncode == 0
    shown = done.stdout.splitlines()
    assert [line for line in shown if line in ("One.", "Two.")] == ["One.", "Two."]
    assert "  1 first · idle" in shown


def test_a_command_that_does_not_exist_ends_a_script_with_1(tmp_path: Path) -> None:
    done = played(tmp_path, [], lines=["/aproval"])
    assert done.returncode == 1
    assert "Did you mean /approvals?" in done.stdout


def test_a_key_is_never_read_from_a_pipe(tmp_path: Path) -> None:
    done = played(tmp_path, [text("Hi.")], lines=["/key", "hi"])
    assert "typed at a terminal" in done.stdout
    assert "Hi." in done.stdout, "the line after it is a message, no key"
    assert not (tmp_path / "profile" / "vault.json").exists()


def test_a_profile_in_use_ends_with_1_and_a_sentence(tmp_path: Path) -> None:
    place = tmp_path / "profile"
    place.write_text("not a folder", encoding="utf-8")
    done = chat(place, "-m", "hello")
    assert done.returncode == 1
    assert "is not a folder" in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_usage_ends_with_2(tmp_path: Path) -> None:
    assert chat(tmp_path / "profile", "--nonsense").returncode == 2


@pytest.mark.spec("ENG-3")
@pytest.mark.skipif(sys.platform == "win32", reason="sends itself a POSIX signal")
def test_an_interrupted_message_ends_with_130(tmp_path: Path) -> None:
    with scripted_server_thread([raw(delta(content="Endless"), Hold())]) as server:
        profile = configure(tmp_path / "profile", server=server_settings(server.base_url))
        process = subprocess.Popen(
            [sys.executable, "-m", "ankita", "chat", "-m", "talk"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "ANKITA_HOME": str(profile)},
        )
        assert process.stdout is not None
        assert process.stdout.read(len("Endless")) == "Endless"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert "Stopped." in errors


@pytest.mark.skipif(sys.platform == "win32", reason="closes a POSIX pipe")
def test_a_reader_that_goes_away_is_no_trouble(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ankita", "chat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "ANKITA_HOME": str(tmp_path / "profile")},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    process.stdin.write("/commands\n")
    process.stdin.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(SECONDS) == 1
    assert errors == ""


@pytest.mark.spec("ENG-3")
@pytest.mark.skipif(sys.platform == "win32", reason="sends itself a POSIX signal")
def test_ctrl_c_between_two_lines_ends_with_130_and_no_traceback(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ankita", "chat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "ANKITA_HOME": str(tmp_path / "profile")},
    )
    assert process.stdout is not None
    while "Type a message" not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, errors) == (130, "")
