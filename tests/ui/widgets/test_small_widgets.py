"""Labels, chips, buttons, cards and grids: plain text in, one act out, always with a name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QAccessible, QImage, QKeyEvent, QPainter
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ankita.ui.theme import Theme, ThemeMode, apply
from ankita.ui.widgets.buttons import ActButton, IconButton, Variant
from ankita.ui.widgets.chips import Badge, Chip, ChoiceChip, Tone
from ankita.ui.widgets.icons import GRID, Icon, draw_icon, icon_for, icon_path, icon_pixmap
from ankita.ui.widgets.key_value_grid import KeyValueGrid, size_in_words
from ankita.ui.widgets.plain_label import (
    ElidedLabel,
    PlainLabel,
    SectionHead,
    Tag,
    visible_text,
)
from ankita.ui.widgets.surfaces import Card, CardVariant, ProgressLine

BODY = "Dear Mr Mehta, " + "word " * 115 + "end"


def spoken(widget: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def links_in(grid: KeyValueGrid) -> list[ActButton]:
    return [button for button in grid.findChildren(ActButton) if button.isVisible()]


def shown_words(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


@pytest.mark.parametrize("made", [PlainLabel, ElidedLabel, SectionHead, Tag, Chip])
def test_markup_is_shown_and_never_read(qtbot: QtBot, made: type[QLabel]) -> None:
    label = made("<b>bold</b><img src='x'>")
    qtbot.addWidget(label)

    assert label.textFormat() is Qt.TextFormat.PlainText
    assert label.text() == "<b>bold</b><img src='x'>"


def test_characters_that_hide_or_turn_text_around_are_spelled_out() -> None:
    assert visible_text("pay\u202egpj.exe") == "pay⟨U+202E⟩gpj.exe"
    assert visible_text("a\u200bb\x1b[2J") == "a⟨U+200B⟩b⟨U+001B⟩[2J"
    assert visible_text("क्‍ष 👩‍👩‍👧\tline\n") == "क्‍ष 👩‍👩‍👧\tline\n"


@given(st.text())
def test_two_texts_that_differ_never_look_the_same_after_spelling_out(text: str) -> None:
    shown = visible_text(text)

    assert len(shown) >= len(text)
    assert visible_text(shown) == shown


def test_a_long_line_ends_in_dots_and_tells_all_in_its_tooltip(qtbot: QtBot) -> None:
    label = ElidedLabel("a rather long name of a thread that does not fit here")
    qtbot.addWidget(label)
    label.resize(80, 20)
    label.show()

    assert label.is_elided()
    assert label.toolTip() == label.full_text()
    label.resize(label.sizeHint())
    assert not label.is_elided()
    assert label.toolTip() == ""


@pytest.mark.spec("UI-3")
def test_enter_and_space_press_a_button_but_a_key_held_down_does_not(qtbot: QtBot) -> None:
    button = ActButton("Send once", Variant.PRIMARY)
    qtbot.addWidget(button)
    button.show()
    pressed: list[bool] = []
    button.clicked.connect(lambda: pressed.append(True))

    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
        qtbot.keyClick(button, key)
    assert len(pressed) == 3

    held = QKeyEvent(
        QEvent.Type.KeyPress,
        Qt.Key.Key_Return,
        Qt.KeyboardModifier.NoModifier,
        "\r",
        True,
    )
    QApplication.sendEvent(button, held)
    assert len(pressed) == 3


def test_an_ampersand_in_a_buttons_words_is_kept(qtbot: QtBot) -> None:
    button = ActButton("Save & close")
    qtbot.addWidget(button)

    assert button.text() == "Save && close"
    assert spoken(button) == "Save & close"


@pytest.mark.spec("UI-3")
def test_an_icon_button_speaks_its_name_and_its_count(qtbot: QtBot) -> None:
    button = IconButton(Icon.SHIELD, "Approvals", rail=True)
    qtbot.addWidget(button)
    button.show()
    plain = button.grab().toImage()

    button.set_count(2)
    assert spoken(button) == "Approvals, 2 waiting"
    assert button.grab().toImage() != plain

    button.set_count(0)
    assert spoken(button) == "Approvals"
    assert button.grab().toImage() == plain


@pytest.mark.spec("UI-3")
def test_an_icon_button_shows_where_the_focus_is_and_what_is_chosen(qtbot: QtBot) -> None:
    button = IconButton(Icon.CHAT, "Chat", rail=True)
    qtbot.addWidget(button)
    button.show()
    qtbot.waitExposed(button)
    button.clearFocus()
    quiet = button.grab().toImage()

    qtbot.keyClick(button, Qt.Key.Key_Return)
    assert button.isChecked()
    chosen = button.grab().toImage()
    assert chosen != quiet

    button.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(button.hasFocus, timeout=1000)
    assert button.grab().toImage() != chosen


@pytest.mark.parametrize("icon", list(Icon))
def test_every_icon_fits_its_grid_and_leaves_ink_at_any_scale(icon: Icon) -> None:
    bounds = icon_path(icon).boundingRect()
    assert min(bounds.left(), bounds.top()) >= 1
    assert max(bounds.right(), bounds.bottom()) <= GRID - 1

    for side in (12, 20, 64):
        image = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        draw_icon(painter, icon, QRectF(0, 0, side, side), "#ffffff")
        painter.end()
        inked = sum(image.pixelColor(x, y).alpha() > 60 for x in range(side) for y in range(side))
        assert inked >= side // 3


@pytest.mark.usefixtures("qapp")
def test_an_icon_is_drawn_anew_for_sharp_screens() -> None:
    sharp = icon_pixmap(Icon.SEND, "#ffffff", 20, 2.0)

    assert sharp.width() == 40
    assert sharp.devicePixelRatio() == 2.0
    assert not icon_for(Icon.SEND, "#ffffff", 20).isNull()


@pytest.mark.spec("UI-3")
def test_chips_and_badges_speak_their_words(qtbot: QtBot) -> None:
    chip = Chip("llama3.1:8b · local", Tone.GOOD)
    choice = ChoiceChip("Dark")
    badge = Badge("approvals waiting")
    for widget in (chip, choice, badge):
        qtbot.addWidget(widget)
    badge.set_count(120)

    assert spoken(chip) == "llama3.1:8b · local"
    assert spoken(choice) == "Dark"
    assert badge.text() == "99+"
    assert spoken(badge) == "120 approvals waiting"
    badge.set_count(0)
    assert badge.isHidden()


def test_a_chip_with_little_room_gives_way(qtbot: QtBot) -> None:
    chip = Chip("Instructions loaded: browser-use")
    qtbot.addWidget(chip)

    assert chip.minimumSizeHint().width() < chip.sizeHint().width() / 2


@pytest.mark.spec("UI-3")
def test_a_choice_is_made_from_the_keyboard(qtbot: QtBot) -> None:
    choice = ChoiceChip("Dark")
    qtbot.addWidget(choice)
    choice.show()

    qtbot.keyClick(choice, Qt.Key.Key_Space)

    assert choice.isChecked()


def test_short_values_show_whole_and_long_ones_say_how_long_they_are(qtbot: QtBot) -> None:
    grid = KeyValueGrid([("To", "r.mehta@example.org"), ("Body", BODY)])
    qtbot.addWidget(grid)
    grid.show()

    assert "r.mehta@example.org" in shown_words(grid)
    assert BODY not in shown_words(grid)
    assert [link.text() for link in links_in(grid)] == ["show all, 119 words"]
    assert spoken(links_in(grid)[0]) == "Show all of Body, 119 words"


@pytest.mark.spec("UI-3")
def test_a_long_value_opens_and_closes_from_the_keyboard(qtbot: QtBot) -> None:
    grid = KeyValueGrid([("Body", BODY)])
    qtbot.addWidget(grid)
    grid.show()
    grid.activateWindow()
    qtbot.waitUntil(grid.isActiveWindow, timeout=2000)
    links_in(grid)[0].setFocus()

    qtbot.keyClick(links_in(grid)[0], Qt.Key.Key_Return)
    assert BODY in shown_words(grid)
    assert [link.text() for link in links_in(grid)] == ["show less"]
    assert links_in(grid)[0].hasFocus()

    qtbot.keyClick(links_in(grid)[0], Qt.Key.Key_Return)
    assert BODY not in shown_words(grid)


def test_a_value_with_hidden_characters_shows_them(qtbot: QtBot) -> None:
    grid = KeyValueGrid([("File", "a\u202eb")])
    qtbot.addWidget(grid)
    grid.show()

    assert "a⟨U+202E⟩b" in shown_words(grid)


def test_new_rows_replace_the_old_ones(qtbot: QtBot) -> None:
    grid = KeyValueGrid([("To", "one"), ("Body", BODY)])
    qtbot.addWidget(grid)
    grid.show()

    grid.set_rows([("To", "two")])

    qtbot.waitUntil(lambda: shown_words(grid) == ["To", "two"], timeout=2000)


def test_text_without_spaces_is_counted_in_characters() -> None:
    assert size_in_words("x" * 300) == "300 characters"
    assert size_in_words("one two three four") == "4 words"


@pytest.mark.parametrize("variant", list(CardVariant))
def test_each_kind_of_card_looks_different(
    qtbot: QtBot, qapp: QApplication, variant: CardVariant
) -> None:
    apply(qapp, Theme(ThemeMode.DARK))
    cards = {kind: Card("Approval", kind) for kind in CardVariant}
    for card in cards.values():
        qtbot.addWidget(card)
        card.resize(120, 60)

    colours = {
        kind: card.grab().toImage().pixelColor(60, 30).name() for kind, card in cards.items()
    }

    assert list(colours.values()).count(colours[variant]) == 1
    assert spoken(cards[variant]) == "Approval"


@pytest.mark.spec("ISL-6")
def test_a_progress_line_of_unknown_length_stands_still(qtbot: QtBot) -> None:
    line = ProgressLine("Reading agreement.pdf")
    qtbot.addWidget(line)
    line.resize(200, 8)
    line.show()
    line.show_progress(0, 0)
    painted: list[QEvent.Type] = []

    class Watcher(QWidget):
        def eventFilter(self, watched: object, event: QEvent) -> bool:  # noqa: N802
            del watched
            painted.append(event.type())
            return False

    qtbot.waitExposed(line)
    QApplication.processEvents()
    watcher = Watcher()
    qtbot.addWidget(watcher)
    line.installEventFilter(watcher)
    for _ in range(20):
        QApplication.processEvents()

    assert QEvent.Type.Timer not in painted
    assert QEvent.Type.Paint not in painted
    assert spoken(line) == "Reading agreement.pdf"


def test_a_progress_line_fills_with_what_is_done(qtbot: QtBot) -> None:
    line = ProgressLine("Reading")
    qtbot.addWidget(line)
    line.resize(200, 3)
    line.show_progress(1, 4)
    image = line.grab().toImage()

    assert image.pixelColor(25, 1) != image.pixelColor(150, 1)
    assert image.pixelColor(55, 1) == image.pixelColor(150, 1)


@pytest.mark.spec("UI-3")
def test_the_way_to_a_long_value_is_whole_in_a_narrow_card(qtbot: QtBot) -> None:
    grid = KeyValueGrid([("Body", BODY)])
    qtbot.addWidget(grid)
    grid.resize(600, 60)
    grid.show()
    link = links_in(grid)[0]
    beside = link.y()

    narrow = 90 + link.sizeHint().width() + 4
    grid.resize(narrow, grid.heightForWidth(narrow) if grid.hasHeightForWidth() else 90)

    qtbot.waitUntil(lambda: link.y() > beside, timeout=2000)
    qtbot.waitUntil(lambda: link.width() >= link.sizeHint().width(), timeout=2000)
    assert link.mapTo(grid, link.rect().topRight()).x() <= grid.width()


@pytest.mark.spec("UI-3")
def test_a_focused_button_has_one_ring_and_nothing_around_its_words(
    qtbot: QtBot, qapp: QApplication
) -> None:
    apply(qapp, Theme(mode=ThemeMode.DARK))
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    first, second = ActButton("First"), ActButton(" " * 20)
    for button in (first, second):
        column.addWidget(button)
    with qtbot.waitExposed(window):
        window.show()
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Tab)
    qtbot.waitUntil(second.hasFocus)
    image = second.grab().toImage()
    inside = {
        image.pixelColor(x, y).name()
        for x in range(5, image.width() - 5)
        for y in range(5, image.height() - 5)
    }
    assert len(inside) == 1
