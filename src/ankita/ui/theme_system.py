"""What the user told the system about text size, motion and contrast."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

_SPI_GETCLIENTAREAANIMATION = 0x1042

NOMINAL_POINTS = {"win32": 9.0, "darwin": 13.0}
"""The interface font at 100 % text size; desktops on Linux use 9 to 11."""

LINUX_NOMINAL_POINTS = 11.0
LARGEST_SYSTEM_FACTOR = 3.0


@dataclass(frozen=True, slots=True)
class SystemWishes:
    """The system's settings. `text_factor` is 1 for its usual text size."""

    is_dark: bool = True
    text_factor: float = 1.0
    less_motion: bool = False
    more_contrast: bool = False


def read_wishes(app: QGuiApplication, system_points: float) -> SystemWishes:
    """Ask the system now. `system_points` is the size of its own interface font."""
    return SystemWishes(
        is_dark=app.styleHints().colorScheme() != Qt.ColorScheme.Light,
        text_factor=text_factor(system_points),
        less_motion=wants_less_motion(),
        more_contrast=wants_more_contrast(app),
    )


def text_factor(default_points: float, platform: str = sys.platform) -> float:
    """How much larger than usual the system's interface font is, from 1 to 3."""
    nominal = NOMINAL_POINTS.get(platform, LINUX_NOMINAL_POINTS)
    return min(max(default_points / nominal, 1.0), LARGEST_SYSTEM_FACTOR)


def wants_more_contrast(app: QGuiApplication) -> bool:
    """True when the system asks for high contrast; False where Qt can't tell (before 6.10)."""
    accessibility = getattr(app.styleHints(), "accessibility", None)
    if accessibility is None:
        return False
    preference: Qt.ContrastPreference = accessibility().contrastPreference()
    return preference == Qt.ContrastPreference.HighContrast


def wants_less_motion() -> bool:
    """True when animations are switched off in the system's settings."""
    if sys.platform == "win32":
        return _windows_animations_are_off()
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return gtk_animations_are_off(config) or kde_animations_are_off(config)


def gtk_animations_are_off(config: Path) -> bool:
    """Read `gtk-enable-animations` from the GTK 4 or GTK 3 settings file."""
    for folder in ("gtk-4.0", "gtk-3.0"):
        value = _ini_value(config / folder / "settings.ini", "Settings", "gtk-enable-animations")
        if value is not None:
            return value.lower() in {"0", "false"}
    return False


def kde_animations_are_off(config: Path) -> bool:
    """Read `AnimationDurationFactor` from Plasma's settings; 0 means no animation."""
    value = _ini_value(config / "kdeglobals", "KDE", "AnimationDurationFactor")
    try:
        return value is not None and float(value) == 0.0
    except ValueError:
        return False


def _ini_value(file: Path, section: str, key: str) -> str | None:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    return parser.get(section, key, fallback=None)


def _windows_animations_are_off() -> bool:
    if sys.platform != "win32":  # narrows the type of ctypes for checkers on Linux
        return False
    import ctypes

    enabled = ctypes.c_int(1)
    known = ctypes.windll.user32.SystemParametersInfoW(
        _SPI_GETCLIENTAREAANIMATION, 0, ctypes.byref(enabled), 0
    )
    return bool(known) and not enabled.value
