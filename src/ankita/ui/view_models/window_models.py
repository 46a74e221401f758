"""The models that both windows share, as one value."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject

from ankita.ui.bridge import EngineBridge
from ankita.ui.view_models.approvals import ApprovalsModel
from ankita.ui.view_models.decisions import DecisionsModel
from ankita.ui.view_models.teammates import TeammatesModel
from ankita.ui.view_models.threads import ThreadsModel
from ankita.ui.view_models.transcript import TranscriptModel


@dataclass(frozen=True, slots=True)
class WindowModels:
    """One instance of each, so that no two windows can show different things."""

    threads: ThreadsModel
    transcript: TranscriptModel
    approvals: ApprovalsModel
    decisions: DecisionsModel
    teammates: TeammatesModel


def make_models(bridge: EngineBridge, parent: QObject | None = None) -> WindowModels:
    return WindowModels(
        ThreadsModel(bridge, parent),
        TranscriptModel(bridge, parent),
        ApprovalsModel(bridge, parent),
        DecisionsModel(bridge, parent),
        TeammatesModel(bridge, parent),
    )
