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
    """`name` is what is typed after the slash, `argument` how its argument is called, if any.

    `while_working`: it may be asked for while a reply is being worked on.
    """

    name: str
    title: str
    summary: str
    argument: str = ""
    surface: Surface = Surface.EVERYWHERE
    while_working: bool = False

    def usage(self) -> str:
        return f"/{self.name} {self.argument}".rstrip()


_TERMINAL = Surface.TERMINAL

ACTIONS = (
    Action("help", "Help", "What can be done here", "[COMMAND]", _TERMINAL, True),
    Action("commands", "Commands", "List all commands", "", _TERMINAL, True),
    Action("new", "New thread", "Start a new thread"),
    Action("threads", "Threads", "List the threads", "", _TERMINAL, True),
    Action("open", "Open thread", "Go on with a thread", "NUMBER", _TERMINAL),
    Action("attach", "Attach a file", "Read a file and send it with the next message", "FILE"),
    Action("stop", "Stop", "Stop the reply that is being worked on", while_working=True),
    Action("retry", "Try again", "Ask the model again after a failure"),
    Action("queue", "Queue", "What waits to go into this thread", "", _TERMINAL, True),
    Action("unqueue", "Take back", "Take a waiting message back", "NUMBER", _TERMINAL, True),
    Action("plan", "Plan", "The steps of this thread's plan", "", _TERMINAL, True),
    Action("pin", "Pin", "Keep a message in every request, or no longer", "NUMBER", _TERMINAL),
    Action("pins", "Pins", "List the messages with their numbers and pins", "", _TERMINAL, True),
    Action("approvals", "Approvals", "List what waits for your answer", while_working=True),
    Action("yes", "Allow once", "Answer the oldest question with yes, once", "", _TERMINAL),
    Action("no", "Don't", "Answer the oldest question with no", "", _TERMINAL),
    Action("later", "Not now", "Put the oldest question off; it stays listed", "", _TERMINAL),
    Action("why", "Why", "What was decided lately, and by which rule", "", _TERMINAL, True),
    Action("teammates", "Teammates", "List the teammates and what they do", "", _TERMINAL, True),
    Action("as", "Talk to a teammate", "Talk to another teammate", "NAME", _TERMINAL),
    Action("model", "What answers", "Say which model answers", "", _TERMINAL, True),
    Action("servers", "Look for model servers", "Look for model servers on this machine"),
    Action("use", "Use an offer", "Let a server that was found answer", "N [MODEL]", _TERMINAL),
    Action("decline", "Decline an offer", "Never offer that server again", "N", _TERMINAL),
    Action("server", "Use a model server", "Let a server answer", "URL [MODEL]", _TERMINAL),
    Action("key", "Give a key", "Store the model server's key, typed unseen", "", _TERMINAL),
    Action("passphrase", "Give the passphrase", "Open the file with your keys", "", _TERMINAL),
    Action("try", "Try the model", "See again how the model can act", "", _TERMINAL),
    Action("builtin", "Use the built-in assistant", "Answer without a model"),
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
