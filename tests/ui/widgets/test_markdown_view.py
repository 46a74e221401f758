"""A reply is laid out once, grows cheaply, and cannot do anything but be read."""

from __future__ import annotations

import math
import time
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from ankita.ui.theme import Theme, ThemeMode, apply
from ankita.ui.widgets.buttons import IconButton
from ankita.ui.widgets.markdown_formats import (
    CELL_PADDING,
    CODE_PADDING_Y,
    CODE_PROPERTY,
    ITEM_PROPERTY,
    MARK_GAP,
)
from ankita.ui.widgets.markdown_view import MarkdownView

SAMPLE = """# Notice

Two months, **in writing**, see [the act](https://example.org/act) or https://example.org/b.

- a letter
  - by post
- proof

1. first

2. second with `code`

> quoted
> words

```python
def notice():

    return 2
```

| Way | Cost |
|:----|----:|
| Post | 4 |

---

<b>raw</b> ![cat](https://example.org/cat.png) end
"""


@pytest.fixture
def view(qtbot: QtBot) -> MarkdownView:
    made = MarkdownView()
    qtbot.addWidget(made)
    made.resize(600, 10)
    made.show()
    return made


def links(view: MarkdownView) -> set[str]:
    found: set[str] = set()
    block = view.document().begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            found.add(iterator.fragment().charFormat().anchorHref())
            iterator += 1
        block = block.next()
    return found - {""}


def anatomy(view: MarkdownView) -> list[tuple[str, int, str, float]]:
    """What is in the document, block by block."""
    parts: list[tuple[str, int, str, float]] = []
    block = view.document().begin()
    while block.isValid():
        layout = block.blockFormat()
        parts.append(
            (
                block.text(),
                layout.intProperty(CODE_PROPERTY),
                layout.stringProperty(ITEM_PROPERTY),
                layout.bottomMargin(),
            )
        )
        block = block.next()
    return parts


@pytest.mark.spec("UI-2")
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.integers(0, len(SAMPLE)), max_size=60), st.booleans())
def test_a_streamed_reply_ends_up_as_if_it_had_come_whole(
    view: MarkdownView, cuts: list[int], with_returns: bool
) -> None:
    text = SAMPLE.replace("\n", "\r\n") if with_returns else SAMPLE
    whole = MarkdownView()
    whole.set_text(text)
    view.set_text("")

    edges = [0, *sorted(set(cuts)), len(text)]
    for start, end in pairwise(edges):
        view.append(text[start:end])
    view.finish(text)

    assert anatomy(view) == anatomy(whole)
    assert view.text() == text


def test_a_line_end_that_arrives_in_two_pieces_is_one_line_end(view: MarkdownView) -> None:
    text = "one\r\ntwo\r\n\r\nthree"
    for character in text:
        view.append(character)
    view.finish(text)

    assert view.toPlainText() == "one two\nthree"


@pytest.mark.spec("UI-2")
def test_a_finished_block_is_never_laid_out_again(view: MarkdownView) -> None:
    view.append("The first paragraph is complete.\n\nThe second")
    kept = len("The first paragraph is complete.")
    touched: list[int] = []
    view.document().contentsChange.connect(lambda *change: touched.append(change[0]))

    for word in ["\n\n", "- one\n", "- two\n", "\nAnd more", " words\n", "\n```\ncode\n", "```\n"]:
        view.append(word)
    view.finish(view.text())

    assert touched
    assert min(touched) >= kept


@pytest.mark.spec("UI-2")
def test_finishing_with_the_same_text_keeps_the_finished_blocks(view: MarkdownView) -> None:
    text = "One.\n\nTwo.\n\nThree"
    view.append(text)
    touched: list[int] = []
    view.document().contentsChange.connect(lambda *change: touched.append(change[0]))

    view.finish(text)

    assert min(touched) >= len("One.\nTwo.")


@pytest.mark.spec("UI-2")
def test_a_reply_that_ended_differently_is_shown_as_it_ended(view: MarkdownView) -> None:
    view.append("Half a sent")

    view.finish("A whole sentence.")

    assert view.toPlainText() == "A whole sentence."


def test_words_show_before_their_line_ends(view: MarkdownView) -> None:
    view.append("Hello")
    view.append(" you")

    assert view.toPlainText() == "Hello you"


def test_markdown_shows_after_a_pause_in_the_stream(qtbot: QtBot, view: MarkdownView) -> None:
    view.append("Two")
    view.append(" **months**")

    qtbot.waitUntil(lambda: view.toPlainText() == "Two months", timeout=3000)


