"""What may be told at any time, whatever is being done; pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ankita.engine.events import (
    ApprovalRequested,
    Event,
    NoticeRaised,
    OffersChanged,
    VaultChanged,
)
from ankita.engine.state import ServerOffer


class Offers:
    """Gives each found server a number that stays its own: what was read must stay true."""

    def __init__(self) -> None:
        self._places: list[str] = []
        self._present: dict[str, ServerOffer] = {}

    def take(self, offers: Sequence[ServerOffer]) -> list[ServerOffer]:
        """Remember what is offered now; those that were never offered before."""
        self._present = {offer.base_url: offer for offer in offers}
        fresh = [offer for offer in offers if offer.base_url not in self._places]
        self._places.extend(offer.base_url for offer in fresh)
        return fresh

    def numbered(self) -> list[tuple[int, ServerOffer]]:
        """What is offered now, each with its number, in that order."""
        places = enumerate(self._places, start=1)
        return [(number, self._present[url]) for number, url in places if url in self._present]

    def number(self, offer: ServerOffer) -> int:
        return self._places.index(offer.base_url) + 1

    def get(self, text: str) -> ServerOffer | None:
        """The offer with a typed number, None when there is none now."""
        return {str(number): offer for number, offer in self.numbered()}.get(text)


class News:
    """Turns events into lines that are told once."""

    def __init__(self) -> None:
        self.offers = Offers()

    def lines(self, event: Event) -> Iterator[str]:
        match event:
            case NoticeRaised(notice):
                yield f"! {notice.text}"
            case OffersChanged(offers):
                yield from self.told_offers(offers)
            case VaultChanged(vault) if vault.needs_passphrase:
                yield f"! {vault.problem} /passphrase asks for it."

    def told_offers(self, offers: Sequence[ServerOffer]) -> Iterator[str]:
        """A sentence for each server that was not told yet."""
        for offer in self.offers.take(offers):
            yield offer_sentence(self.offers.number(offer), offer)


def waiting_line(event: Event) -> str | None:
    """A question that came up elsewhere, while nobody is talking here."""
    if isinstance(event, ApprovalRequested):
        return f"? {event.approval.act.title()} waits for your answer: /approvals"
    return None


def offer_sentence(number: int, offer: ServerOffer) -> str:
    """What was found and how to let it answer."""
    where = place(offer.base_url)
    if not offer.models and not offer.needs_key:
        return f"Found {offer.kind} at {where}. {offer.note or 'It has no model yet.'}"
    return f"Found {offer.kind} at {where}{_models(offer)}. /use {number} lets it answer."


def _models(offer: ServerOffer) -> str:
    if not offer.models:
        return ", which wants a key"
    count = len(offer.models)
    wants = ", which wants a key" if offer.needs_key else ""
    return f" with {count} {'model' if count == 1 else 'models'}{wants}"


def place(base_url: str) -> str:
    """Host and port as a person says them."""
    return base_url.partition("://")[2].partition("/")[0] or base_url
