"""What answers, and where its key is (PRV-1, PRV-8, SEC-8)."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import keyring.backends.null
import pytest

from ankita.engine import (
    CheckServer,
    GivePassphrase,
    GrantFolder,
    KeepKeysForThisRun,
    NoticeItem,
    RemoveKey,
    ReplyItem,
    UseBuiltInAssistant,
    UseServer,
)
from ankita.errors import AnkitaError, CommandRefusedError, VaultUnavailableError
from tests.engine_lab import EngineLab, engine_lab, tool_items
from tests.servers.scripted_chat_server import ScriptedChatServer, error, text

KEY = "planted-9f8e7d6c5b4a-key-value"
PASSPHRASE = "a long enough passphrase"


async def with_key(lab: EngineLab, url: str) -> None:
    await lab.do(GivePassphrase(PASSPHRASE))
    await lab.do(UseServer(url, "scripted-model", KEY))


@pytest.mark.spec("PRV-1")
async def test_a_chosen_server_answers_and_the_window_can_say_so(tmp_path: Path) -> None:
    async with ScriptedChatServer([text("From the server.")]) as server:
        async with engine_lab(tmp_path) as lab:
            await lab.do(UseServer(server.base_url, "scripted-model"))
            assert lab.state.answering is not None
            assert lab.state.answering.label == "scripted-model · local"
            items = await lab.talk("hello")
            assert isinstance(items[-1], ReplyItem)
            assert items[-1].text == "From the server."
        async with engine_lab(tmp_path) as lab:
            assert lab.state.answering is not None
            assert lab.state.answering.model == "scripted-model"
            await lab.do(UseBuiltInAssistant())
            assert lab.state.answering.is_built_in


@pytest.mark.spec("PRV-8")
async def test_a_key_reaches_the_server_and_stands_nowhere_in_the_profile(tmp_path: Path) -> None:
    replies = [text(f"You use {KEY}, don't you?"), error(401, {"error": {"message": KEY}})]
    async with ScriptedChatServer(replies) as server, engine_lab(tmp_path / "p") as lab:
        await with_key(lab, server.base_url)
        await lab.talk(f"my key is {KEY}")
        await lab.talk("again")
        assert server.chats[0].headers["authorization"] == f"Bearer {KEY}"
        assert KEY not in repr(lab.state.settings)
        assert KEY not in repr(lab.state.vault)
    for path in (tmp_path / "p").rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


@pytest.mark.spec("PRV-8", "SEC-8")
async def test_without_a_keychain_a_key_is_refused_until_the_user_chooses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyring.get_keyring", keyring.backends.null.Keyring)
    async with engine_lab(tmp_path) as lab:
        with pytest.raises(VaultUnavailableError):
            await lab.do(UseServer("http://127.0.0.1:9", "m", KEY))
        assert lab.state.vault.needs_passphrase
        assert lab.state.settings.server is None
        await lab.do(KeepKeysForThisRun())
        await lab.do(UseServer("http://127.0.0.1:9", "m", KEY))
        assert "gone when Ankita closes" in lab.state.vault.description


@pytest.mark.spec("SEC-8")
async def test_the_encrypted_file_opens_with_its_passphrase_after_a_restart(tmp_path: Path) -> None:
    async with ScriptedChatServer([text("One."), text("Two.")]) as server:
        async with engine_lab(tmp_path) as lab:
            await with_key(lab, server.base_url)
        async with engine_lab(tmp_path) as lab:
            items = await lab.talk("hello")
            assert isinstance(items[-1], NoticeItem)
            assert "passphrase" in items[-1].text
            assert lab.state.vault.needs_passphrase
            await lab.do(GivePassphrase(PASSPHRASE))
            items = await lab.talk("hello")
            assert isinstance(items[-1], ReplyItem)
    assert server.chats[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_stored_key_is_never_sent_to_a_newly_typed_address(tmp_path: Path) -> None:
    async with (
        ScriptedChatServer([text("a")]) as old,
        ScriptedChatServer([text("b")]) as new,
        engine_lab(tmp_path) as lab,
    ):
        await with_key(lab, old.base_url)
        await lab.do(UseServer(new.base_url, "scripted-model"))
        await lab.do(CheckServer(new.base_url))
        await lab.talk("hello")
    assert new.requests
    assert not any("authorization" in request.headers for request in new.requests)


async def test_the_test_button_tells_gone_from_wrong(tmp_path: Path) -> None:
    async with ScriptedChatServer([]) as server, engine_lab(tmp_path) as lab:
        good = await lab.do(CheckServer(server.base_url))
        assert (good.problem, good.models) == ("", ("scripted-model",))
        gone = await lab.do(CheckServer("http://127.0.0.1:9"))
        wrong = await lab.do(CheckServer("ftp://nowhere"))
    assert gone.problem
    assert wrong.problem
    assert gone.problem != wrong.problem


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://x", "http://user:pw@host/"])
async def test_an_unusable_address_is_refused_and_nothing_changes(tmp_path: Path, url: str) -> None:
    async with engine_lab(tmp_path) as lab:
        with pytest.raises(CommandRefusedError):
            await lab.do(UseServer(url, "m"))
        assert lab.state.settings.server is None
    assert not (tmp_path / "settings.json").exists()


@pytest.mark.spec("APP-7")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
async def test_everything_in_the_profile_is_private(tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    async with engine_lab(profile) as lab:
        await lab.do(GivePassphrase(PASSPHRASE))
        await lab.do(UseServer("http://127.0.0.1:9", "m", KEY))
        await lab.talk("hello")
        for path in [profile, *profile.rglob("*")]:
            mode = stat.S_IMODE(path.stat().st_mode)
            assert mode == (0o700 if path.is_dir() else 0o600), path


async def test_each_address_has_a_key_of_its_own(tmp_path: Path) -> None:
    async with (
        ScriptedChatServer([text("a"), text("a")]) as one,
        ScriptedChatServer([text("b")]) as other,
        engine_lab(tmp_path) as lab,
    ):
        await with_key(lab, one.base_url)
        await lab.do(UseServer(other.base_url, "scripted-model", "another-key-entirely"))
        await lab.talk("hello")
        await lab.do(RemoveKey())
        await lab.do(UseServer(one.base_url, "scripted-model"))
        await lab.talk("hello")
    assert other.chats[0].headers["authorization"] == "Bearer another-key-entirely"
    assert "authorization" not in one.chats[0].headers


async def test_a_key_whose_settings_could_not_be_stored_goes_nowhere(tmp_path: Path) -> None:
    async with ScriptedChatServer([text("a")]) as one, engine_lab(tmp_path / "p") as lab:
        await with_key(lab, one.base_url)
        settings = tmp_path / "p" / "settings.json"
        settings.unlink()
        settings.mkdir()
        with pytest.raises(AnkitaError):
            await lab.do(UseServer("http://127.0.0.1:9", "m", "key-of-the-other"))
        settings.rmdir()
        await lab.talk("hello")
    assert one.chats[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.spec("TOL-1")
@pytest.mark.parametrize("place", ["", "logs", "workspace/..", ".."])
async def test_the_folder_with_the_gates_own_rules_can_not_be_granted(
    tmp_path: Path, place: str
) -> None:
    profile = tmp_path / "parent" / "profile"
    async with engine_lab(profile) as lab:
        with pytest.raises(CommandRefusedError, match="own rules"):
            await lab.do(GrantFolder(str(profile / place), may_write=True))
        assert lab.state.settings.folders == ()


@pytest.mark.spec("TOL-1")
async def test_a_grant_of_the_profile_written_into_the_settings_counts_for_nothing(
    tmp_path: Path,
) -> None:
    profile = tmp_path / "profile"
    profile.mkdir()
    folder = {"path": str(tmp_path), "may_write": True}
    settings = {"version": 1, "server": None, "folders": [folder]}
    (profile / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    async with engine_lab(profile) as lab:
        items = await lab.talk(f"/tool read_file path={profile / 'settings.json'}")
    assert "outside the allowed folders" in tool_items(items)[0].output
