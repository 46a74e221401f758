"""Reads the command line and starts the desktop app, the terminal chat or the doctor."""

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

EXIT_OK, EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line; the exit code."""
    # The window opens without a parser: that is a part of its start that everyone waits for.
    wish = _parser().parse_args(arguments) if arguments else None
    try:
        return _carry_out(wish)
    except AnkitaError as error:
        print(f"ankita: {error.sentence()}", file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _carry_out(wish: argparse.Namespace | None) -> int:
    command = wish.command if wish else None
    if wish and command == "doctor":
        from ankita.cli.doctor import run_doctor

        return run_doctor(os.environ, as_json=wish.json)
    paths = ProfilePaths(profile_folder(os.environ))
    if wish and command == "chat":
        from ankita.cli.chat import run_chat

        return run_chat(paths, wish.message)
    from ankita.app import run_desktop

    return run_desktop(paths)


def _parser() -> argparse.ArgumentParser:
    import argparse

    parser = argparse.ArgumentParser(
        prog="ankita",
        description="A companion on your own computer. Without a command, opens the window.",
        epilog=f"All data lives in one profile folder; {HOME_VARIABLE} names another one.",
    )
    parser.add_argument("-V", "--version", action="version", version=f"ankita {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    chat = commands.add_parser(
        "chat",
        help="the same engine in the terminal",
        description="The same engine in the terminal. Text from a pipe is sent line by line.",
        epilog="In a pipe, and with -m, each question is answered with no. Exit codes then: 0 done,"
        " 1 a reply failed, 3 something was not done because nobody could allow it, 130 stopped.",
    )
    chat.add_argument("-m", "--message", metavar="TEXT", help="send one message, then end")
    doctor = commands.add_parser(
        "doctor",
        help="look at this machine and the profile, and say what works",
        description="Looks and changes nothing. Exit code 0: Ankita can be talked to here.",
    )
    doctor.add_argument("--json", action="store_true", help="an array of findings")
    return parser
