"""A tool call in the thread: what, with what, how it ended, what came out."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from ankita.engine import CallStatus, ToolItem
from ankita.ui.widgets.plain_label import ElidedLabel
from ankita.ui.widgets.tool_card import FOLD_LINES, ToolCard, duration_words, state_words
from tests.ui.main_window.window_lab import tool


def shown(qtbot: QtBot, item: ToolItem) -> ToolCard:
    card = ToolCard(item)
    qtbot.addWidget(card)
    card.resize(720, 200)
    with qtbot.waitExposed(card):
        card.show()
    return card


@pytest.mark.spec("UI-4")
@pytest.mark.parametrize(
    ("item", "words"),
    [
        (tool(why="allowed: it only reads", seconds=0.41), "0.4 s · allowed: it only reads"),
        (
            tool(why="you said yes on the island", seconds=75),
            "1 min 15 s · you said yes on the island",
        ),
        (
            tool(status=CallStatus.RUNNING, why="allowed: it only reads"),
            "running · allowed: it only reads",
        ),
        (
            tool(status=CallStatus.NOT_RUN, why="you went on without it"),
            "not run: you went on without it",
        ),
        (tool(status=CallStatus.DENIED), "not allowed"),
        (tool(status=CallStatus.UNCERTAIN), "uncertain: it may have happened"),
        (tool(status=CallStatus.INTERRUPTED), "cut off, check what happened"),
        (tool(status=CallStatus.FAILED, seconds=2.0), "2.0 s · failed"),
        (
            tool(status=CallStatus.FAILED, why="allowed: it only reads"),
            "failed · allowed: it only reads",
        ),
    ],
)
def test_a_call_says_how_it_stands(item: ToolItem, words: str) -> None:
    assert state_words(item) == words


@pytest.mark.spec("UI-4")
def test_a_big_output_folds_and_can_be_opened(qtbot: QtBot) -> None:
    output = "\n".join(f"line {n}" for n in range(40))
    card = shown(qtbot, tool(output=output))
    assert card.is_folded()
    low = card.sizeHint().height()
    card._fold.click()
    assert not card.is_folded()
    qtbot.waitUntil(lambda: card.sizeHint().height() > low)
    assert card.output_text() == output


@pytest.mark.spec("UI-4")
def test_one_endless_line_folds_too(qtbot: QtBot) -> None:
    card = shown(qtbot, tool(output="x" * 20_000))
    assert card.is_folded()
    assert card.sizeHint().height() < 400


def test_a_short_output_stands_whole(qtbot: QtBot) -> None:
    card = shown(qtbot, tool(output="\n".join("x" * FOLD_LINES)))
    assert not card.is_folded()
    assert not card._fold.isVisible()


@pytest.mark.spec("APR-17")
def test_output_is_plain_and_hides_nothing(qtbot: QtBot) -> None:
    card = shown(qtbot, tool(output="<b>x</b>\u202e\x1b[31m"))
    assert card.output_text() == "<b>x</b>⟨U+202E⟩⟨U+001B⟩[31m"


def test_a_minute_is_said_in_minutes() -> None:
    assert duration_words(59.94) == "59.9 s"
    assert duration_words(61) == "1 min 1 s"


@pytest.mark.spec("UI-4")
def test_a_long_target_leaves_the_tool_and_its_end_readable(qtbot: QtBot) -> None:
    target = "/home/mira/" + "very_long_name_" * 20
    card = shown(qtbot, tool(target=target, seconds=0.4, why="allowed: it only reads"))
    labels = {label.text(): label for label in card.findChildren(ElidedLabel)}
    assert not labels["files: read file"].is_elided()
    assert not labels["0.4 s · allowed: it only reads"].is_elided()
    assert labels[target].is_elided()


@pytest.mark.spec("APR-18")
def test_what_was_put_off_shows_no_words_meant_for_the_model(qtbot: QtBot) -> None:
    item = tool("c1", status=CallStatus.PARKED, output="Do not repeat it or work around it.")
    card = ToolCard(item)
    qtbot.addWidget(card)
    assert card.output_text() == ""
    assert "Not now" in state_words(item, can_be_allowed=True)
