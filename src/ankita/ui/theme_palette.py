"""The colours of the product, dark and light, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Palette:
    """Every colour the windows use, as `#rrggbb`.

    Surfaces: `window` < `pane` < `card` < `raised` (< `hover`, for a raised thing
    under the pointer). `text`, `muted` and `faint_text` are for words; `faint` is
    only for shapes (empty dots, disabled strokes), as it is too weak to read.
    `accent`, `ask`, `danger`, `info` colour shapes; the same name with `_text` is
    the shade that can be read as words. `…_fill` with `on_…` is a filled button or
    badge and the words on it.
    """

    is_dark: bool
    window: str
    pane: str
    card: str
    raised: str
    hover: str
    line: str
    text: str
    muted: str
    faint: str
    faint_text: str
    accent: str
    accent_text: str
    accent_fill: str
    accent_fill_hover: str
    on_accent: str
    ask: str
    ask_text: str
    on_ask: str
    danger: str
    danger_text: str
    info: str
    info_text: str
    ask_card: str
    ask_line: str
    lowers_card: str
    lowers_line: str
    island: str
    island_line: str
    selection: str


DARK = Palette(
    is_dark=True,
    window="#101214",
    pane="#15181b",
    card="#1c2024",
    raised="#252a2f",
    hover="#2f353b",
    line="#2b3137",
    text="#e7eaed",
    muted="#9aa4ae",
    faint="#66707a",
    faint_text="#828c96",
    accent="#7ccba2",
    accent_text="#7ccba2",
    accent_fill="#7ccba2",
    accent_fill_hover="#8fd6b1",
    on_accent="#0d1a13",
    ask="#e3b35f",
    ask_text="#e3b35f",
    on_ask="#1a1408",
    danger="#e6786c",
    danger_text="#e6786c",
    info="#82aeea",
    info_text="#82aeea",
    ask_card="#1f1b12",
    ask_line="#4a3f25",
    lowers_card="#221514",
    lowers_line="#5a2f2b",
    island="#121417",
    island_line="#2f353b",
    selection="#2f5a47",
)

LIGHT = Palette(
    is_dark=False,
    window="#f4f5f6",
    pane="#ffffff",
    card="#ffffff",
    raised="#eceef0",
    hover="#e1e5e8",
    line="#d9dde1",
    text="#15181b",
    muted="#56606a",
    faint="#7d8791",
    faint_text="#626c76",
    accent="#2f8f63",
    accent_text="#287a54",
    accent_fill="#2a8259",
    accent_fill_hover="#24744f",
    on_accent="#ffffff",
    ask="#9a6a12",
    ask_text="#8a5e0e",
    on_ask="#ffffff",
    danger="#c0453a",
    danger_text="#b33d33",
    info="#2f6db8",
    info_text="#2a64ab",
    ask_card="#fdf6e6",
    ask_line="#ead5a2",
    lowers_card="#fdeceb",
    lowers_line="#efc2bd",
    island="#fafbfb",
    island_line="#d9dde1",
    selection="#bfe3d0",
)


def with_more_contrast(palette: Palette) -> Palette:
    """The same palette for people who asked their system for more contrast."""
    stronger_line = "#7a858f" if palette.is_dark else "#6b757f"
    text = "#ffffff" if palette.is_dark else "#000000"
    quieter = "#cfd6dc" if palette.is_dark else "#333b43"
    return replace(
        palette,
        text=text,
        muted=quieter,
        faint=quieter,
        faint_text=quieter,
        line=stronger_line,
        ask_line=palette.ask,
        lowers_line=palette.danger,
        island_line=stronger_line,
    )


def contrast(first: str, second: str) -> float:
    """The WCAG contrast ratio of two `#rrggbb` colours, 1 to 21."""
    bright, dim = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
