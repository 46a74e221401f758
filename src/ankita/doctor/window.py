"""Checks that Qt can show windows here, in a child process: where it can't, it aborts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping

from ankita.doctor.display import has_display
from ankita.doctor.finding import Finding, State, Subject

PROBE = (sys.executable, "-P", "-B", "-X", "utf8", "-m", "ankita.ui.platform_probe")
PROBE_SECONDS = 20.0
TERMINAL_WORKS = "“ankita chat” in a terminal works without a window."

_UNSEEN = frozenset({"offscreen", "minimal", "vnc"})
"""Platforms that draw where nobody looks."""

_PACKAGE = re.compile(r"(\S+) (?:or \S+ )?is needed to load the Qt")
_LIBRARY = re.compile(r"(lib[\w+.-]+\.so[\w.]*): cannot open shared object file")
_NO_PLUGIN = re.compile(r"Could not find the Qt platform plugin \"([^\"]*)\"")
_NOT_REACHED = ("could not connect to display", "Failed to create wl_display")


def check_window(subject: Subject) -> Finding:
    """Make a Qt application in a child and let it go again."""
    if not has_display(subject.environ, subject.platform):
        return Finding("window", State.WARN, "There is no display here.", TERMINAL_WORKS)
    environ = {**subject.environ, "QT_DEBUG_PLUGINS": "1", "QT_FATAL_WARNINGS": "0"}
    try:
        child = subprocess.run(
            PROBE,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=PROBE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Finding("window", State.WARN, "Qt did not start in time here.", TERMINAL_WORKS)
    return judge_probe(child.returncode, child.stdout, child.stderr, subject.environ)


def judge_probe(code: int, output: str, errors: str, environ: Mapping[str, str]) -> Finding:
    """What the child's end means."""
    if code == 0:
        return _judge_platform(json.loads(output.splitlines()[-1]))
    reason, advice = why_not(errors, environ)
    return Finding(
        "window", State.WARN, f"Windows can't be shown: {reason}.", f"{advice} {TERMINAL_WORKS}"
    )


def _judge_platform(probe: dict[str, str]) -> Finding:
    platform = probe["platform"]
    words = f"Qt {probe['qt']} shows windows here ({platform})."
    if platform in _UNSEEN:
        words = f"Qt {probe['qt']} draws on “{platform}”, where nobody sees it."
        return Finding("window", State.WARN, words, "Remove QT_QPA_PLATFORM to see the windows.")
    return Finding("window", State.OK, words)


def why_not(errors: str, environ: Mapping[str, str]) -> tuple[str, str]:
    """A reason and what to do about it, read from what Qt and the loader print."""
    # First: Qt names a library in this case too, whether it is there or not.
    if any(words in errors for words in _NOT_REACHED):
        return "the display can't be reached", "Check DISPLAY or WAYLAND_DISPLAY."
    if package := _PACKAGE.search(errors):
        return f"the library {package[1]} is missing", "Install it with the system's packages."
    if library := _LIBRARY.search(errors):
        return f"the library {library[1]} is missing", "Install it with the system's packages."
    if "No module named" in errors:
        return "PySide6 is not installed whole", "Install Ankita again."
    for name in ("QT_QPA_PLATFORM", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH"):
        if environ.get(name):
            return f"no Qt platform plugin can be loaded with {name} as it is set", f"Unset {name}."
    if plugin := _NO_PLUGIN.search(errors):
        return f"the Qt platform plugin “{plugin[1]}” is missing", "Install PySide6 again."
    return "no Qt platform plugin can be loaded", "Install PySide6 again."
