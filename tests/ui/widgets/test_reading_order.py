"""Tab goes through a window as it is read, whenever its parts were made."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from ankita.ui.widgets.reading_order import move_focus, tab_stops


class Form(QWidget):
    """Two rows whose widgets are made from the last to the first."""

    def __init__(self) -> None:
        super().__init__()
        self.last = QPushButton("last")
        self.choice = QComboBox()
        self.choice.setEditable(True)
        self.second = QLineEdit()
        self.first = QPushButton("first")
        column = QVBoxLayout(self)
        row = QHBoxLayout()
        column.addLayout(row)
        column.addWidget(self.last)
        row.addWidget(self.first)
        row.addWidget(self.second)
        row.addWidget(self.choice)


@pytest.fixture
def form(qtbot: QtBot) -> Form:
    form = Form()
    qtbot.addWidget(form)
    with qtbot.waitActive(form):
        form.show()
        form.activateWindow()
    return form


@pytest.mark.spec("UI-3")
def test_the_layout_gives_the_order_and_what_hands_its_focus_on_is_no_stop(form: Form) -> None:
    assert tab_stops(form) == [form.first, form.second, form.choice, form.last]


@pytest.mark.spec("UI-3")
def test_hidden_and_disabled_controls_are_left_out(form: Form) -> None:
    form.second.hide()
    form.choice.setEnabled(False)
    assert tab_stops(form) == [form.first, form.last]


@pytest.mark.spec("UI-3")
def test_it_goes_round_in_both_directions(form: Form) -> None:
    form.first.setFocus()
    seen = []
    for _ in range(4):
        move_focus(form, forward=True)
        seen.append(form.focusWidget())
    assert seen == [form.second, form.choice, form.last, form.first]
    move_focus(form, forward=False)
    assert form.focusWidget() is form.last


def test_a_window_without_controls_moves_nothing(qtbot: QtBot) -> None:
    empty = QWidget()
    qtbot.addWidget(empty)
    empty.show()
    assert not move_focus(empty, forward=True)


@pytest.mark.spec("UI-3")
def test_what_gets_the_focus_is_scrolled_into_view(qtbot: QtBot) -> None:
    area = QScrollArea()
    qtbot.addWidget(area)
    content = QWidget()
    column = QVBoxLayout(content)
    buttons = [QPushButton(f"{number}") for number in range(60)]
    for button in buttons:
        column.addWidget(button)
    area.setWidget(content)
    area.resize(200, 120)
    with qtbot.waitActive(area):
        area.show()
        area.activateWindow()
    buttons[0].setFocus()
    move_focus(area, forward=False)
    last = buttons[-1]
    assert area.focusWidget() in (area, last)
    if area.focusWidget() is area:
        move_focus(area, forward=False)
    assert not last.visibleRegion().isEmpty()
