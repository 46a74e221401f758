"""Settings, in sections that each draw one part of the state."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.add_model_section import AddModelSection
from ankita.ui.main_window.answers_section import AnswersSection
from ankita.ui.main_window.folders_section import FoldersSection
from ankita.ui.main_window.keys_section import KeysSection
from ankita.ui.main_window.look_section import LookSection
from ankita.ui.main_window.panel_rows import Page, ScrollColumn, TwoColumns
from ankita.ui.main_window.team_section import TeamSection
from ankita.ui.main_window.web_section import WebSection
from ankita.ui.replies import Replies


class SettingsPane(Page):
    """Everything on it works at once; there is nothing to apply."""

    def __init__(self, bridge: EngineBridge, parent: QWidget | None = None) -> None:
        super().__init__("Settings", parent)
        self.replies = Replies(bridge, self)
        self.line.setText("Everything stays on this computer unless you send it somewhere.")
        area = ScrollColumn("Settings")
        self.body.addWidget(area, 1)
        columns = TwoColumns()
        area.column.addWidget(columns)
        area.column.addStretch(1)
        self.answers = AnswersSection(bridge, self.replies)
        self.adding = AddModelSection(bridge, self.replies)
        self.keys = KeysSection(bridge, self.replies)
        self.folders = FoldersSection(bridge)
        self.look = LookSection(bridge)
        self.team = TeamSection(bridge, self.replies)
        self.web = WebSection(bridge, self.replies)
        left: tuple[QWidget, ...] = (self.answers, self.adding, self.keys)
        right: tuple[QWidget, ...] = (self.look, self.team, self.folders, self.web)
        for section in left:
            columns.left.addWidget(section)
        for section in right:
            columns.right.addWidget(section)
        for column in (columns.left, columns.right):
            column.addStretch(1)
