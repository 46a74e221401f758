"""The engine's figures, each once."""

from __future__ import annotations

MAX_TOOL_STEPS = 100
"""Rounds of tool calls in one turn (ENG-1)."""

FLUSH_SECONDS = 0.033
"""Streamed text is collected this long before it is stored and shown."""

MAX_RESULT_CHARACTERS = 65_536
"""What a model reads of one result; the middle is cut and said."""

MAX_CALLS_A_STEP = 64
"""Calls beyond this in one step get an error as their result."""

MAX_CALLS_KEPT = 256
"""Calls beyond this in one step are not even kept; that is said in the thread."""

MAX_ARGUMENT_DEPTH = 32
"""Deeper arguments are not run: nobody could read them on a card."""

MAX_ATTACHMENTS = 8
"""Files in one message."""

TITLE_CHARACTERS = 60
MAX_TEAMMATES = 4
"""As many as the island shows (ENG-8)."""

SAME_RESULTS = 3
"""The call that gives the same result for this many times ends the turn (ENG-11)."""

MAX_PINS = 12
MAX_PINNED_CHARACTERS = 4_000
"""Of one thread. Pins are in every request, whatever the model's window."""

MAX_CONTEXT_TRIES = 8
"""How often a request is made smaller for a model that finds it too long."""

MAX_QUEUED = 20
"""Messages that wait to go into one thread."""

STOP_SECONDS = 5.0
"""How long Stop and closing wait for what a turn does to end."""
