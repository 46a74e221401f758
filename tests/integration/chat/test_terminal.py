"""The terminal chat as a person has it: a real terminal, a real process, a server (CLI-1)."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("a pseudo-terminal is a thing of POSIX", allow_module_level=True)

from tests.integration.chat.profiles import configure, server_settings
from tests.integration.chat.pty_chat import pty_chat
from tests.servers.scripted_chat_server import (
    Hold,
    Pause,
    delta,
    raw,
    scripted_server_thread,
    text,
    tool_calls,
)

pytestmark = pytest.mark.spec("CLI-1")

COMMAND = f"\"{sys.executable}\" -c \"open('ran.txt', 'a').write('x')\""
KEY = "a-key-that-nobody-may-see-17"
NO_KEYCHAIN = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}


def ran(profile: Path) -> bool:
    return (profile / "workspace" / "ran.txt").exists()


def test_it_greets_streams_and_ends_with_quit(tmp_path: Path) -> None:
    with scripted_server_thread([text("Good ", "day.")]) as server:
        profile = configure(tmp_path / "profile", server=server_settings(server.base_url))
        with pty_chat(profile) as chat:
            assert "Ankita 0.1.0 · scripted-model · local" in chat.until("Type a message")
            chat.until("> ")
            chat.say("hello")
            chat.until("Good day.\n")
            chat.until("> ")
            chat.say("/quit")
            assert chat.end() == 0


def test_tab_completes_a_command(tmp_path: Path) -> None:
    with pty_chat(configure(tmp_path / "profile")) as chat:
        chat.until("> ")
        chat.type("/comm\t")
        chat.until("/commands ")
        chat.type("\n")
        chat.until("/attach FILE")


@pytest.mark.spec("APR-6", "APR-18")
@pytest.mark.parametrize(("answer", "has_run"), [("y", True), ("n", False), ("l", False)])
def test_a_question_is_answered_at_the_terminal(tmp_path: Path, answer: str, has_run: bool) -> None:
    script = [tool_calls(("run_command", {"command": COMMAND})), text("I see.")]
    with scripted_server_thread(script) as server:
        profile = configure(tmp_path / "profile", server=server_settings(server.base_url))
        with pty_chat(profile) as chat:
            chat.until("> ")
            chat.say("run it")
            chat.until("shell: run command")
            assert "l = not now" in chat.until("\n? ")
            chat.say("yes please")
            chat.until("\n? ")
            chat.say(answer)
            chat.until("I see.")
            chat.until("> ")
            chat.say("/approvals")
            chat.until("put off" if answer == "l" else "Nothing waits")
            chat.until("> ")
            if answer == "l":
                chat.say("/no")
                chat.until("> ")
                chat.say("/approvals")
                chat.until("Nothing waits")
    assert ran(profile) is has_run


@pytest.mark.spec("ENG-12")
def test_what_is_typed_while_a_reply_runs_is_queued_and_goes_in(tmp_path: Path) -> None:
    slow = raw(delta(content="One moment"), Hold())
    with scripted_server_thread([slow, text("Second.")]) as server:
        profile = configure(tmp_path / "profile", server=server_settings(server.base_url))
        with pty_chat(profile) as chat:
            chat.until("> ")
            chat.say("first")
            chat.until("One moment")
            chat.say("and this too")
            chat.until("queued: it goes in at the next step")
            chat.say("/queue")
            chat.until("  1 and this too")
            chat.say("/new")
            chat.until("Not while a reply is being worked on")
            chat.say("/stop")
            chat.until("! Stopped.")
            chat.until("! Not sent: and this too")
            chat.until("> ")
            chat.say("hello again")
            chat.until("Second.")


@pytest.mark.spec("ENG-12")
def test_a_queued_message_is_shown_when_it_goes_in_and_is_answered(tmp_path: Path) -> None:
    slow = raw(delta(content="Working"), Pause(2.0), *text(" and done.").steps[1:])
    with scripted_server_thread([slow, text("Answered too.")]) as server:
        profile = configure(tmp_path / "profile", server=server_settings(server.base_url))
        with pty_chat(profile) as chat:
            chat.until("> ")
            chat.say("first")
            chat.until("Working")
            chat.say("second")
            chat.until("queued")
            chat.until("> second\n")
            chat.until("Answered too.")
            chat.until("> ")


@pytest.mark.spec("APR-12")
def test_what_was_typed_before_a_question_was_seen_is_no_answer(tmp_path: Path) -> None:
    call = tool_calls(("run_command", {"command": COMMAND}))
    slow = raw(delta(content="Let me see"), Pause(2.0), *call.steps[1:])
    with scripted_server_thread([slow, text("As you wish."), text("Then.")]) as server:
        profile = configure(tmp_path / "profile", server=server_settings(server.base_url))
        with pty_chat(profile) as chat:
            chat.until("> ")
            chat.say("run it")
            chat.until("Let me see")
            chat.say("y")  # a whole line: a message
            chat.type("y")  # half a line: forgotten
            chat.until("queued")
            chat.until("\n? ")
            assert not ran(profile)
            chat.say("n")
            chat.until("As you wish.")
    assert not ran(profile)


@pytest.mark.spec("ENG-3")
def test_ctrl_c_stops_a_reply_and_leaves_a_prompt(tmp_path: Path) -> None:
    with scripted_server_thread([raw(delta(content="Endless"), Hold()), text("Here.")]) as server:
        profile = configure(tmp_path / "profile", server=server_settings(server.base_url))
        with pty_chat(profile) as chat:
            chat.until("> ")
            chat.say("talk")
            chat.until("Endless")
            chat.type("\x03")
            chat.until("! Stopped.")
            chat.until("> ")
            chat.type("half a line")
            chat.until("half a line")
            chat.press_until("\x03", "> ")
            chat.say("hello")
            chat.until("Here.")
            chat.until("> ")
            chat.type("\x04")
            assert chat.end() == 0


@pytest.mark.spec("PRV-8")
def test_a_key_is_typed_unseen_and_kept_behind_a_passphrase(tmp_path: Path) -> None:
    with scripted_server_thread([text("With a key.")] * 20) as server:
        profile = configure(tmp_path / "profile", server=server_settings(server.base_url))
        with pty_chat(profile, env=NO_KEYCHAIN) as chat:
            chat.until("> ")
            chat.say("/key " + "x" * 8)
            chat.until("Not here")
            chat.until("> ")
            chat.say("/key")
            chat.until("(not shown): ")
            assert not chat.echoes()
            chat.say(KEY)
            chat.until("until Ankita ends): ")
            assert not chat.echoes()
            chat.say("open sesame")
            chat.until("The same again: ")
            chat.say("open sesam")
            chat.until("not the same")
            chat.until("> ")
            chat.say("/key")
            chat.until("(not shown): ")
            chat.say(KEY)
            chat.until("until Ankita ends): ")
            chat.say("open sesame")
            chat.until("The same again: ")
            chat.say("open sesame")
            chat.until("Your keys are open.")
            chat.until("> ")
            chat.say("hello")
            chat.until("With a key.")
            assert KEY not in chat.seen
            assert "sesame" not in chat.seen
        used = [r.headers.get("authorization") for r in server.requests if r.method == "POST"]
        assert used[-1] == f"Bearer {KEY}"
        with pty_chat(profile, env=NO_KEYCHAIN) as chat:
            chat.until("> ")
            chat.say("/passphrase")
            chat.until("until Ankita ends): ")
            chat.say("wrong")
            chat.until("> ")
            chat.say("/passphrase")
            chat.until("until Ankita ends): ")
            chat.say("open sesame")
            chat.until("Your keys are open.")
    assert (profile / "vault-passphrase.json").exists()


@pytest.mark.spec("ENG-4", "APR-11")
def test_a_question_survives_kill_9_and_its_act_runs_exactly_once(tmp_path: Path) -> None:
    script = [tool_calls(("run_command", {"command": COMMAND})), text("It has run.")]
    with scripted_server_thread(script) as server:
        profile = configure(tmp_path / "profile", server=server_settings(server.base_url))
        with pty_chat(profile) as first:
            first.until("> ")
            first.say("run it")
            first.until("\n? ")
            first.process.send_signal(signal.SIGKILL)
            first.process.wait(60)
        assert not ran(profile)
        with pty_chat(profile) as second:
            second.until("1 waiting for your answer")
            second.until("> ")
            second.say("/yes")
            second.until("It has run.")
    assert (profile / "workspace" / "ran.txt").read_text(encoding="utf-8") == "x"
