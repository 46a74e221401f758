"""What is offered of what a hub tells, and where a request may be led."""

from __future__ import annotations

from typing import Any

import pytest

from ankita.errors import ModelProtocolError
from ankita.integrations.local_model.hub import (
    RECOMMENDED,
    FoundModelFile,
    RecommendedModel,
    file_url,
    offered_file,
)
from ankita.integrations.local_model.hub_connection import PUBLIC_HUB, check_hop

pytestmark = pytest.mark.spec("PRV-9")

MODEL = RecommendedModel("Maker/Small-GGUF", ("*Q4_K_M.gguf", "*Q8_0.gguf"), "For tests.")
HASH = "ab" * 32


def row(name: str, **changes: Any) -> dict[str, Any]:
    return {"rfilename": name, "size": 10, "lfs": {"sha256": HASH, "size": 10}} | changes


def answer(*rows: Any, **changes: Any) -> dict[str, Any]:
    told = {"author": "Maker", "cardData": {"license": "apache-2.0"}, "siblings": list(rows)}
    return told | changes


def name_of(told: Any) -> str | None:
    found = offered_file(MODEL, told, "hub.test")
    return found.name if found else None


def test_an_offer_holds_the_facts_of_the_hub() -> None:
    assert offered_file(MODEL, answer(row("Small-Q8_0.gguf")), "hub.test") == FoundModelFile(
        id="Maker/Small-GGUF/Small-Q8_0.gguf",
        name="Small-Q8_0",
        publisher="Maker",
        licence="Apache-2.0",
        size=10,
        sha256=HASH,
        host="hub.test",
        note="For tests.",
    )


def test_the_first_pattern_wins_over_the_order_of_the_hub() -> None:
    rows = row("Small-Q8_0.gguf"), row("Small-Q4_K_M.gguf"), row("README.md")
    assert name_of(answer(*rows)) == "Small-Q4_K_M"


@pytest.mark.parametrize(
    "told",
    [
        None,
        [],
        "words",
        {},
        answer(),
        answer(siblings=None),
        answer(row("Small-Q8_0.gguf"), cardData=None),
        answer(row("Small-Q8_0.gguf"), cardData={}),
        answer(row("Small-Q8_0.gguf"), cardData={"license": ["mit"]}),
        answer(row("Small-Q8_0.gguf"), cardData={"license": "other"}),
        answer(row("Small-Q8_0.gguf"), gated="manual"),
        answer(row("Small-Q8_0.gguf"), private=True),
        answer(row("Small-Q8_0.gguf", lfs=None)),
        answer(row("Small-Q8_0.gguf", lfs={"size": 10})),
        answer(row("Small-Q8_0.gguf", lfs={"size": 10, "sha256": "ab"})),
        answer(row("Small-Q8_0.gguf", lfs={"size": 0, "sha256": HASH})),
        answer(row("Small-Q8_0.gguf", lfs={"size": True, "sha256": HASH})),
        answer(row("Small-Q8_0.gguf", lfs={"size": 10**15, "sha256": HASH})),
        answer(row("../../Small-Q8_0.gguf")),
        answer(row("deep/Small-Q8_0.gguf")),
        answer(row(".Q8_0.gguf")),
        answer(row(7), 7, None),
        answer(row("Small-Q2_K.gguf")),
    ],
)
def test_what_the_hub_cannot_vouch_for_is_not_offered(told: Any) -> None:
    assert name_of(told) is None


def test_words_of_the_hub_can_hide_nothing() -> None:
    found = offered_file(MODEL, answer(row("S-Q8_0.gguf"), author="Good\u202ekaM"), "hub.test")
    assert found is not None
    assert "\u202e" not in found.publisher


def test_three_places_are_recommended_with_a_word_for_whom() -> None:
    assert len(RECOMMENDED) == 3
    assert all(model.note and model.repository.count("/") == 1 for model in RECOMMENDED)
    url = file_url(f"{RECOMMENDED[0].repository}/x.gguf")
    assert url == f"{PUBLIC_HUB}/{RECOMMENDED[0].repository}/resolve/main/x.gguf"


@pytest.mark.parametrize("url", ["https://cdn.example.org/a?b=c#d", "https://hub.test:8443/"])
def test_any_encrypted_host_may_hold_the_file(url: str) -> None:
    check_hop(url, is_local_hub=False)
    check_hop(url, is_local_hub=True)


@pytest.mark.parametrize(
    "url",
    [
        "http://cdn.example.org/a",
        "ftp://cdn.example.org/a",
        "https://user:word@cdn.example.org/a",
        "https://127.0.0.1/a",
        "https://192.168.1.1/a",
        "http://127.0.0.1/a",
        "file:///etc/passwd",
        "//",
        "",
    ],
)
def test_a_public_hub_leads_to_no_other_place(url: str) -> None:
    with pytest.raises(ModelProtocolError):
        check_hop(url, is_local_hub=False)


def test_only_a_hub_of_this_machine_leads_to_this_machine() -> None:
    check_hop("http://127.0.0.1:8000/a", is_local_hub=True)
    with pytest.raises(ModelProtocolError):
        check_hop("http://192.168.1.1/a", is_local_hub=True)
