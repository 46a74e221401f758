"""Asks a model server about itself: one small question, one bounded answer, no redirects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ankita.integrations.models.server_words import parse_body
from ankita.messages import Json

if TYPE_CHECKING:
    import httpx2

MAX_ANSWER_BYTES = 4 * 1024 * 1024
"""The largest answer that is read; the longest known list of models is below 1 MB."""


@dataclass(frozen=True, slots=True)
class Answer:
    """`body` is parsed JSON, or the text where it is none. Header names are in lower case."""

    status: int
    body: Json = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_good(self) -> bool:
        return self.status == 200


async def question(
    client: httpx2.AsyncClient,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    post: bytes | None = None,
    limit: int = MAX_ANSWER_BYTES,
) -> Answer:
    """GET the address, or POST `post` as JSON. Raises httpx2.HTTPError.

    An answer longer than `limit` bytes, or a packed one, has no body: no model server
    that was asked for plain bytes sends such things.
    """
    sent = dict(headers or {})
    if post is not None:
        sent["Content-Type"] = "application/json"
    method = "GET" if post is None else "POST"
    async with client.stream(method, url, headers=sent, content=post) as response:
        raw = await _raw_body(response, limit)
        names = {name.lower(): value for name, value in response.headers.items()}
        body = None if raw is None else parse_body(raw.decode("utf-8", "replace"))
        return Answer(response.status_code, body, names)


async def _raw_body(response: httpx2.Response, limit: int) -> bytes | None:
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        return None
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > limit:
            return None
    return bytes(body)
