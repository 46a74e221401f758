"""Says in plain words why the system refused to read or write a file."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from ankita.errors import ToolError


@contextmanager
def plain_errors(shown: str, done: str) -> Iterator[None]:
    """Turn every OSError inside into a ToolError."""
    try:
        yield
    except OSError as error:
        raise plain_error(error, shown, done) from error


def plain_error(error: OSError, shown: str, done: str) -> ToolError:
    """The ToolError for an OSError; `done` completes "could not be …"."""
    could_not = f"{shown} could not be {done}"
    match error.errno:
        case errno.ENOENT:
            return ToolError(
                f"There is no {shown}.", advice="Use find_files or list_folder to look for it."
            )
        case errno.EACCES | errno.EPERM:
            return ToolError(f"{could_not}: the system does not permit it.")
        case errno.EROFS:
            return ToolError(f"{could_not}: the disk is read-only.")
        case errno.ENOSPC | errno.EDQUOT:
            return ToolError(
                f"{could_not}: the disk is full. It was not changed.",
                advice="Ask the user to free some space.",
            )
        case errno.ENOTDIR:
            return ToolError(f"{could_not}: a part of the path is a file, not a folder.")
        case errno.ENAMETOOLONG:
            return ToolError(f"{could_not}: the name is too long.")
        case _:
            return ToolError(f"{could_not}: {error.strerror or 'the system gave no reason'}.")
