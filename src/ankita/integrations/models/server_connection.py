"""What every request to a model server has in common: client, key, network faults.

The key is asked for when a request is made, travels in that request's headers and is
kept nowhere. Errors made here carry no reference to the request that held it.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING

from ankita import __version__
from ankita.config import WireFormat
from ankita.errors import (
    ModelAuthenticationError,
    ModelError,
    ModelHungUpError,
    ModelUnreachableError,
    VaultError,
)
from ankita.integrations.models.server_address import ServerAddress

if TYPE_CHECKING:
    import httpx2

ANTHROPIC_VERSION = "2023-06-01"
"""The version of Anthropic's format that is spoken here."""

ApiKey = Callable[[], str | None] | str | None
"""A key, None for none, or what gives it for each request: in a worker thread, may raise
VaultError."""


def new_client(address: ServerAddress, *, connect_seconds: float) -> httpx2.AsyncClient:
    """A client for this one server: no redirects, and no proxy to this machine itself.

    Only connecting is limited here; the caller limits everything else.
    """
    import httpx2

    # Without TLS no certificates are needed; loading them takes 20 to 50 ms. This
    # context trusts nobody, so a mistake here could only refuse.
    verify = True if address.is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx2.AsyncClient(
        verify=verify,
        trust_env=not address.is_local,
        follow_redirects=False,
        timeout=httpx2.Timeout(None, connect=connect_seconds),
        headers={"User-Agent": f"ankita/{__version__}", "Accept-Encoding": "identity"},
    )


async def read_key(api_key: ApiKey, address: ServerAddress) -> str:
    """The key for one request, or "" for none. Raises ModelAuthenticationError."""
    try:
        given = await asyncio.to_thread(api_key) if callable(api_key) else api_key
        key = (given or "").strip()
    except VaultError as error:
        raise ModelAuthenticationError(
            f"The key for {address.host} could not be read: {error.message}", advice=error.advice
        ) from error
    if key and not address.may_carry_key:
        raise ModelAuthenticationError(
            f"The key was not sent: the connection to {address.host} is not encrypted.",
            advice="Use an address that begins with https://, or remove the key.",
        )
    if not (key.isascii() and key.isprintable()):
        raise ModelAuthenticationError(
            f"The key for {address.host} holds characters that no key has.",
            advice="Copy the key again and store it anew.",
        )
    return key


def key_headers(key: str, wire: WireFormat = WireFormat.OPENAI) -> dict[str, str]:
    """The headers that carry the key, and the version where the format has one."""
    if wire is WireFormat.ANTHROPIC:
        return {"anthropic-version": ANTHROPIC_VERSION} | ({"x-api-key": key} if key else {})
    return {"Authorization": f"Bearer {key}"} if key else {}


def network_error(error: Exception, address: ServerAddress) -> ModelError:
    """The error for a request that got no answer. Keeps nothing of `error`."""
    import httpx2

    if "CERTIFICATE" in str(error).upper():
        return ModelUnreachableError(
            f"No secure connection to {address.host}: its certificate is not trusted.",
            advice="Check the address, the clock of this machine, and any proxy in between.",
        )
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.InvalidURL):
        start = "Start the server" if address.is_private else "Check the network"
        return ModelUnreachableError(
            f"No model server answers at {address.host}.",
            advice=f"{start}, or check the address in Settings.",
        )
    return ModelHungUpError(
        f"{address.host} closed the connection without an answer.",
        advice="Check that the server still runs, then try again.",
    )


async def read_at_most(response: httpx2.Response, limit: int) -> bytes:
    """The first `limit` bytes of a body; the rest is not read."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) >= limit:
            break
    return bytes(body[:limit])
