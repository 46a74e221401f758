"""What a person does with a real model server, with real clicks and real keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.desktop.conftest import Start
from tests.desktop.running_app import Profile
from tests.desktop.screen import Screen, until
from tests.servers.llama_server import LlamaServer
from tests.servers.tiny_model import CLOSING, FAVOURITE_TOOL, GREETING, TOOL_ARGUMENT, TOOL_WORD

pytestmark = [pytest.mark.desktop, pytest.mark.engine]


@pytest.fixture
def served(tmp_path: Path, llama_server: LlamaServer) -> Profile:
    """A profile that uses the real server."""
    server = {"base_url": llama_server.base_url, "model": llama_server.model, "key_name": ""}
    return Profile(tmp_path / "profile", {"server": server})


def replies(profile: Profile) -> list[str]:
    """The texts of the replies that are finished."""
    return [reply["text"] for reply in profile.items("reply") if reply["status"] == "done"]


def written(profile: Profile) -> Path:
    """The file that the tiny model writes."""
    return profile.root / "workspace" / TOOL_ARGUMENT


@pytest.mark.spec("APP-1", "PRV-1", "ISL-3", "APR-11")
def test_a_question_is_answered_by_a_click_on_the_island(
    served: Profile, start: Start, screen: Screen
) -> None:
    app = start(served)
    app.say("hello there")
    until(lambda: replies(served) == [GREETING], "the greeting")
    screen.picture("journey-chat")

    app.say(f"{TOOL_WORD} please")
    until(lambda: served.approvals() == ["pending"], "the question")
    assert not written(served).exists()
    screen.minimise(app.main())
    until(lambda: app.main().is_minimised, "the window to be minimised")
    app.say_yes(app.island, "journey-island-asks")

    until(lambda: replies(served) == [GREETING, CLOSING], "the reply after the tool")
    assert served.approvals() == ["yes"]
    assert [(call["name"], call["status"]) for call in served.items("tool")] == [
        (FAVOURITE_TOOL, "ok")
    ]
    assert written(served).read_text("utf-8") == TOOL_ARGUMENT
    assert app.main().is_minimised, "an answer on the island leaves the window where it is"
    screen.picture("journey-island-answered")
    assert app.quit() == 0


@pytest.mark.spec("ENG-4", "ISL-3", "APR-11")
def test_a_question_survives_a_kill_and_is_answered_once(
    served: Profile, start: Start, screen: Screen
) -> None:
    first = start(served)
    first.say(f"{TOOL_WORD} please")
    until(lambda: served.approvals() == ["pending"], "the question")
    until(lambda: served.remembers("window.thread"), "the shown thread to be remembered")
    first.kill()
    assert not written(served).exists()

    second = start(served)
    until(lambda: served.turns() == ["interrupted"], "the mark on the broken turn")
    second.drawn("journey-after-kill")
    assert served.approvals() == ["pending"]
    assert not written(served).exists(), "nothing runs by itself after a crash"
    screen.minimise(second.main())
    second.say_yes(second.island, "journey-island-after-kill")

    until(lambda: replies(served) == [CLOSING], "the reply after the tool")
    assert served.approvals() == ["yes"]
    assert [(call["name"], call["status"]) for call in served.items("tool")] == [
        (FAVOURITE_TOOL, "ok")
    ]
    assert written(served).read_text("utf-8") == TOOL_ARGUMENT
    screen.picture("journey-after-kill-answered")
    assert second.quit() == 0


@pytest.mark.spec("PRV-7")
def test_the_first_start_needs_no_server_key_or_network(
    profile: Profile, start: Start, screen: Screen
) -> None:
    app = start(profile)
    app.say("help")
    until(lambda: replies(profile), "an answer")
    assert "language model" in replies(profile)[0] or "/tool" in replies(profile)[0]
    screen.picture("journey-first-start")
    assert profile.approvals() == []
    assert app.quit() == 0


@pytest.mark.spec("UI-5")
def test_draft_thread_and_window_place_are_there_after_a_restart(
    profile: Profile, start: Start, screen: Screen
) -> None:
    app = start(profile)
    app.say("hello")
    until(lambda: replies(profile), "an answer")
    screen.run("wmctrl", "-i", "-r", app.main().id, "-e", "0,60,70,900,600")
    until(lambda: app.main().box.width == 900, "the new size")
    place = app.main().box
    screen.type("half a sentence")
    until(lambda: ("half a sentence",) in profile.rows("SELECT draft FROM threads"), "the draft")
    assert app.quit() == 0

    second = start(profile)
    second.drawn("journey-restored")
    box = second.main().box
    assert (box.width, box.height) == (place.width, place.height)
    assert abs(box.x - place.x) <= 4
    assert abs(box.y - place.y) <= 4
    main = second.main()
    until(lambda: screen.active() == main.id, "the window to have the focus")

    def sent() -> bool:
        screen.press("Return")  # does nothing while the thread is not there yet
        return "half a sentence" in [item["text"] for item in profile.items("user")]

    until(sent, "the draft to be sent from the restored thread")
    assert len(profile.rows("SELECT id FROM threads")) == 1
    assert second.quit() == 0
