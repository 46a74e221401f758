"""Requests to the model hub: encrypted on every hop, and with nothing of the user in them."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from ankita import __version__
from ankita.errors import (
    CommandRefusedError,
    ModelError,
    ModelProtocolError,
    ModelRateLimitError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnavailableError,
    ModelUnreachableError,
)
from ankita.integrations.models.server_address import ServerAddress, read_address

if TYPE_CHECKING:
    import httpx2

PUBLIC_HUB: Final = "https://huggingface.co"
CONNECT_SECONDS: Final = 15.0
MAX_HOPS: Final = 5

_MOVED: Final = frozenset({301, 302, 303, 307, 308})


def hub_host(base: str) -> str:
    """The host that the user is told ("huggingface.co"). Raises CommandRefusedError."""
    return read_address(base).host


@asynccontextmanager
async def hub_client(base: str, *, silence_seconds: float) -> AsyncIterator[httpx2.AsyncClient]:
    """A client for the hub at `base`; every wait for bytes is at most `silence_seconds`."""
    import httpx2

    address = read_address(base)
    # A hub on this machine (tests) has no TLS; this context trusts nobody.
    verify = True if address.is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    async with httpx2.AsyncClient(
        verify=verify,
        trust_env=not address.is_local,
        follow_redirects=False,
        timeout=httpx2.Timeout(silence_seconds, connect=CONNECT_SECONDS),
        headers={"User-Agent": f"ankita/{__version__}", "Accept-Encoding": "identity"},
    ) as client:
        yield client


@asynccontextmanager
async def open_url(
    client: httpx2.AsyncClient, url: str, base: str, headers: Mapping[str, str] | None = None
) -> AsyncIterator[httpx2.Response]:
    """GET `url` through its redirects, body not yet read. Raises ModelError.

    Whatever httpx2 raises while the body is read becomes a ModelError too.
    """
    import httpx2

    is_local_hub = read_address(base).is_local
    failure: ModelError
    try:
        for _ in range(MAX_HOPS + 1):
            check_hop(url, is_local_hub=is_local_hub)
            async with client.stream("GET", url, headers=headers) as response:
                if response.status_code not in _MOVED:
                    yield response
                    return
                url = urljoin(url, response.headers.get("location", ""))
        raise ModelProtocolError(
            f"{hub_host(base)} sends the request in circles.", advice="Try again later."
        )
    except httpx2.TimeoutException:
        failure = ModelTimeoutError(
            f"{hub_host(base)} did not answer in time.",
            advice="Check the network, then try again.",
        )
    except (httpx2.HTTPError, httpx2.InvalidURL):
        failure = ModelUnreachableError(
            f"The connection to {hub_host(base)} failed.",
            advice="Check the network, then try again.",
        )
    raise failure


def check_hop(url: str, *, is_local_hub: bool) -> None:
    """Raises ModelProtocolError for a place that is not encrypted, or on this machine.

    Only a hub on this machine may lead to this machine.
    """
    address = _hop_address(url)
    is_fine = address is not None and (
        (is_local_hub and address.is_local) or (address.is_encrypted and not address.is_private)
    )
    if not is_fine:
        raise ModelProtocolError(
            "The model hub led to a place that Ankita does not load files from.",
            advice="Try again later. Nothing was fetched from there.",
        )


def _hop_address(url: str) -> ServerAddress | None:
    try:
        return read_address(url.partition("?")[0])
    except CommandRefusedError:
        return None


def refusal(status: int, base: str) -> ModelError:
    """The error for an answer of the hub that is no success."""
    host = hub_host(base)
    if status == 429:
        return ModelRateLimitError(
            f"{host} was asked too often.", advice="Wait some minutes, then try again."
        )
    if status >= 500:
        return ModelUnavailableError(
            f"{host} cannot serve the request now.", advice="Try again later."
        )
    return ModelRefusedError(
        f"{host} refused the request (status {status}).",
        advice="The model may have been moved or needs an account. Choose another one.",
    )
