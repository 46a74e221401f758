"""From an empty profile with a model server running: found, asked, accepted, tried, answering."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.desktop.conftest import Start
from tests.desktop.running_app import YES_COLOUR, Profile, RunningApp
from tests.desktop.screen import Screen, blocks_of, until
from tests.servers.llama_server import LlamaServer
from tests.servers.tiny_model import GREETING

pytestmark = [pytest.mark.desktop, pytest.mark.engine, pytest.mark.spec("PRV-2", "PRV-9")]


def server_of(profile: Profile) -> dict[str, Any]:
    settings = json.loads((profile.root / "settings.json").read_text("utf-8"))
    return dict(settings.get("server") or {})


def click_use(app: RunningApp, screen: Screen, profile: Profile) -> None:
    """Click the offer's one green button until the engine has taken it."""

    def clicked() -> bool:
        window = app.main()
        picture = screen.picture("found-offer", window.box)
        # Mascots are green too, but no wider than they are high.
        blocks = [b for b in blocks_of(picture, YES_COLOUR) if b.width > 1.5 * b.height]
        if blocks:
            x, y = blocks[0].centre
            screen.click(window.box.x + x, window.box.y + y)
        return bool(server_of(profile))

    until(clicked, "the offer to be accepted")


def test_a_server_on_this_machine_is_found_accepted_and_answers(
    tmp_path: Path,
    start: Start,
    screen: Screen,
    llama_server: LlamaServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = urlsplit(llama_server.base_url).netloc
    monkeypatch.setenv("OLLAMA_HOST", place)
    profile = Profile(tmp_path / "profile")
    app = start(profile)
    app.drawn("found-start")
    click_use(app, screen, profile)
    until(lambda: server_of(profile).get("tool_mode") == "native", "the self-test")
    assert server_of(profile)["base_url"].startswith(f"http://{place}")
    app.say("hello there")
    until(lambda: [r["text"] for r in profile.items("reply")] == [GREETING], "the greeting")
    screen.picture("found-answering")
    assert app.quit() == 0
