"""What the built-in assistant says: it quotes and reports, and claims nothing itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ankita.integrations.models.builtin_markdown import code, fenced
from ankita.integrations.models.builtin_slash import help_overview
from ankita.integrations.models.builtin_thread import PastCall, failure_word
from ankita.messages import JsonObject, ToolCall, ToolSpec

MAX_SUGGESTIONS = 3
MAX_ARGUMENT_LENGTH = 80
UNCERTAIN_START = "Error: tool outcome is uncertain"

DID_NOTHING = "I am the built-in assistant without a language model. I did nothing."
ADD_A_MODEL = "Add a model in Settings to ask in your own words."
HELLO = (
    "Hello. I am the built-in assistant, a set of rules and not a language model. "
    "Say “help” to see what I understand."
)
THANKS = "You are welcome."
IDENTITY = (
    "I am the built-in assistant: fixed rules on this computer, not a language model. I know no "
    f"facts. I use the tools you name and quote what they return. {ADD_A_MODEL}"
)
NEVER_MIND = "All right. I did nothing."
NO_REMINDERS = (
    "I cannot remind you at a time. I can keep a note in this thread: "
    "say “remember that …”. I did nothing."
)
NO_CALL_YET = "I have used no tool in this thread."
NO_TEXT_YET = (
    "I do not know which text you mean. Attach a file, or say “read” and its name. I did nothing."
)
CANNOT_SUM_UP = "I cannot write a summary."

EXAMPLES: tuple[tuple[str, str], ...] = (
    ("read_file", "read notes.txt"),
    ("read_file", "what is in notes.txt?"),
    ("list_folder", "list folder docs"),
    ("list_folder", "what files are in docs?"),
    ("find_files", "find files named *.pdf"),
    ("find_files", "find all pdf files"),
    ("search_files", 'search for "rent" in docs'),
    ("run_command", "run `git status`"),
    ("remember_note", "remember that the lease ends in May"),
    ("list_notes", "what do you remember?"),
    ("write_file", 'write "hello" to notes.txt'),
    ("edit_file", 'replace "old" with "new" in notes.txt'),
)
"""Sentences that are understood, each with the tool it needs."""
ATTACHMENT_EXAMPLES = ("read it", "what does it say about …?", "show page 2")


def did_nothing(suggestions: Sequence[str]) -> str:
    """The answer to everything that was not understood."""
    lines = [DID_NOTHING]
    if suggestions:
        lines += ["", "Did you mean:", *(f"- {code(one)}" for one in suggestions)]
    return "\n".join([*lines, "", ADD_A_MODEL])


def help_text(tools: Mapping[str, ToolSpec]) -> str:
    """What can be said, for the tools that are there."""
    said = [f"- {example}" for tool, example in EXAMPLES if tool in tools]
    attached = [f"- {example}" for example in ATTACHMENT_EXAMPLES]
    return "\n".join(
        [
            "I am the built-in assistant, without a language model. I understand whole sentences "
            "like these:",
            "",
            *said,
            "",
            "About an attached file:",
            "",
            *attached,
            "",
            "And commands:",
            "",
            help_overview(tools),
            "",
            ADD_A_MODEL,
        ]
    )


def understood(tool: ToolSpec, arguments: JsonObject) -> str:
    """What a changing call will be, said before it is asked for."""
    return f"I understood: {call_words(tool.name, arguments)}\n\n"


def call_words(name: str, arguments: JsonObject) -> str:
    """A call in one line: the tool and its arguments."""
    shown = [
        f"{code(key)} {code(_value(value), MAX_ARGUMENT_LENGTH)}"
        for key, value in arguments.items()
    ]
    return f"{code(name)}" + (f" with {', '.join(shown)}" if shown else "")


def results(past: Sequence[PastCall]) -> str:
    """The results that have just come back, each quoted as it is."""
    return "\n\n".join(_result(one.call, one.result or "") for one in past)


def last_act(past: PastCall | None) -> str:
    """What the thread records of the newest call. Nothing is added to it."""
    if past is None:
        return NO_CALL_YET
    words = f"The last call in this thread was {call_words(past.call.name, past.call.arguments)}."
    if past.result is None:
        return f"{words} No result is recorded."
    return f"{words}\n\n{_result(past.call, past.result)}"


def _result(call: ToolCall, text: str) -> str:
    name = _subject(call)
    word = failure_word(text)
    if text.lstrip().startswith(UNCERTAIN_START):
        lead = f"It is not known whether {name} took effect. It was not tried again."
    elif word == "Denied":
        lead = f"{name} was not allowed."
    elif word == "Stopped":
        lead = f"{name} was stopped."
    elif word == "Error":
        lead = f"{name} did not succeed."
    elif not text.strip():
        return f"{name} returned no text."
    else:
        lead = f"{name} returned:"
    return f"{lead}\n\n{fenced(text)}"


def _subject(call: ToolCall) -> str:
    """The tool and the one argument that tells its calls apart."""
    name = code(call.name) if call.name else "The tool"
    for key in ("path", "command", "pattern"):
        value = call.arguments.get(key)
        if isinstance(value, str) and value:
            return f"{name} for {code(value, MAX_ARGUMENT_LENGTH)}"
    return name


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
