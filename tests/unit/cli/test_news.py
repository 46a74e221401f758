"""What is told while the terminal waits, and when a thread's work is over (CLI-1)."""

from __future__ import annotations

import queue
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ankita.cli.meanwhile import Meanwhile
from ankita.cli.news import News, Offers, offer_sentence, waiting_line
from ankita.cli.turn_watch import TurnWatch
from ankita.engine import (
    ApprovalRequested,
    Notice,
    NoticeLevel,
    NoticeRaised,
    NumberedEvent,
    OffersChanged,
    QueueChanged,
    QueuedMessage,
    ServerOffer,
    ThreadSaved,
    ThreadStatus,
    VaultChanged,
    VaultState,
)
from ankita.engine.events import ItemAdded
from ankita.ids import ThreadId
from tests.ui.main_window.window_lab import question, thread, user
from tests.unit.cli.chat_stage import LM_STUDIO, OLLAMA

pytestmark = pytest.mark.spec("CLI-1")

THREAD = ThreadId("t1")
AT = "2026-05-04T10:00:00+00:00"


def saved(status: ThreadStatus) -> ThreadSaved:
    return ThreadSaved(thread("t1", status=status))


def queued(*texts: str) -> QueueChanged:
    return QueueChanged(THREAD, tuple(QueuedMessage(text, text, AT) for text in texts))


def test_a_server_is_told_once() -> None:
    news = News()
    assert len(list(news.lines(OffersChanged((OLLAMA,), is_looking=True)))) == 1
    assert list(news.lines(OffersChanged((OLLAMA,)))) == []
    assert list(news.lines(OffersChanged(()))) == []
    (line,) = news.lines(OffersChanged((OLLAMA, LM_STUDIO)))
    assert line == "Found LM Studio at 127.0.0.1:1234 with 1 model. /use 2 lets it answer."


def test_a_server_without_a_model_is_told_with_what_is_in_the_way() -> None:
    empty = ServerOffer("http://127.0.0.1:11434/v1", "Ollama", note="It has no model yet.")
    assert offer_sentence(1, empty) == "Found Ollama at 127.0.0.1:11434. It has no model yet."


def test_notices_locked_keys_and_questions_of_others_are_told() -> None:
    news = News()
    assert list(news.lines(NoticeRaised(Notice("n", "Careful.", NoticeLevel.INFO)))) == [
        "! Careful."
    ]
    locked = VaultChanged(VaultState("", "Your keys are in a file.", needs_passphrase=True))
    assert "/passphrase" in "".join(news.lines(locked))
    assert list(news.lines(VaultChanged(VaultState("keychain")))) == []
    assert waiting_line(ApprovalRequested(question())) == (
        "? gmail: send email waits for your answer: /approvals"
    )


@given(st.lists(st.sets(st.integers(0, 8))))
def test_a_number_that_was_told_never_means_another_server(looks: list[set[int]]) -> None:
    offers = Offers()
    told: dict[int, str] = {}
    for look in looks:
        offers.take([ServerOffer(f"http://127.0.0.1:{port}/v1", "X") for port in sorted(look)])
        for number, offer in offers.numbered():
            assert told.setdefault(number, offer.base_url) == offer.base_url
            assert offers.get(str(number)) == offer
        assert len(offers.numbered()) == len(look)
    assert len(set(told.values())) == len(told)


def test_a_turn_is_over_when_nothing_of_it_runs_or_waits() -> None:
    watch = TurnWatch(THREAD)
    assert not watch.is_over
    watch.take(queued("more"))
    watch.take(saved(ThreadStatus.IDLE))
    assert not watch.is_over, "the queue starts the next one"
    watch.take(saved(ThreadStatus.WORKING))
    assert watch.take(ItemAdded(THREAD, user("more"))) == ["> more"]
    watch.take(queued())
    assert not watch.is_over
    watch.take(ThreadSaved(thread("other", status=ThreadStatus.IDLE)))
    assert not watch.is_over
    watch.take(saved(ThreadStatus.IDLE))
    assert watch.is_over
    assert not watch.has_failed


def test_what_came_back_from_the_queue_is_said() -> None:
    watch = TurnWatch(THREAD)
    watch.take(queued("one", "two"))
    watch.take(saved(ThreadStatus.STOPPED))
    assert watch.take(queued("two")) == ["! Not sent: one"]
    assert watch.take(queued()) == ["! Not sent: two"]
    assert watch.is_over
    assert watch.has_failed


def test_a_turn_that_began_before_the_last_ones_end_was_seen_is_followed() -> None:
    watch = TurnWatch(THREAD)
    watch.expect_another()
    watch.take(saved(ThreadStatus.IDLE))
    assert not watch.is_over
    watch.take(saved(ThreadStatus.WORKING))
    watch.take(saved(ThreadStatus.IDLE))
    assert watch.is_over


def test_news_is_told_in_the_meantime_and_nothing_is_lost_at_its_end() -> None:
    events: queue.Queue[NumberedEvent] = queue.Queue()
    told: list[object] = []
    heard = threading.Event()

    def tell(event: object) -> None:
        told.append(event)
        heard.set()

    first, last = OffersChanged((OLLAMA,)), OffersChanged(())
    with Meanwhile(events, tell):
        events.put(NumberedEvent(1, first))
        assert heard.wait(20)
        events.put(NumberedEvent(2, last))
    assert told == [first, last]
    assert events.empty()
