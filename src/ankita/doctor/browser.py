"""Looks for a Chromium or Chrome to work with."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from ankita.doctor.finding import Finding, State, Subject

_COMMANDS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "msedge",
)
_MAC_APPS = (
    "/Applications/Google Chrome.app",
    "/Applications/Chromium.app",
    "/Applications/Microsoft Edge.app",
)
_WINDOWS_BASES = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
_WINDOWS_PROGRAMS = (
    ("Google", "Chrome", "Application", "chrome.exe"),
    ("Chromium", "Application", "chrome.exe"),
    ("Microsoft", "Edge", "Application", "msedge.exe"),
)


def check_browser(subject: Subject) -> Finding:
    search_path = subject.environ.get("PATH", "")
    found = find_browser(
        subject.environ, subject.platform, lambda name: shutil.which(name, path=search_path)
    )
    if found:
        return Finding("browser", State.OK, found)
    return Finding(
        "browser",
        State.WARN,
        "No Chromium or Chrome was found.",
        "Install one for work in web pages; everything else goes without.",
    )


def find_browser(
    environ: Mapping[str, str], platform: str, which: Callable[[str], str | None]
) -> str | None:
    """Where the first known browser is; `which` looks a command up."""
    places = _known_places(environ, platform)
    commands = (which(name) for name in _COMMANDS)
    there = (str(place) for place in places if place.exists())
    return next((found for found in (*commands, *there) if found), None)


def _known_places(environ: Mapping[str, str], platform: str) -> list[Path]:
    if platform == "darwin":
        return [Path(app) for app in _MAC_APPS]
    if platform != "win32":
        return []
    bases = [environ[name] for name in _WINDOWS_BASES if environ.get(name)]
    return [Path(base, *parts) for parts in _WINDOWS_PROGRAMS for base in bases]
