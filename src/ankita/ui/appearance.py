"""Dresses the application as the settings say, and again when they or the system change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ankita.config import Motion, Settings
from ankita.ui.theme import LiveTheme, Theme, ThemeMode

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from ankita.engine import SettingsChanged
    from ankita.ui.bridge import EngineBridge

_REDUCED = {Motion.SYSTEM: None, Motion.FULL: False, Motion.REDUCED: True}


def theme_of(settings: Settings) -> Theme:
    """The settings as the theme takes them."""
    return Theme(
        mode=ThemeMode(settings.theme.value),
        text_scale=settings.text_scale,
        reduced_motion=_REDUCED[settings.motion],
    )


def follow_settings(application: QApplication, bridge: EngineBridge) -> LiveTheme:
    """Apply the settings now and on every change; the result lives with the application."""
    # Not above: the theme of the first frame needs no engine.
    from ankita.engine import SettingsChanged

    live = LiveTheme(application, theme_of(bridge.state.settings))

    def changed(event: SettingsChanged) -> None:
        live.set_theme(theme_of(event.settings))

    bridge.listen(SettingsChanged, changed)
    return live
