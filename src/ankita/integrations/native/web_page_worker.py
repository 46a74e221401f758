"""The child process that turns one web page into Markdown within its bounds.

Run as `python -m ankita.integrations.native.web_page_worker`: a line of JSON and the
page's bytes on stdin, one JSON object on stdout.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import Any

from ankita.integrations.documents.encodings import NotTextError
from ankita.integrations.documents.limits import DocumentLimits
from ankita.integrations.documents.process_bounds import confine_this_process
from ankita.integrations.native.web_markdown import MAX_CHARACTERS, read_page


def main() -> int:
    """Exit code 0: stdout holds a page or a plain reason."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between
    header, _, body = sys.stdin.buffer.read().partition(b"\n")
    request = json.loads(header)
    confine_this_process(
        DocumentLimits(seconds=request["seconds"], memory_bytes=request["memory_bytes"])
    )
    replies.write(json.dumps(_outcome(request, body)).encode("ascii"))
    replies.flush()
    return 0


def _outcome(request: dict[str, Any], body: bytes) -> dict[str, Any]:
    try:
        page = read_page(body, request["charset"], request["url"], whole=request["whole"])
    except NotTextError:
        return {"problem": "it is not text"}
    except MemoryError:
        return {"problem": "it takes too much memory"}
    return {**asdict(page), "text": page.text[:MAX_CHARACTERS], "title": page.title[:1_000]}


if __name__ == "__main__":
    sys.exit(main())
