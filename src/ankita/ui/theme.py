"""The look of the whole application: mode, text size and motion, applied and kept current."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from ankita.ui.theme_palette import DARK, LIGHT, Palette, contrast, with_more_contrast
from ankita.ui.theme_qss import stylesheet
from ankita.ui.theme_system import SystemWishes, read_wishes

__all__ = [
    "DARK",
    "LIGHT",
    "Appearance",
    "LiveTheme",
    "Palette",
    "SystemWishes",
    "Theme",
    "ThemeMode",
    "appearance_now",
    "apply",
    "contrast",
    "mono_font",
    "resolve",
    "stylesheet",
]

SystemReader = Callable[[QGuiApplication, float], SystemWishes]

BODY_POINTS = 10.5
"""14 px at 96 dots an inch."""

SMALLEST_SCALE = 0.75
LARGEST_SCALE = 3.0

_PREFERRED_FAMILY = "Inter"
_MONO_FAMILIES = ("DejaVu Sans Mono", "Cascadia Mono", "Consolas", "Menlo", "Noto Sans Mono")
_APPEARANCE_PROPERTY = "ankitaAppearance"
_SYSTEM_FONT_PROPERTY = "ankitaSystemPoints"


class ThemeMode(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Theme:
    """What the user chose. `text_scale` multiplies the system's own text size.

    `reduced_motion` None means: as the system says.
    """

    mode: ThemeMode = ThemeMode.SYSTEM
    text_scale: float = 1.0
    reduced_motion: bool | None = None


@dataclass(frozen=True, slots=True)
class Appearance:
    """What is on screen now, with every "as the system says" answered."""

    palette: Palette
    scale: float
    reduced_motion: bool

    def points(self, size: float) -> float:
        """A type size of the design (in points at 100 %) at the present text size."""
        return round(size * self.scale, 2)

    def space(self, pixels: int) -> int:
        """A distance of the design; it grows half as fast as the text does."""
        return round(pixels * (1 + (self.scale - 1) / 2))


DEFAULT_APPEARANCE = Appearance(palette=DARK, scale=1.0, reduced_motion=False)


def resolve(theme: Theme, system: SystemWishes) -> Appearance:
    """Settle a theme against what the system says. Pure."""
    dark = system.is_dark if theme.mode is ThemeMode.SYSTEM else theme.mode is ThemeMode.DARK
    palette = DARK if dark else LIGHT
    wanted = theme.text_scale * system.text_factor
    less_motion = system.less_motion if theme.reduced_motion is None else theme.reduced_motion
    return Appearance(
        palette=with_more_contrast(palette) if system.more_contrast else palette,
        scale=min(max(wanted, SMALLEST_SCALE), LARGEST_SCALE),
        reduced_motion=less_motion,
    )


def apply(app: QApplication, theme: Theme, read_system: SystemReader = read_wishes) -> Appearance:
    """Dress the application and return what came out. Cheap when nothing changed."""
    system_points = _system_points(app)
    _set_scheme(app, theme.mode)
    appearance = resolve(theme, read_system(app, system_points))
    if app.property(_APPEARANCE_PROPERTY) == appearance:
        return appearance
    app.setProperty(_APPEARANCE_PROPERTY, appearance)
    app.setStyle("Fusion")
    app.setFont(body_font(appearance.scale))
    app.setPalette(qt_palette(appearance.palette))
    app.setStyleSheet(stylesheet(appearance.palette, appearance.scale))
    return appearance


def appearance_now() -> Appearance:
    """What `apply` set last, for widgets that paint themselves (as with QApplication.palette).

    They hear of a change through `changeEvent` with `StyleChange`.
    """
    app = QApplication.instance()
    found = app.property(_APPEARANCE_PROPERTY) if app is not None else None
    return found if isinstance(found, Appearance) else DEFAULT_APPEARANCE


class LiveTheme(QObject):
    """Keeps the application dressed while the user and the system change their minds."""

    changed = Signal(object)
    """The new Appearance."""

    def __init__(
        self,
        app: QApplication,
        theme: Theme,
        read_system: SystemReader = read_wishes,
    ) -> None:
        super().__init__(app)
        self._app = app
        self._theme = theme
        self._read_system = read_system
        self._appearance = apply(app, theme, read_system)
        hints = app.styleHints()
        hints.colorSchemeChanged.connect(self._system_changed)
        if hasattr(hints, "accessibility"):
            hints.accessibility().contrastPreferenceChanged.connect(self._system_changed)

    @property
    def theme(self) -> Theme:
        return self._theme

    @property
    def appearance(self) -> Appearance:
        return self._appearance

    def set_theme(self, theme: Theme) -> None:
        """Take the user's new choice and show it at once."""
        self._theme = theme
        self._refresh()

    def _system_changed(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        before = self._appearance
        self._appearance = apply(self._app, self._theme, self._read_system)
        if self._appearance != before:
            self.changed.emit(self._appearance)


def body_font(scale: float) -> QFont:
    """Inter where it is installed, else the system's own face."""
    font = QFont(_PREFERRED_FAMILY) if QFontDatabase.hasFamily(_PREFERRED_FAMILY) else QFont()
    font.setPointSizeF(round(BODY_POINTS * scale, 2))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def mono_font(points: float) -> QFont:
    """A face of equal widths for code and for what tools print."""
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    family = next((name for name in _MONO_FAMILIES if QFontDatabase.hasFamily(name)), "")
    font = QFont(family or fixed.family())
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    font.setPointSizeF(points)
    return font


def qt_palette(colours: Palette) -> QPalette:
    """The same colours for everything the style sheet does not reach."""
    palette = QPalette()
    role = QPalette.ColorRole
    pairs = {
        role.Window: colours.window,
        role.WindowText: colours.text,
        role.Base: colours.pane,
        role.AlternateBase: colours.card,
        role.Text: colours.text,
        role.PlaceholderText: colours.faint_text,
        role.Button: colours.raised,
        role.ButtonText: colours.text,
        role.BrightText: colours.text,
        role.Highlight: colours.selection,
        role.HighlightedText: colours.text,
        role.Accent: colours.accent,
        role.Link: colours.accent_text,
        role.LinkVisited: colours.accent_text,
        role.ToolTipBase: colours.raised,
        role.ToolTipText: colours.text,
        role.Mid: colours.line,
        role.Dark: colours.line,
        role.Light: colours.hover,
        role.Midlight: colours.hover,
        role.Shadow: colours.window,
    }
    for each, colour in pairs.items():
        palette.setColor(each, QColor(colour))
    for each in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, each, QColor(colours.faint))
    return palette


def _system_points(app: QApplication) -> float:
    """The system's font size, read before ours replaced it."""
    known = app.property(_SYSTEM_FONT_PROPERTY)
    if isinstance(known, float):
        return known
    points = app.font().pointSizeF()
    app.setProperty(_SYSTEM_FONT_PROPERTY, points)
    return points


def _set_scheme(app: QGuiApplication, mode: ThemeMode) -> None:
    """Let title bars and native dialogs follow the choice too."""
    hints = app.styleHints()
    if mode is ThemeMode.SYSTEM:
        hints.unsetColorScheme()
    elif mode is ThemeMode.DARK:
        hints.setColorScheme(Qt.ColorScheme.Dark)
    else:
        hints.setColorScheme(Qt.ColorScheme.Light)
