"""The order in which the Tab key goes: as things are laid out, whenever they were made."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QWidget


def tab_stops(root: QWidget) -> list[QWidget]:
    """The controls in `root` that Tab reaches now, in the order of its layouts."""
    return list(_stops(root))


def move_focus(root: QWidget, *, forward: bool) -> bool:
    """Give the focus to the next or previous stop and scroll it into view; False without any."""
    stops = tab_stops(root)
    if not stops:
        return False
    target = _beside(stops, root.focusWidget(), 1 if forward else -1)
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    target.setFocus(reason)
    _show(target)
    return True


def _beside(stops: list[QWidget], now: QWidget | None, step: int) -> QWidget:
    if now in stops:
        return stops[(stops.index(now) + step) % len(stops)]
    # A page that was opened holds the focus itself: its own controls come next.
    inside = [stop for stop in stops if now is not None and now.isAncestorOf(stop)]
    if step > 0:
        return (inside or stops)[0]
    return stops[(stops.index(inside[0]) if inside else 0) - 1]


def _stops(widget: QWidget) -> Iterator[QWidget]:
    if not widget.isVisible() or not widget.isEnabled():
        return
    # A part that hands its focus on, as the line of a list that can be typed into, is no stop.
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
        yield widget
    for child in _children(widget):
        yield from _stops(child)


def _children(widget: QWidget) -> Iterator[QWidget]:
    """Those in the layout first; what floats above it comes last."""
    # A viewport holds nothing but the content.
    seen: list[QWidget] = [widget.viewport()] if isinstance(widget, QScrollArea) else []
    for child in _laid_out(widget):
        seen.append(child)
        yield child
    for each in widget.children():
        if isinstance(each, QWidget) and not each.isWindow() and each not in seen:
            yield each


def _laid_out(widget: QWidget) -> Iterator[QWidget]:
    if isinstance(widget, QScrollArea):
        content = widget.widget()
        if content is not None:
            yield content
    elif (layout := widget.layout()) is not None:
        yield from _in_layout(layout)


def _in_layout(layout: QLayout) -> Iterator[QWidget]:
    for place in range(layout.count()):
        item = layout.itemAt(place)
        if item is None:
            continue
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            yield widget
        elif inner is not None:
            yield from _in_layout(inner)


def _show(target: QWidget) -> None:
    above = target.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(target)
        above = above.parentWidget()
