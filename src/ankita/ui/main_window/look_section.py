"""Settings: theme, text size and motion."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup

from ankita.config import MAX_TEXT_SCALE, MIN_TEXT_SCALE, Motion, ThemeMode
from ankita.engine import ChangeAppearance, SettingsChanged
from ankita.ui.bridge import EngineBridge
from ankita.ui.main_window.panel_rows import Panel, PanelRow
from ankita.ui.widgets.buttons import ActButton
from ankita.ui.widgets.chips import ChoiceChip
from ankita.ui.widgets.plain_label import PlainLabel

STEP_PERCENT = 10
LEAST, MOST = round(MIN_TEXT_SCALE * 100), round(MAX_TEXT_SCALE * 100)


class LookSection(Panel):
    """Every change is a command; what is shown follows the settings."""

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__("Look")
        self._bridge = bridge
        self.themes = self._chips(
            {ThemeMode.SYSTEM: "System", ThemeMode.LIGHT: "Light", ThemeMode.DARK: "Dark"},
            "Theme",
        )
        self._motions = self._chips(
            {Motion.SYSTEM: "System", Motion.FULL: "Full", Motion.REDUCED: "Less"}, "Motion"
        )
        self.percent = PlainLabel("", role="control", wraps=False)
        self.smaller = ActButton("Smaller", small=True)
        self.larger = ActButton("Larger", small=True)
        self.smaller.setAccessibleName("Smaller text")
        self.larger.setAccessibleName("Larger text")
        self.smaller.clicked.connect(lambda: self._resize(-STEP_PERCENT))
        self.larger.clicked.connect(lambda: self._resize(STEP_PERCENT))
        size = [self.smaller, self.percent, self.larger]
        self.add(PanelRow("Theme", controls=list(self.themes.values()), first=True, role="body"))
        self.add(PanelRow("Text size", "of the system's", size, role="body"))
        self.add(PanelRow("Motion", controls=list(self._motions.values()), role="body"))
        bridge.listen(SettingsChanged, lambda _: self._refresh())
        self._refresh()

    def _chips(
        self, words: dict[ThemeMode, str] | dict[Motion, str], what: str
    ) -> dict[ThemeMode | Motion, ChoiceChip]:
        group = QButtonGroup(self)
        chips: dict[ThemeMode | Motion, ChoiceChip] = {}
        for value, text in words.items():
            chip = ChoiceChip(text)
            chip.setAccessibleName(f"{what}: {text}")
            chip.clicked.connect(lambda _=False, chosen=value: self._choose(chosen))
            group.addButton(chip)
            chips[value] = chip
        return chips

    def _choose(self, value: ThemeMode | Motion) -> None:
        if isinstance(value, ThemeMode):
            self._bridge.do(ChangeAppearance(theme=value))
        else:
            self._bridge.do(ChangeAppearance(motion=value))

    def _resize(self, change: int) -> None:
        wanted = self._now() + change
        self._bridge.do(ChangeAppearance(text_scale=min(max(wanted, LEAST), MOST) / 100))

    def _now(self) -> int:
        """The present text size in percent, on a step."""
        percent = self._bridge.state.settings.text_scale * 100
        return round(percent / STEP_PERCENT) * STEP_PERCENT

    def _refresh(self) -> None:
        settings = self._bridge.state.settings
        self.themes[settings.theme].setChecked(True)
        self._motions[settings.motion].setChecked(True)
        self.percent.setText(f"{round(settings.text_scale * 100)} %")
        self.percent.setAccessibleName(f"Text size {self.percent.text()}")
        self._enable(self.smaller, self.larger, self._now() > LEAST)
        self._enable(self.larger, self.smaller, self._now() < MOST)

    @staticmethod
    def _enable(button: ActButton, other: ActButton, can_be_used: bool) -> None:
        """The keyboard of a button that ends here goes to the other, not out of the section."""
        other.setEnabled(other.isEnabled() or not can_be_used)
        if button.hasFocus() and not can_be_used:
            other.setFocus()
        button.setEnabled(can_be_used)
