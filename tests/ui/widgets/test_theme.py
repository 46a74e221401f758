"""Colours that can be read, sizes that follow the person, and a look that follows the system."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ankita.ui.theme import (
    DARK,
    LIGHT,
    LiveTheme,
    Palette,
    SystemWishes,
    Theme,
    ThemeMode,
    appearance_now,
    apply,
    contrast,
    resolve,
)
from ankita.ui.theme_palette import with_more_contrast
from ankita.ui.theme_system import gtk_animations_are_off, kde_animations_are_off, text_factor
from ankita.ui.widgets.buttons import ActButton

READABLE = 4.5
VISIBLE = 3.0

PALETTES = [
    pytest.param(DARK, id="dark"),
    pytest.param(LIGHT, id="light"),
    pytest.param(with_more_contrast(DARK), id="dark, more contrast"),
    pytest.param(with_more_contrast(LIGHT), id="light, more contrast"),
]

ALL_SURFACES = ("window", "pane", "card", "raised", "ask_card", "lowers_card", "island")
QUIET_SURFACES = ("window", "pane", "card", "ask_card", "lowers_card", "island")


@pytest.fixture(autouse=True)
def dark_afterwards(qapp: QApplication) -> Iterator[None]:
    yield
    apply(qapp, Theme(ThemeMode.DARK, reduced_motion=False))


def weak_pairs(palette: Palette, words: str, surfaces: tuple[str, ...], least: float) -> list[str]:
    return [
        f"{words} on {surface}"
        for surface in surfaces
        if contrast(getattr(palette, words), getattr(palette, surface)) < least
    ]


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize(
    "words", ["text", "muted", "accent_text", "ask_text", "danger_text", "info_text"]
)
def test_words_can_be_read_on_every_surface(palette: Palette, words: str) -> None:
    assert weak_pairs(palette, words, ALL_SURFACES, READABLE) == []


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize("palette", PALETTES)
def test_the_quietest_words_can_be_read_where_they_are_used(palette: Palette) -> None:
    assert weak_pairs(palette, "faint_text", QUIET_SURFACES, READABLE) == []


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize("palette", PALETTES)
def test_words_on_filled_buttons_badges_and_selections_can_be_read(palette: Palette) -> None:
    assert contrast(palette.on_accent, palette.accent_fill) >= READABLE
    assert contrast(palette.on_accent, palette.accent_fill_hover) >= READABLE
    assert contrast(palette.on_ask, palette.ask) >= READABLE
    assert contrast(palette.text, palette.selection) >= READABLE
    assert contrast(palette.text, palette.hover) >= READABLE


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize("palette", PALETTES)
def test_a_focus_ring_can_be_seen_on_every_surface(palette: Palette) -> None:
    assert weak_pairs(palette, "accent", ALL_SURFACES, VISIBLE) == []


@pytest.mark.spec("UI-1")
@pytest.mark.parametrize("dark", [True, False])
def test_the_system_decides_between_dark_and_light_unless_the_user_did(dark: bool) -> None:
    assert resolve(Theme(), SystemWishes(is_dark=dark)).palette.is_dark is dark
    assert resolve(Theme(ThemeMode.LIGHT), SystemWishes(is_dark=dark)).palette == LIGHT
    assert resolve(Theme(ThemeMode.DARK), SystemWishes(is_dark=dark)).palette == DARK


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize("reduces", [True, False])
def test_motion_is_as_the_system_says_unless_the_user_said_otherwise(reduces: bool) -> None:
    def motion(theme: Theme) -> bool:
        return resolve(theme, SystemWishes(less_motion=reduces)).reduced_motion

    assert motion(Theme()) is reduces
    assert motion(Theme(reduced_motion=True)) is True
    assert motion(Theme(reduced_motion=False)) is False


@pytest.mark.spec("UI-3")
def test_text_size_multiplies_the_systems_and_stays_within_bounds() -> None:
    def scale(chosen: float, system: float) -> float:
        theme = Theme(text_scale=chosen)
        return resolve(theme, SystemWishes(text_factor=system)).scale

    assert scale(1.5, 1.2) == pytest.approx(1.8)
    assert scale(9, 9) == 3.0
    assert scale(0.01, 1) == 0.75


@pytest.mark.spec("UI-3")
def test_a_system_font_twice_as_large_doubles_the_text() -> None:
    assert text_factor(18.0, "win32") == pytest.approx(2.0)
    assert text_factor(11.0, "linux") == pytest.approx(1.0)
    assert text_factor(8.0, "linux") == 1.0


@pytest.mark.spec("UI-3")
def test_more_contrast_makes_quiet_words_louder() -> None:
    for palette in (DARK, LIGHT):
        stronger = with_more_contrast(palette)
        assert contrast(stronger.muted, palette.window) > contrast(palette.muted, palette.window)
        assert contrast(stronger.line, palette.window) >= VISIBLE


@pytest.mark.spec("UI-3")
def test_all_type_doubles_at_200_percent(qapp: QApplication, qtbot: QtBot) -> None:
    apply(qapp, Theme(ThemeMode.DARK, text_scale=1.0))
    body = qapp.font().pointSizeF()
    button = ActButton("Send once")
    qtbot.addWidget(button)
    button.ensurePolished()
    small = button.sizeHint()

    apply(qapp, Theme(ThemeMode.DARK, text_scale=2.0))
    button.ensurePolished()

    assert qapp.font().pointSizeF() == pytest.approx(2 * body)
    assert button.sizeHint().height() > 1.6 * small.height()


@pytest.mark.parametrize("mode", [ThemeMode.DARK, ThemeMode.LIGHT])
@pytest.mark.parametrize("scale", [0.75, 1.0, 3.0])
def test_qt_understands_the_whole_style_sheet(
    qapp: QApplication, qtbot: QtBot, qtlog: object, mode: ThemeMode, scale: float
) -> None:
    apply(qapp, Theme(mode, scale))
    button = ActButton("Stop")
    qtbot.addWidget(button)
    button.show()

    complaints = [record.message for record in qtlog.records if "pars" in record.message.lower()]  # type: ignore[attr-defined]
    assert complaints == []


@pytest.mark.spec("UI-1")
def test_a_new_choice_shows_at_once_and_says_so_once(qapp: QApplication) -> None:
    live = LiveTheme(qapp, Theme(ThemeMode.DARK))
    heard: list[object] = []
    live.changed.connect(heard.append)

    live.set_theme(Theme(ThemeMode.LIGHT))
    live.set_theme(Theme(ThemeMode.LIGHT))

    assert appearance_now().palette == LIGHT
    assert qapp.palette().window().color().name() == LIGHT.window
    assert heard == [live.appearance]
    live.deleteLater()


@pytest.mark.spec("UI-1")
def test_the_window_turns_light_when_the_system_does(qapp: QApplication) -> None:
    system = [SystemWishes(is_dark=True)]
    live = LiveTheme(qapp, Theme(ThemeMode.SYSTEM), lambda *_: system[0])
    assert appearance_now().palette == DARK

    system[0] = SystemWishes(is_dark=False)
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)

    assert appearance_now().palette == LIGHT
    live.deleteLater()


@pytest.mark.spec("UI-3")
def test_a_system_that_wants_contrast_text_and_rest_gets_them(qapp: QApplication) -> None:
    wishes = SystemWishes(text_factor=1.5, less_motion=True, more_contrast=True)
    live = LiveTheme(qapp, Theme(ThemeMode.DARK), lambda *_: wishes)

    assert live.appearance.palette == with_more_contrast(DARK)
    assert live.appearance.scale == pytest.approx(1.5)
    assert live.appearance.reduced_motion
    live.deleteLater()


@pytest.mark.parametrize(
    ("content", "off"),
    [
        ("[Settings]\ngtk-enable-animations=0\n", True),
        ("[Settings]\ngtk-enable-animations=false\n", True),
        ("[Settings]\ngtk-enable-animations=1\n", False),
        ("[Settings]\n", False),
        ("not an ini file", False),
    ],
)
@pytest.mark.spec("UI-3")
def test_animations_switched_off_in_gtk_are_noticed(
    tmp_path: Path, content: str, off: bool
) -> None:
    folder = tmp_path / "gtk-3.0"
    folder.mkdir()
    (folder / "settings.ini").write_text(content, encoding="utf-8")

    assert gtk_animations_are_off(tmp_path) is off


@pytest.mark.parametrize(("factor", "off"), [("0", True), ("0.5", False), ("odd", False)])
@pytest.mark.spec("UI-3")
def test_animations_switched_off_in_plasma_are_noticed(
    tmp_path: Path, factor: str, off: bool
) -> None:
    (tmp_path / "kdeglobals").write_text(
        f"[KDE]\nAnimationDurationFactor={factor}\n", encoding="utf-8"
    )

    assert kde_animations_are_off(tmp_path) is off
    assert kde_animations_are_off(tmp_path / "absent") is False


def test_the_theme_and_the_mascot_load_nothing_of_qt_but_its_core() -> None:
    program = (
        "import sys, ankita.ui.theme, ankita.ui.widgets.mascot\n"
        "print(*sorted(m for m in sys.modules if m.startswith(('PySide6.Qt', 'markdown_it'))))"
    )

    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )

    assert shown.stdout.split() == ["PySide6.QtCore", "PySide6.QtGui", "PySide6.QtWidgets"]