@pytest.mark.spec("UI-6")
def test_a_long_text_is_laid_out_in_slices(qtbot: QtBot, view: MarkdownView) -> None:
    text = "\n\n".join(f"Paragraph {number} " + "word " * 80 for number in range(500))

    view.set_text(text)
    assert not view.is_complete()
    qtbot.waitUntil(view.is_complete, timeout=20_000)

    assert view.document().blockCount() == 500


@pytest.mark.spec("UI-2")
def test_a_piece_costs_no_more_at_the_end_of_a_long_reply_than_at_its_start(qtbot: QtBot) -> None:
    view = MarkdownView("Reply")
    text = "".join(
        f"Paragraph {number}, **word** by word, to its end.\n\n"
        + ("```\nx = 1\n```\n\n" if number % 9 == 0 else "")
        for number in range(400)
    )
    pieces = [text[at : at + 50] for at in range(0, len(text), 50)]

    # As in the chat: only what is in sight is painted.
    sight = QScrollArea()
    qtbot.addWidget(sight)
    sight.setWidget(view)
    sight.setWidgetResizable(True)
    sight.resize(720, 400)
    sight.show()
    quarter = len(pieces) // 4
    first = cost_of_appending(view, pieces[:quarter])
    cost_of_appending(view, pieces[quarter:-quarter])
    last = cost_of_appending(view, pieces[-quarter:])
    view.finish(text)

    # Laying out everything anew would cost seven times as much at the end.
    assert last < 4 * first


def cost_of_appending(view: MarkdownView, pieces: list[str]) -> float:
    """Seconds of processor time, so that a busy machine makes no difference."""
    started = time.process_time()
    for piece in pieces:
        view.append(piece)
        QApplication.processEvents()
    return time.process_time() - started


@pytest.mark.spec("UI-3")
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_the_numbers_of_a_list_have_room_at_any_text_size(
    qapp: QApplication, view: MarkdownView, scale: float
) -> None:
    apply(qapp, Theme(ThemeMode.DARK, text_scale=scale))
    view.set_text("\n".join(f"{number}. item" for number in range(1, 120)))
    block = view.document().lastBlock()
    layout = block.blockFormat()
    room = layout.indent() * view.document().indentWidth() + layout.leftMargin()
    number = QFontMetricsF(view.document().defaultFont()).horizontalAdvance("119.")
    apply(qapp, Theme(ThemeMode.DARK))

    assert room >= number + MARK_GAP


@pytest.mark.spec("UI-2")
def test_a_long_list_keeps_counting_across_its_parts(qtbot: QtBot, view: MarkdownView) -> None:
    text = "\n".join(f"1. item {number}" for number in range(900))
    for at in range(0, len(text), 700):
        view.append(text[at : at + 700])
    view.finish(text)
    qtbot.waitUntil(view.is_complete, timeout=20_000)

    assert [part[2] for part in anatomy(view)] == [f"{number}." for number in range(1, 901)]


@pytest.mark.spec("UI-2")
def test_long_code_stays_one_panel(qtbot: QtBot, view: MarkdownView) -> None:
    lines = [f"line {number} of `code`" for number in range(900)]
    text = "before\n\n```\n" + "\n".join(lines) + "\n```\n\nafter"
    for at in range(0, len(text), 700):
        view.append(text[at : at + 700])
    view.finish(text)
    qtbot.waitUntil(view.is_complete, timeout=20_000)

    parts = anatomy(view)
    assert [part[0] for part in parts] == ["before", *lines, "after"]
    assert {part[1] for part in parts[1:-1]} == {1}


def test_html_stays_text_and_pictures_stay_words(view: MarkdownView) -> None:
    view.set_text(
        '<img src="https://example.org/x.png"><b>bold</b>\n\n![a cat](https://example.org/c)'
    )

    assert view.toPlainText() == '<img src="https://example.org/x.png"><b>bold</b>\n[a cat]'
    assert links(view) == {"https://example.org/x.png", "https://example.org/c"}
    assert "\ufffc" not in view.toPlainText()


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,hello",
        "vbscript:x",
        "smb://host/share",
        "relative/page",
    ],
)
def test_a_link_that_is_no_web_or_mail_address_is_only_words(
    view: MarkdownView, target: str
) -> None:
    view.set_text(f"[press me]({target}) and <{target}>")

    assert links(view) == set()
    assert "press me" in view.toPlainText()


def test_web_and_mail_links_are_links_also_when_bare(view: MarkdownView) -> None:
    view.set_text(
        "[a](https://a.org) [b](mailto:b@b.org) see http://c.org/d?e=1. Or (https://f.g)."
    )

    assert links(view) == {
        "https://a.org",
        "mailto:b@b.org",
        "http://c.org/d?e=1",
        "https://f.g",
    }


