"""The entry point: `ankita` and `python -m ankita`."""

from __future__ import annotations

import sys

from ankita import __version__


def main() -> int:
    """Run the command line; returns the exit code."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        # Answered before anything is imported: scripts ask this often.
        print(f"ankita {__version__}")
        return 0
    from ankita.cli.entry import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
