"""The part of the settings that the web tools follow, checked before it is stored."""

from __future__ import annotations

from dataclasses import replace

from ankita.config import Settings
from ankita.engine.providers import private_host, search_server
from ankita.errors import CommandRefusedError

MAX_PRIVATE_HOSTS = 64


def with_web(
    settings: Settings, search_url: str | None, private_hosts: tuple[str, ...] | None
) -> Settings:
    """The settings with what is given; None leaves it. Raises CommandRefusedError."""
    if search_url is not None:
        settings = replace(settings, search_url=search_server(search_url))
    if private_hosts is not None:
        settings = replace(settings, private_hosts=_hosts(private_hosts))
    return settings


def _hosts(wanted: tuple[str, ...]) -> tuple[str, ...]:
    hosts = tuple(dict.fromkeys(map(private_host, wanted)))
    if len(hosts) > MAX_PRIVATE_HOSTS:
        raise CommandRefusedError(
            f"More than {MAX_PRIVATE_HOSTS} private hosts can't be kept.",
            advice="Remove some that are not needed.",
        )
    return hosts
