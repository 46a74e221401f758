"""Text in a card: every trick shows."""

from __future__ import annotations

import time

import pytest

from ankita.security.display_text import MAX_SPACES, one_line, visible


@pytest.mark.spec("APR-17")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pay \u202ecod.exe", "pay ⟨U+202E⟩cod.exe"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("a" + " " * 500 + "b", "a⟨500 spaces⟩b"),
        ("a" + "\u3000" * 500 + "b", "a⟨500 spaces⟩b"),
        ("a" + "\n" * 500 + "b", "a\n⟨499 empty lines⟩\nb"),
        ("a\r\nb\rc\x1b[2J\x00", "a\nb⟨U+000D⟩c⟨U+001B⟩[2J⟨U+0000⟩"),
        ("filler\u3164\u2800", "filler⟨U+3164⟩⟨U+2800⟩"),
        ("e" + "\u0301" * 6, "e" + "\u0301" * 4 + "⟨U+0301⟩⟨U+0301⟩"),
        ("half \ud800", "half ⟨U+D800⟩"),
        ("see раypal.com now", "see ⟨U+0440⟩⟨U+0430⟩ypal.com now"),
        ("bo@аррӏе.com", "bo@⟨U+0430⟩⟨U+0440⟩⟨U+0440⟩⟨U+04CF⟩⟨U+0435⟩.com"),
    ],
)
def test_what_hides_is_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    ["Grüße aus Köln", "नमस्ते दुनिया", "こんにちは。元気", "münchen.de", "пример.рф",
     "日本語テスト.jp", "two\n\nparagraphs", "<b>not bold</b> [x](http://y)", "שלום", "🙂 ok"],
)  # fmt: skip
def test_ordinary_text_of_any_language_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_the_look_of_a_sign_is_no_news() -> None:
    assert visible("❤\ufe0f") == "❤"
    assert visible("a\ufe0f") == "a⟨U+FE0F⟩"


def test_a_cut_says_how_much_is_missing() -> None:
    shown = visible("x" * 100, 40)
    kept = shown.count("x")
    assert len(shown) <= 40
    assert shown == "x" * kept + f"⟨{100 - kept} more characters⟩"
    with pytest.raises(ValueError, match="at least"):
        visible("x", 3)


def test_one_line_has_no_line_break() -> None:
    assert one_line("a\nb") == "a ⏎ b"
    assert visible(" " * MAX_SPACES) == " " * MAX_SPACES


@pytest.mark.parametrize("unit", ["ж", "ж.", "a-", "\u0301", " \n", "ж ", "\u202e", "-ж_"])
def test_hostile_length_costs_little_time(unit: str) -> None:
    started = time.process_time()
    visible(unit * 100_000)
    assert time.process_time() - started < 5.0
