"""The one style sheet of the application, made from a palette and a text size.

Widgets choose their look by dynamic properties, so that this file alone knows colours:
`surface` (window, pane, header, rail, page, panel, composer, bubble, code), `card` (plain, ask,
lowers), `variant` of a button (plain, primary, danger, link) and `compact`, `role` of a
label (title, heading, strong, body, muted, small, faint, ask, danger, accent, mono) and `tag`.
"""

from __future__ import annotations

from ankita.ui.theme_palette import Palette

_TITLE = 15.0
_HEADING = 11.25
_BODY = 10.5
_CONTROL = 9.75
_SMALL = 9.0
_TINY = 8.25
_CODE = 9.4


def stylesheet(palette: Palette, scale: float) -> str:
    """QSS for every window. `scale` 2.0 doubles all type; distances grow half as fast."""
    parts = (_surfaces, _labels, _buttons, _fields, _scroll_bars, _popups)
    return "\n".join(part(palette, scale) for part in parts)


def _pt(points: float, scale: float) -> str:
    return f"{points * scale:.2f}pt"


def _px(pixels: float, scale: float, extra: int = 0) -> str:
    """A distance; `extra` makes up for a border that is one pixel wider."""
    return f"{round(pixels * (1 + (scale - 1) / 2)) + extra}px"


def _surfaces(p: Palette, s: float) -> str:
    del s
    return f"""
QMainWindow, QDialog, QWidget[surface="window"], QWidget[surface="page"] {{
    background: {p.window}; color: {p.text}; }}
QWidget[surface="pane"] {{ background: {p.pane}; border: 0; border-right: 1px solid {p.line}; }}
QWidget[surface="rail"] {{ background: {p.pane}; border: 0; border-right: 1px solid {p.line}; }}
QWidget[surface="header"] {{
    background: {p.window}; border: 0; border-bottom: 1px solid {p.line}; }}
QWidget[surface="panel"] {{
    background: {p.pane}; border: 1px solid {p.line}; border-radius: 12px; }}
QWidget[surface="row"] {{ background: transparent; border: 0; }}
QWidget[surface="divided"] {{
    background: transparent; border: 0; border-top: 1px solid {p.line}; }}
QWidget[surface="composer"] {{
    background: {p.card}; border: 1px solid {p.line}; border-radius: 14px; }}
QWidget[surface="bubble"] {{ background: {p.raised}; border: 0; border-radius: 14px;
    border-bottom-right-radius: 4px; }}
QWidget[surface="place"] {{ background: {p.raised}; border: 0; border-radius: 15px; }}
QWidget[surface="attachment"] {{
    background: {p.card}; border: 1px solid {p.line}; border-radius: 10px; }}
QWidget[surface="code"] {{ background: {p.window}; border: 0; border-top: 1px solid {p.line};
    border-bottom-left-radius: 10px; border-bottom-right-radius: 10px; }}
QFrame[card="plain"] {{
    background: {p.pane}; border: 1px solid {p.line}; border-radius: 10px; }}
QFrame[card="ask"] {{
    background: {p.ask_card}; border: 1px solid {p.ask_line}; border-radius: 12px; }}
QFrame[card="lowers"] {{
    background: {p.lowers_card}; border: 1px solid {p.lowers_line}; border-radius: 12px; }}
QSplitter::handle {{ background: {p.line}; }}
QStatusBar {{ background: {p.pane}; color: {p.muted}; }}
"""


def _labels(p: Palette, s: float) -> str:
    tags = "\n".join(
        f'QLabel[tag="{name}"] {{ color: {colour}; }}'
        for name, colour in (
            ("plain", p.muted),
            ("ok", p.accent_text),
            ("info", p.info_text),
            ("ask", p.ask_text),
            ("danger", p.danger_text),
        )
    )
    return f"""
QLabel {{ background: transparent; border: 0; color: {p.text}; }}
QLabel[role="title"] {{ font-size: {_pt(_TITLE, s)}; font-weight: 650; }}
QLabel[role="heading"] {{ font-size: {_pt(_HEADING, s)}; font-weight: 600; }}
QLabel[role="strong"] {{ font-weight: 600; }}
QLabel[role="muted"] {{ color: {p.muted}; }}
QLabel[role="value"] {{ color: {p.muted}; font-size: {_pt(_CONTROL, s)}; }}
QLabel[role="key"] {{ color: {p.faint_text}; font-size: {_pt(_CONTROL, s)}; }}
QLabel[role="control"] {{ font-size: {_pt(_CONTROL, s)}; }}
QLabel[role="small"] {{ color: {p.muted}; font-size: {_pt(_SMALL, s)}; }}
QLabel[role="faint"] {{ color: {p.faint_text}; font-size: {_pt(_SMALL, s)}; }}
QLabel[role="ask"] {{ color: {p.ask_text}; font-size: {_pt(_SMALL, s)}; font-weight: 600; }}
QLabel[role="danger"] {{ color: {p.danger_text}; font-size: {_pt(_SMALL, s)}; font-weight: 600; }}
QLabel[role="accent"] {{ color: {p.accent_text}; font-size: {_pt(_SMALL, s)}; font-weight: 600; }}
QLabel[role="mono"] {{ color: {p.muted}; font-size: {_pt(_CODE, s)}; }}
QLabel[role="section"] {{ color: {p.faint_text}; font-size: {_pt(_TINY, s)}; font-weight: 600;
    letter-spacing: {0.7 * s:.2f}px; text-transform: uppercase; padding: 6px 8px; }}
QLabel[tag] {{ font-size: {_pt(_TINY, s)}; border: 1px solid {p.line}; border-radius: 6px;
    padding: 2px 7px; }}
{tags}
"""


