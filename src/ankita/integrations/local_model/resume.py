"""Decides how a download goes on: what to ask for and what the answer means. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,19})-[0-9]{1,19}/([0-9]{1,19}|\*)")


class OtherFileError(ValueError):
    """The answer is about a file of another size than the one that was agreed to."""


def range_headers(have: int, etag: str) -> dict[str, str]:
    """What to send to get everything after the first `have` bytes of the file marked `etag`."""
    if not have:
        return {}
    headers = {"Range": f"bytes={have}-"}
    # A weak mark may not be used to put two halves together.
    if etag and not etag.startswith("W/"):
        headers["If-Range"] = etag
    return headers


def body_start(
    status: int, headers: Mapping[str, str], *, have: int, size: int, etag: str
) -> int | None:
    """Where in the file the body of an answer with status 200, 206 or 416 begins.

    0 or `have`; None means that it is of no use and the file must be asked for anew.
    `headers` has lower-case names. Raises OtherFileError.
    """
    if status == 200:
        length = headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) != size:
            raise OtherFileError(f"{length} bytes instead of {size}")
        return 0
    found = _CONTENT_RANGE.fullmatch(headers.get("content-range", ""))
    new_etag = headers.get("etag", etag)
    if status != 206 or found is None or (etag and new_etag != etag):
        return None
    start, total = found.groups()
    return have if int(start) == have and total in ("*", str(size)) else None
