"""Profiles that a chat is started on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def configure(profile: Path, **settings: Any) -> Path:
    """A profile with these settings."""
    profile.mkdir(mode=0o700, exist_ok=True)
    document = {"version": 1, "folders": [], **settings}
    (profile / "settings.json").write_text(json.dumps(document), encoding="utf-8")
    return profile


def server_settings(base_url: str) -> dict[str, str]:
    """A scripted server whose model needs no self-test."""
    return {"base_url": base_url, "model": "scripted-model", "tool_mode": "native"}
