"""Sends one web request to an address that was checked, within bounds of time and size.

The name is looked up here, every address found is checked, and the connection is made to
that very number; nothing looks the name up again, so an answer that changes in between
is never used. Each redirect goes through the same. No proxy of the environment is used:
it would look the name up itself, and what was checked would not be what is reached.
Nothing is remembered between two requests: no cookies, no connections.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from ankita import __version__
from ankita.errors import ToolError, ToolTimeoutError
from ankita.integrations.native.web_address import (
    WebAddress,
    check_connection,
    follow,
    is_granted,
    read_web_address,
)

if TYPE_CHECKING:
    import httpx2

MAX_REDIRECTS: Final = 5
MAX_TRIED_ADDRESSES: Final = 3
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_PACKED: Final = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Gives the IP addresses of a host name as text. Raises OSError."""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """`body_bytes` counts unpacked bytes. The times are in seconds."""

    body_bytes: int = 5_000_000
    total_seconds: float = 20.0
    answer_seconds: float = 10.0
    connect_seconds: float = 5.0


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer. `content_type` is in lower case without parameters, `charset` may be empty.

    `is_cut`: the body was longer than the limit and ends early.
    """

    address: WebAddress
    status: int
    content_type: str
    charset: str
    body: bytes
    is_cut: bool


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """Ask the system, off the loop."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@cache
def system_tls() -> ssl.SSLContext:
    """Trusts whom the system trusts; made once, which takes 20 to 50 ms."""
    import httpx2

    return httpx2.create_ssl_context()


class WebDoor:
    """The way of the web tools to the network. `granted` names hosts as the settings do."""

    def __init__(
        self,
        granted: Callable[[], Sequence[str]],
        *,
        limits: FetchLimits | None = None,
        resolve: Resolve = system_resolve,
        tls: Callable[[], ssl.SSLContext] = system_tls,
    ) -> None:
        self._granted = granted
        self._limits = limits or FetchLimits()
        self._resolve = resolve
        self._tls = tls

    async def get(self, url: str, *, accept: str = "*/*", follows: bool = True) -> Fetched:
        """Raises ToolError. An answer of any status but a redirect is given back."""
        address = read_web_address(url)
        async with _time_limit(self._limits.total_seconds, lambda: address):
            for _ in range(MAX_REDIRECTS + 1):
                answer = await self._once(address, "GET", {"Accept": accept}, None)
                if isinstance(answer, Fetched):
                    return answer
                if not follows:
                    raise ToolError(f"{address.place} answered with a redirect.")
                address = follow(address, answer)
        raise ToolError(f"{address.place} redirects more than {MAX_REDIRECTS} times.")

    async def post_form(self, url: str, fields: Mapping[str, str]) -> Fetched:
        """Send a form; redirects are not followed. Raises ToolError."""
        address = read_web_address(url)
        async with _time_limit(self._limits.total_seconds, lambda: address):
            answer = await self._once(address, "POST", {"Accept": "text/html"}, fields)
        if isinstance(answer, str):
            raise ToolError(f"{address.place} answered with a redirect.")
        return answer

    async def _once(
        self,
        address: WebAddress,
        method: str,
        headers: Mapping[str, str],
        form: Mapping[str, str] | None,
    ) -> Fetched | str:
        """The answer, or where it redirects to."""
        numbers = await self._checked_numbers(address)
        async with self._client(address) as client:
            async with _time_limit(self._limits.answer_seconds, lambda: address):
                response = await _connect(client, address, numbers, method, headers, form)
            try:
                if response.status_code in _REDIRECTS and "location" in response.headers:
                    return response.headers["location"]
                return await self._read(address, response)
            finally:
                await response.aclose()

    def _client(self, address: WebAddress) -> httpx2.AsyncClient:
        import httpx2

        # An unencrypted request needs no certificates; this context trusts nobody.
        is_encrypted = address.scheme == "https"
        return httpx2.AsyncClient(
            verify=self._tls() if is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            trust_env=False,
            follow_redirects=False,
            timeout=httpx2.Timeout(None, connect=self._limits.connect_seconds),
            headers={"User-Agent": f"ankita/{__version__}", "Accept-Encoding": "gzip, deflate"},
        )

    async def _checked_numbers(self, address: WebAddress) -> Sequence[str]:
        granted = is_granted(address, self._granted())
        if address.ip is not None:
            numbers: Sequence[str] = (address.host,)
        else:
            try:
                numbers = await self._resolve(address.host, address.port)
            except (OSError, UnicodeError):
                numbers = ()
        if not numbers:
            raise ToolError(f"No address was found for {address.host}.", advice="Check the name.")
        check_connection(address, numbers, granted=granted)
        return numbers[:MAX_TRIED_ADDRESSES]

    async def _read(self, address: WebAddress, response: httpx2.Response) -> Fetched:
        import httpx2

        packing = response.headers.get("content-encoding", "").lower()
        if not {part.strip() for part in packing.split(",")} <= _PACKED:
            raise ToolError(
                f"{address.place} sent its answer packed in a way it was not asked for."
            )
        body = bytearray()
        limit = self._limits.body_bytes
        try:
            # Unpacked in pieces, so that a few bytes cannot become gigabytes in one step.
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > limit:
                    break
        except httpx2.HTTPError as error:
            raise _network_error(error, address) from None
        kind, _, _ = response.headers.get("content-type", "").partition(";")
        return Fetched(
            address=address,
            status=response.status_code,
            content_type=kind.strip().lower(),
            charset=response.charset_encoding or "",
            body=bytes(body[:limit]),
            is_cut=len(body) > limit,
        )


