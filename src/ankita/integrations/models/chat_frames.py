"""Reads single parts of a chat-completions frame, in every form that servers give them. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ankita.messages import FinishReason, Json, Usage

_REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")

_FINISH_REASONS = {
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "content_filter": FinishReason.FILTERED,
    "safety": FinishReason.FILTERED,
    "recitation": FinishReason.FILTERED,
}
_BROKEN_REASONS = frozenset({"error", "insufficient_system_resource", "abort"})


def is_error(frame: Json) -> bool:
    """An error, or a list that holds one. Lists in lists are no form that a server gives."""
    each = frame if isinstance(frame, list) else (frame,)
    return any(
        bool(one.get("error")) or one.get("object") == "error"
        for one in each
        if isinstance(one, Mapping)
    )


def first_choice(frame: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """One reply was asked for, so every choice but the first is ignored."""
    choices = frame.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, Mapping) and not choice.get("index"):
            return choice
    return None


def usage_of(frame: Mapping[str, Json]) -> Usage | None:
    groq = frame.get("x_groq")
    usage = frame.get("usage") or (groq.get("usage") if isinstance(groq, Mapping) else None)
    if not isinstance(usage, Mapping):
        return None
    sent, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(sent, int) or not isinstance(written, int):
        return None
    return Usage(sent, written, cached_tokens=_cached_tokens(usage))


def _cached_tokens(usage: Mapping[str, Json]) -> int:
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    cached = cached or usage.get("prompt_cache_hit_tokens")  # DeepSeek
    return cached if isinstance(cached, int) else 0


def thought_of(delta: Mapping[str, Json]) -> str:
    """The model's thinking; where a server gives it under two names, it is taken once."""
    thoughts = (delta.get(name) for name in _REASONING_FIELDS)
    return next((text for text in thoughts if isinstance(text, str) and text), "")


def has_substance(choice: Mapping[str, Json]) -> bool:
    """More than a sign of life: something of the reply, or its end.

    A delta with a role and empty texts is what some gateways send to keep a
    connection open while the model has not begun.
    """
    delta = delta_of(choice)
    fields = delta.items() if delta is not None else ()
    is_reply = any(value for name, value in fields if name != "role")
    return is_reply or bool(choice.get("finish_reason") or choice.get("error"))


def delta_of(choice: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """A piece of the reply, or all of it where the answer is no stream."""
    delta = choice.get("delta") or choice.get("message")
    return delta if isinstance(delta, Mapping) else None


def content_text(content: Json) -> str:
    """Text, or the text parts of a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "".join(text for text in texts if isinstance(text, str))


def finish_reason(said: str) -> FinishReason:
    """What a server's reason means; one that nobody knows is a normal end."""
    return _FINISH_REASONS.get(said.lower(), FinishReason.STOP)


def is_broken_off(said: str) -> bool:
    """The reason says that the reply failed."""
    reason = said.lower()
    # Gemini puts it behind the name of a filter.
    return reason in _BROKEN_REASONS or "malformed_function_call" in reason
