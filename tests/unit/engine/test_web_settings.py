"""The web settings change as a whole or not at all, through the engine's own door (TOL-3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ankita.engine.commands import ChangeWeb
from ankita.engine.web_settings import MAX_PRIVATE_HOSTS
from ankita.errors import CommandRefusedError
from tests.engine_lab import engine_lab

pytestmark = pytest.mark.spec("TOL-3")


async def test_each_part_changes_alone_and_is_there_after_a_restart(tmp_path: Path) -> None:
    async with engine_lab(tmp_path) as lab:
        await lab.do(ChangeWeb(search_url="https://search.example.org/"))
        await lab.do(ChangeWeb(private_hosts=("NAS.local", "nas.local", "10.0.0.5:8080")))
    async with engine_lab(tmp_path) as lab:
        settings = lab.state.settings
        assert settings.search_url == "https://search.example.org"
        assert settings.private_hosts == ("nas.local", "10.0.0.5:8080")
        await lab.do(ChangeWeb(search_url=""))
        assert lab.state.settings.search_url == ""
        assert lab.state.settings.private_hosts == ("nas.local", "10.0.0.5:8080")


async def test_one_bad_host_changes_nothing(tmp_path: Path) -> None:
    async with engine_lab(tmp_path) as lab:
        with pytest.raises(CommandRefusedError):
            await lab.do(ChangeWeb("https://search.example.org", ("nas.local", "a b")))
        assert lab.state.settings.search_url == ""
        assert lab.state.settings.private_hosts == ()


async def test_the_list_of_hosts_is_bounded(tmp_path: Path) -> None:
    hosts = tuple(f"h{n}.local" for n in range(MAX_PRIVATE_HOSTS + 1))
    async with engine_lab(tmp_path) as lab:
        with pytest.raises(CommandRefusedError):
            await lab.do(ChangeWeb(private_hosts=hosts))