async def _connect(
    client: httpx2.AsyncClient,
    address: WebAddress,
    numbers: Sequence[str],
    method: str,
    headers: Mapping[str, str],
    form: Mapping[str, str] | None,
) -> httpx2.Response:
    """Send to the first number that takes the connection."""
    import httpx2

    for number in numbers:
        request = client.build_request(
            method,
            _by_number(address, number),
            headers={**headers, "Host": address.place},
            data=form,
            # The certificate must be that of the name, not of the number.
            extensions={} if address.ip else {"sni_hostname": address.host},
        )
        try:
            return await client.send(request, stream=True)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            failure: httpx2.HTTPError = error
        except httpx2.HTTPError as error:
            raise _network_error(error, address) from None
    raise _network_error(failure, address) from None


def _by_number(address: WebAddress, number: str) -> str:
    host = f"[{number}]" if ":" in number else number
    return f"{address.scheme}://{host}:{address.port}{address.target}"


class _time_limit:  # noqa: N801 - used like asyncio.timeout
    """Turns the end of a time limit into a ToolTimeoutError that names the host of then."""

    def __init__(self, seconds: float, address: Callable[[], WebAddress]) -> None:
        self._seconds = seconds
        self._address = address
        self._limit = asyncio.timeout(seconds)

    async def __aenter__(self) -> None:
        await self._limit.__aenter__()

    async def __aexit__(self, *error: object) -> None:
        try:
            await self._limit.__aexit__(*error)  # type: ignore[arg-type]
        except TimeoutError:
            raise ToolTimeoutError(
                f"{self._address().place} did not answer within {self._seconds:g} seconds.",
                advice="Try again later or another page.",
            ) from None


def _network_error(error: Exception, address: WebAddress) -> ToolError:
    import httpx2

    if "CERTIFICATE" in str(error).upper():
        return ToolError(f"No secure connection to {address.place}: its certificate is not valid.")
    if isinstance(error, httpx2.DecodingError):
        return ToolError(f"{address.place} sent a damaged answer: it cannot be unpacked.")
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return ToolError(
            f"{address.place} could not be reached.",
            advice="Check the address and the network. Web tools use no proxy.",
        )
    return ToolError(f"{address.place} broke off its answer.", advice="Try again.")
