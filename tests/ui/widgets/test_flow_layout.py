"""A row that goes on in the next line."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from ankita.ui.widgets.flow_layout import FlowLayout
from ankita.ui.widgets.plain_label import PlainLabel


class Box(QWidget):
    """A thing of one size."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.setFixedSize(width, 20)


def laid_out(qtbot: QtBot, width: int, *widgets: QWidget, last_apart: bool = False) -> QWidget:
    row = QWidget()
    qtbot.addWidget(row)
    flow = FlowLayout(row, gap=10, last_apart=last_apart)
    for widget in widgets:
        flow.addWidget(widget)
    row.resize(width, 200)
    row.show()
    return row


def test_the_last_stands_at_the_far_end_of_a_line_it_shares(qtbot: QtBot) -> None:
    first, last = Box(80), Box(50)
    row = laid_out(qtbot, 300, first, last, last_apart=True)
    assert row.isVisible()
    assert first.x() == 0
    assert last.x() == 250


def test_the_last_begins_its_own_line_when_there_is_no_room(qtbot: QtBot) -> None:
    first, last = Box(80), Box(50)
    row = laid_out(qtbot, 100, first, last, last_apart=True)
    assert row.isVisible()
    assert (last.x(), last.y()) == (0, 30)


def test_without_it_the_one_before_stays_where_it_is(qtbot: QtBot) -> None:
    first, second, last = Box(80), Box(50), Box(50)
    last.hide()
    row = laid_out(qtbot, 300, first, second, last, last_apart=True)
    assert row.isVisible()
    assert second.x() == 90


@pytest.mark.spec("UI-3")
def test_words_that_are_wider_than_the_row_wrap(qtbot: QtBot) -> None:
    words = PlainLabel("word " * 60)
    row = laid_out(qtbot, 200, words)
    layout = row.layout()
    assert layout is not None
    assert words.width() <= 200
    assert layout.heightForWidth(200) >= words.heightForWidth(200)
