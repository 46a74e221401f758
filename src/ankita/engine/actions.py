"""What a person can ask for by name: one list for terminal, help and the window's palette."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Flag, auto


class Surface(Flag):
    TERMINAL = auto()
    WINDOW = auto()
    EVERYWHERE = TERMINAL | WINDOW


@dataclass(frozen=True, slots=True)
class Action:
    """`name` is what is typed after the slash, `argument` how its argument is called, if any."""

    name: str
    title: str
    summary: str
    argument: str = ""
    surface: Surface = Surface.EVERYWHERE

    def usage(self) -> str:
        return f"/{self.name} {self.argument}".rstrip()


ACTIONS = (
    Action("help", "Help", "What can be done here", surface=Surface.TERMINAL),
    Action("commands", "Commands", "List all commands", surface=Surface.TERMINAL),
    Action("new", "New thread", "Start a new thread"),
    Action("threads", "Threads", "List the threads", surface=Surface.TERMINAL),
    Action("open", "Open thread", "Go on with a thread", "NUMBER", Surface.TERMINAL),
    Action("attach", "Attach a file", "Read a file and send it with the next message", "FILE"),
    Action("stop", "Stop", "Stop the reply that is being worked on"),
    Action("retry", "Try again", "Ask the model again after a failure"),
    Action("approvals", "Approvals", "List what waits for your answer"),
    Action("yes", "Allow once", "Answer the oldest question with yes, once", "", Surface.TERMINAL),
    Action("no", "Don't", "Answer the oldest question with no", "", Surface.TERMINAL),
    Action("why", "Why", "What was decided lately, and by which rule", "", Surface.TERMINAL),
    Action("model", "What answers", "Say which model answers", "", Surface.TERMINAL),
    Action("server", "Use a model server", "Let a server answer", "URL MODEL", Surface.TERMINAL),
    Action("builtin", "Use the built-in assistant", "Answer without a model", "", Surface.TERMINAL),
    Action("settings", "Settings", "Open the settings", surface=Surface.WINDOW),
    Action("quit", "Quit", "End Ankita"),
)


def actions_on(surface: Surface) -> tuple[Action, ...]:
    return tuple(action for action in ACTIONS if surface in action.surface)


def find_action(name: str, surface: Surface) -> Action | None:
    return next((a for a in actions_on(surface) if a.name == name.lower()), None)


def complete(prefix: str, surface: Surface) -> Sequence[str]:
    """The names that start with `prefix`, in alphabetical order."""
    return sorted(a.name for a in actions_on(surface) if a.name.startswith(prefix.lower()))


def suggest(name: str, surface: Surface) -> Sequence[str]:
    """Up to three names that a mistyped one may have meant, the best first."""
    names = [action.name for action in actions_on(surface)]
    return difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.6)
