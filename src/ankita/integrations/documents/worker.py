"""The child process: reads one document within its bounds and writes JSON lines.

Run as `python -m ankita.integrations.documents.worker`, with the request on stdin.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

from ankita.errors import DocumentError
from ankita.integrations.documents import wire
from ankita.integrations.documents.extracted import Progress
from ankita.integrations.documents.intake import memory_problem
from ankita.integrations.documents.limits import DocumentLimits
from ankita.integrations.documents.process_bounds import confine_this_process
from ankita.integrations.documents.reading import read_document


def main() -> int:
    """Exit code 0: the last line is a result or a plain reason."""
    replies = _claim_stdout()
    path, limits = wire.decode_request(sys.stdin.buffer.read())
    confine_this_process(limits)

    def send(reply: wire.Reply) -> None:
        replies.write(wire.encode_reply(reply))
        replies.flush()

    send(_outcome(path, limits, lambda done, total: send((done, total))))
    return 0


def _outcome(path: Path, limits: DocumentLimits, progress: Progress) -> wire.Reply:
    try:
        return read_document(path, limits, progress)
    except DocumentError as error:
        return error
    except MemoryError:
        pass  # what the reader held is free only after this block
    return memory_problem(path, limits)


def _claim_stdout() -> BinaryIO:
    """Keep the pipe for replies; whatever a library prints goes to stderr."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return replies


if __name__ == "__main__":
    sys.exit(main())