def _buttons(p: Palette, s: float) -> str:
    pad_y, pad_x = 7, 14
    return f"""
QPushButton {{ background: {p.raised}; color: {p.text}; border: 1px solid {p.line};
    border-radius: 8px; padding: {_px(pad_y, s)} {_px(pad_x, s)};
    font-size: {_pt(_CONTROL, s)}; font-weight: 500; }}
QPushButton:hover {{ background: {p.hover}; }}
QPushButton:pressed {{ background: {p.line}; }}
QPushButton:disabled {{ background: {p.card}; color: {p.faint}; border-color: {p.line}; }}
QPushButton[variant="primary"] {{
    background: {p.accent_fill}; border-color: {p.accent_fill}; color: {p.on_accent}; }}
QPushButton[variant="primary"]:hover {{
    background: {p.accent_fill_hover}; border-color: {p.accent_fill_hover}; }}
QPushButton[variant="primary"]:disabled {{
    background: {p.raised}; border-color: {p.line}; color: {p.faint}; }}
QPushButton[variant="danger"] {{ color: {p.danger_text}; }}
QPushButton[compact="true"] {{ padding: {_px(5, s)} {_px(9, s)}; font-size: {_pt(_SMALL, s)}; }}
QPushButton:focus {{ border: 2px solid {p.accent}; outline: 0;
    padding: {_px(pad_y, s, -1)} {_px(pad_x, s, -1)}; }}
QPushButton[compact="true"]:focus {{ padding: {_px(5, s, -1)} {_px(9, s, -1)}; }}
QPushButton[variant="primary"]:focus {{ border: 2px solid {p.text}; }}
QPushButton[variant="link"] {{ background: transparent; border: 1px solid transparent; padding: 0px;
    color: {p.muted}; font-weight: 400; text-decoration: underline; border-radius: 4px; }}
QPushButton[variant="link"]:hover {{ color: {p.text}; }}
QPushButton[variant="link"]:focus {{ color: {p.text}; border: 1px solid {p.accent};
    padding: 0px; }}
QCheckBox, QRadioButton {{ color: {p.text}; spacing: 8px; }}
QCheckBox:focus, QRadioButton:focus {{ outline: 0; color: {p.accent_text}; }}
"""


def _fields(p: Palette, s: float) -> str:
    kinds = "QLineEdit, QPlainTextEdit, QTextEdit, QComboBox, QSpinBox, QDoubleSpinBox, QTimeEdit"
    focused = ", ".join(f"{kind}:focus" for kind in kinds.split(", "))
    return f"""
{kinds} {{ background: {p.card}; color: {p.text}; border: 1px solid {p.line}; border-radius: 8px;
    padding: {_px(5, s)} {_px(9, s)}; selection-background-color: {p.selection};
    selection-color: {p.text}; }}
{focused} {{ border: 2px solid {p.accent}; padding: {_px(5, s, -1)} {_px(9, s, -1)}; }}
QTextEdit[bare="true"], QPlainTextEdit[bare="true"], QTextBrowser[bare="true"],
QTextEdit[bare="true"]:focus, QPlainTextEdit[bare="true"]:focus,
QTextBrowser[bare="true"]:focus {{ background: transparent; border: 0; padding: 0px; }}
QAbstractSpinBox QLineEdit, QAbstractSpinBox QLineEdit:focus {{
    background: transparent; border: 0; padding: 0px; }}
QPlainTextEdit[field="true"] {{ background: {p.card}; border: 1px solid {p.line}; }}
QPlainTextEdit[field="true"]:focus {{ border: 2px solid {p.accent}; }}
QPlainTextEdit[quiet="true"] {{ color: {p.muted}; }}
QComboBox::drop-down {{ border: 0; width: {_px(22, s)}; }}
QComboBox QAbstractItemView {{ background: {p.raised}; color: {p.text};
    border: 1px solid {p.line}; selection-background-color: {p.hover};
    selection-color: {p.text}; outline: 0; }}
QListView, QTreeView, QTableView {{ background: transparent; color: {p.text}; border: 0;
    outline: 0; selection-background-color: {p.raised}; selection-color: {p.text}; }}
QListView::item {{ border-radius: 9px; padding: 0px; }}
QListView::item:hover {{ background: {p.card}; }}
QListView::item:selected {{ background: {p.raised}; }}
QListView:focus, QTreeView:focus, QTableView:focus {{ border: 1px solid {p.accent};
    border-radius: 9px; }}
QHeaderView::section {{ background: {p.pane}; color: {p.muted}; border: 0;
    border-bottom: 1px solid {p.line}; padding: {_px(6, s)}; }}
"""


def _scroll_bars(p: Palette, s: float) -> str:
    del s
    return f"""
QAbstractScrollArea {{ border: 0; background: transparent; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 2px; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 2px; }}
QScrollBar::handle {{ background: {p.hover}; border-radius: 3px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover {{ background: {p.faint}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""


def _popups(p: Palette, s: float) -> str:
    return f"""
QToolTip {{ background: {p.raised}; color: {p.text}; border: 1px solid {p.line};
    padding: {_px(5, s)} {_px(8, s)}; font-size: {_pt(_SMALL, s)}; }}
QMenu {{ background: {p.raised}; color: {p.text}; border: 1px solid {p.line};
    border-radius: 8px; padding: 4px; }}
QMenu::item {{ padding: {_px(6, s)} {_px(16, s)}; border-radius: 6px; }}
QMenu::icon {{ padding-left: 8px; }}
QMenu::item:selected {{ background: {p.hover}; }}
QMenu::item:disabled {{ color: {p.faint}; }}
QMenu::separator {{ height: 1px; background: {p.line}; margin: 4px 6px; }}
"""
