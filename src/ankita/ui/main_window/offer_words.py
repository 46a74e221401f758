"""What is said about a model server that was found on this computer; pure."""

from __future__ import annotations

from urllib.parse import urlsplit

from ankita.engine import EngineState, OfferedModel, ServerOffer, TeammateState
from ankita.ui.widgets.plain_label import visible_text

UNTIL_THEN = "Nothing is sent there before you choose “Use it”."


def offer_line(offer: ServerOffer) -> str:
    """ "Ollama runs on this computer (127.0.0.1:11434) with 3 models."."""
    place = urlsplit(offer.base_url).netloc or offer.base_url
    count = len(offer.models)
    models = "" if count == 0 else " with 1 model" if count == 1 else f" with {count} models"
    return visible_text(f"{offer.kind} runs on this computer ({place}){models}.")


def model_line(model: OfferedModel) -> str:
    """The name, and what the server says that it lacks."""
    return visible_text(model.name) + (" · no tools" if model.has_tools is False else "")


def is_unchosen(state: EngineState, teammate: TeammateState) -> bool:
    """Whether the user has not said yet what answers for this teammate."""
    return state.settings.server is None and teammate.server is None


def offers_for(state: EngineState, teammate: TeammateState) -> tuple[ServerOffer, ...]:
    """What to offer: nothing once the user has chosen what answers."""
    return state.offers if is_unchosen(state, teammate) else ()
