"""Settings: where keys live, and what to do when they cannot be stored."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout

from ankita.engine import (
    GivePassphrase,
    KeepKeysForThisRun,
    RemoveKey,
    SettingsChanged,
    VaultChanged,
)
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.panel_rows import Panel, PanelRow
from ankita.ui.replies import Replies
from ankita.ui.widgets.buttons import ActButton, Variant
from ankita.ui.widgets.plain_label import PlainLabel, visible_text
from ankita.ui.widgets.surfaces import Surface, SurfaceKind


class KeysSection(Panel):
    """Keys are named here and never shown."""

    def __init__(self, bridge: EngineBridge, replies: Replies) -> None:
        super().__init__("Keys")
        self._bridge = bridge
        self._replies = replies
        self._build()
        bridge.listen(VaultChanged, lambda _: self._refresh())
        bridge.listen(SettingsChanged, lambda _: self._refresh())
        self._refresh()

    def _build(self) -> None:
        self.remove = ActButton("Remove", Variant.DANGER, small=True)
        self.remove.setAccessibleName("Remove the key of the model server")
        self.remove.clicked.connect(lambda: self._bridge.do(RemoveKey()))
        self.key_row = PanelRow("Key of the model server", " ", [self.remove], first=True)
        self.add(self.key_row)
        self.problem = Surface(SurfaceKind.DIVIDED)
        column = QVBoxLayout(self.problem)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(8)
        self._problem_words = PlainLabel("", role="danger")
        column.addWidget(self._problem_words)
        self.passphrase = QLineEdit()
        self.passphrase.setEchoMode(QLineEdit.EchoMode.Password)
        self.passphrase.setAccessibleName("Passphrase for the encrypted file")
        self.passphrase.setPlaceholderText("Passphrase for an encrypted file")
        self.passphrase.textChanged.connect(self._refresh_open)
        self.passphrase.returnPressed.connect(self._give)
        column.addWidget(self.passphrase)
        row = QHBoxLayout()
        self.open = ActButton("Open with passphrase", small=True)
        self.open.clicked.connect(self._give)
        self.this_run = ActButton("Keep keys for this run only", small=True)
        self.this_run.clicked.connect(lambda: self._bridge.do(KeepKeysForThisRun()))
        row.addWidget(self.open)
        row.addWidget(self.this_run)
        row.addStretch(1)
        column.addLayout(row)
        self.add(self.problem)
        self._refresh_open()

    def _refresh(self) -> None:
        vault = self._bridge.state.vault
        server = self._bridge.state.settings.server
        has_key = server is not None and bool(server.key_name)
        where = visible_text(vault.description) or "the system keychain, opened when it is needed"
        self.key_row.title.setText("Key of the model server" if has_key else "No key is stored")
        self.key_row.set_words(f"in {where}" if has_key else f"Keys are kept in {where}")
        self.remove.setVisible(has_key)
        self.problem.setVisible(bool(vault.problem))
        self._problem_words.setText(visible_text(vault.problem))
        self.passphrase.setVisible(vault.needs_passphrase)
        self.open.setVisible(vault.needs_passphrase)

    def _refresh_open(self) -> None:
        self.open.setEnabled(bool(self.passphrase.text()))

    def _give(self) -> None:
        if self.passphrase.text():
            command = GivePassphrase(self.passphrase.text())
            self.passphrase.clear()
            self._replies.ask(command, lambda _: None, self._bridge.refused.emit)
