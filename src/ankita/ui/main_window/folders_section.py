"""Settings: the folders that tools may use."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QFileDialog

from ankita.engine import GrantFolder, RevokeFolder, SettingsChanged
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.panel_rows import Panel, PanelRow
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.chips import ChoiceChip
from ankita.ui.widgets.plain_label import visible_text


def access_words(may_write: bool) -> str:
    return "read and change" if may_write else "read only"


class FoldersSection(Panel):
    """The workspace first; it cannot be removed."""

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__("Folders that Ankita may use")
        self._bridge = bridge
        self._may_write = False
        bridge.listen(SettingsChanged, lambda _: self._refresh())
        self._refresh()

    def add_folder(self, path: str) -> None:
        """Grant a folder with the access that is chosen."""
        if path:
            self._bridge.do(GrantFolder(path, self._may_write))

    def _refresh(self) -> None:
        state = self._bridge.state
        self.clear()
        workspace = Path(state.workspace).name or "Workspace"
        self.add(
            PanelRow(workspace, f"workspace · read and change · {state.workspace}", first=True)
        )
        for folder in state.settings.folders:
            name = Path(folder.path).name or folder.path
            remove = ActButton("Remove", small=True)
            remove.setAccessibleName(f"Remove the folder {visible_text(name)}")
            remove.clicked.connect(
                lambda _=False, path=folder.path: self._bridge.do(RevokeFolder(path))
            )
            words = f"{access_words(folder.may_write)} · {folder.path}"
            self.add(PanelRow(name, words, [remove]))
        self.add(self._add_row())

    def _add_row(self) -> PanelRow:
        chips = QButtonGroup(self)
        read, change = ChoiceChip("read only"), ChoiceChip("read and change")
        for chip in (read, change):
            chips.addButton(chip)
            chip.setAccessibleDescription("What tools may do in the next folder you add.")
        (change if self._may_write else read).setChecked(True)
        change.toggled.connect(self._set_may_write)
        self.add_button = ActButton("Add folder", small=True)
        self.add_button.clicked.connect(self._choose)
        return PanelRow(
            words="Nothing outside these, also through links.",
            controls=[read, change, self.add_button],
        )

    def _set_may_write(self, may_write: bool) -> None:
        self._may_write = may_write

    def _choose(self) -> None:
        dialog = QFileDialog(self, f"Add a folder: {access_words(self._may_write)}")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.add_folder)
        dialog.open()
