"""Reads the command line and starts the desktop app or the terminal chat."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ankita import __version__
from ankita.errors import AnkitaError
from ankita.paths import HOME_VARIABLE, ProfilePaths, profile_folder

if TYPE_CHECKING:
    import argparse

EXIT_OK, EXIT_FAILED, EXIT_USAGE = 0, 1, 2


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line; the exit code."""
    # The window opens without a parser: that is a part of its start that everyone waits for.
    command = _parser().parse_args(arguments).command if arguments else None
    try:
        paths = ProfilePaths(profile_folder(os.environ))
        if command == "chat":
            from ankita.cli.chat import run_chat

            return run_chat(paths)
        from ankita.app import run_desktop

        return run_desktop(paths)
    except AnkitaError as error:
        print(f"ankita: {error.sentence()}", file=sys.stderr)
        return EXIT_FAILED


def _parser() -> argparse.ArgumentParser:
    import argparse

    parser = argparse.ArgumentParser(
        prog="ankita",
        description="A companion on your own computer. Without a command, opens the window.",
        epilog=f"All data lives in one profile folder; {HOME_VARIABLE} names another one.",
    )
    parser.add_argument("-V", "--version", action="version", version=f"ankita {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("chat", help="the same engine in the terminal")
    return parser