@pytest.mark.spec("UI-3")
def test_a_link_can_be_followed_from_the_keyboard(qtbot: QtBot, view: MarkdownView) -> None:
    view.set_text("See [the act](https://example.org/act).")
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Tab)

    with qtbot.waitSignal(view.link_activated, timeout=1000) as heard:
        qtbot.keyClick(view, Qt.Key.Key_Return)

    assert heard.args == ["https://example.org/act"]


def test_the_view_is_as_high_as_its_text_and_never_scrolls(view: MarkdownView) -> None:
    view.set_text("One line.")
    one = view.height()
    view.set_text(SAMPLE)

    assert view.height() > 5 * one
    assert view.height() == math.ceil(view.document().size().height())
    assert view.verticalScrollBar().maximum() == 0


def test_a_narrow_view_is_higher(qtbot: QtBot, view: MarkdownView) -> None:
    view.set_text("many words " * 60)
    wide = view.height()

    view.resize(200, view.height())
    qtbot.waitUntil(lambda: view.height() > 2 * wide, timeout=2000)


def test_a_copied_list_keeps_its_marks(view: MarkdownView) -> None:
    view.set_text("To do:\n\n1. one\n2. two\n   - deep\n- [x] done")
    view.selectAll()
    view.copy()

    assert QGuiApplication.clipboard().text() == "To do:\n1. one\n2. two\n  ◦ deep\n☑ done"


def test_code_is_copied_whole_by_its_button(qtbot: QtBot, view: MarkdownView) -> None:
    view.set_text("Look:\n\n```\nx = 1\n\ny = 2\n```\n")
    view.setFocus()
    cursor = view.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End)
    view.setTextCursor(cursor)
    button = view.findChild(IconButton)
    assert button is not None
    assert button.accessibleName() == "Copy code"

    qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))

    assert QGuiApplication.clipboard().text() == "x = 1\n\ny = 2"


def test_what_a_person_typed_is_shown_exactly(view: MarkdownView) -> None:
    typed = "# not a *heading*\n\n  <b> and https://example.org"

    view.set_plain_text(typed)

    assert view.toPlainText() == typed
    assert links(view) == set()


@pytest.mark.spec("UI-1")
def test_a_stream_goes_on_through_a_change_of_theme(qapp: QApplication, view: MarkdownView) -> None:
    apply(qapp, Theme(ThemeMode.DARK))
    view.append("One.\n\nTwo is **not")
    dark = view.grab().toImage().pixelColor(2, 2)
    apply(qapp, Theme(ThemeMode.LIGHT))
    view.append(" yet** done.")
    view.finish("One.\n\nTwo is **not yet** done.")
    light = view.document().begin().begin().fragment().charFormat().foreground().color()
    apply(qapp, Theme(ThemeMode.DARK))

    assert dark.isValid()
    assert light.name() == "#15181b"
    assert view.toPlainText() == "One.\nTwo is not yet done."


def test_text_after_a_whole_text_grows_its_last_block(view: MarkdownView) -> None:
    view.set_text("One **two")
    view.append(" three**")
    view.finish("One **two three**")

    assert view.toPlainText() == "One two three"


def test_references_defined_later_still_become_links(view: MarkdownView) -> None:
    text = "See [the act][1].\n\nMore.\n\n[1]: https://example.org/act\n"
    for at in range(0, len(text), 7):
        view.append(text[at : at + 7])
    view.finish(text)

    assert links(view) == {"https://example.org/act"}


def test_structure_characters_in_a_reply_do_no_harm(view: MarkdownView) -> None:
    view.set_text("a\u2029b\ufdd0c\ufdd1d\ufffce\u2028f")

    assert view.toPlainText() == "a bcde f"
    assert view.document().blockCount() == 1


@pytest.mark.spec("UI-3")
def test_the_reply_has_a_name_for_screen_readers(qtbot: QtBot) -> None:
    view = MarkdownView("Mira's reply")
    qtbot.addWidget(view)

    assert view.accessibleName() == "Mira's reply"
    assert not view.findChildren(QPushButton)


def test_empty_lines_at_the_end_of_code_take_no_room(view: MarkdownView) -> None:
    view.set_text("```\none\n```")
    short = view.height()
    view.set_text("```\none\n\n\n```")
    assert view.height() == short
    view.set_text("```\none\n\ntwo\n```")
    assert view.height() > short


@pytest.mark.spec("UI-2")
def test_a_code_panel_stands_clear_of_the_table_above_it(view: MarkdownView) -> None:
    view.finish("| a |\n|---|\n| cell |\n\n```\ncode\n```\n")
    layout = view.document().documentLayout()
    places = (view.document().find(text).block() for text in ("cell", "code"))
    cell, code = (layout.blockBoundingRect(block) for block in places)
    assert code.top() - CODE_PADDING_Y > cell.bottom() + CELL_PADDING
