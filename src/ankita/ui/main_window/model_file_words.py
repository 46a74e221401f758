"""What is said about a model file: its size, its hash, and how far a download is; pure."""

from __future__ import annotations

from ankita.engine import ModelDownload, ModelOffer
from ankita.ui.widgets.plain_label import visible_text

_MB, _GB = 1_000_000, 1_000_000_000


def size_words(size: int) -> str:
    """ "640 MB" or "1.1 GB" for a number of bytes."""
    if size >= _GB:
        return f"{size / _GB:.1f} GB"
    return f"{max(round(size / _MB), 1)} MB"


def offer_words(offer: ModelOffer) -> str:
    """Publisher, licence, size and host in one line."""
    parts = (offer.publisher, offer.licence, size_words(offer.size), f"from {offer.host}")
    return visible_text(" · ".join(parts))


def offer_facts(offer: ModelOffer) -> list[tuple[str, str]]:
    """What a yes to the download covers, by name."""
    return [
        ("Publisher", offer.publisher),
        ("Licence", offer.licence),
        ("Size", size_words(offer.size)),
        ("From", offer.host),
        ("File", offer.id),
        ("SHA-256", offer.sha256),
    ]


def progress_words(download: ModelDownload) -> str:
    """ "320 of 1,117 MB", or what goes on after the last byte."""
    if download.is_checking:
        return "All is here. Its hash is being checked…"
    done = f"{download.done // _MB:,}"
    return f"{done} of {round(download.total / _MB):,} MB" if download.total else f"{done} MB"
