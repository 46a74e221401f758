"""Text on at most a few lines that ends in … when there is more."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QStyleOption, QWidget

from ankita.ui.widgets.plain_label import PlainLabel, plain_tip

_LONGEST_TIP = 1_000
_LONGEST_SHOWN = 2_000
"""Characters that are laid out: more do not fit into a few lines."""


class FewLinesLabel(PlainLabel):
    """Wraps at `lines` lines; the whole text is its tooltip and its spoken name."""

    def __init__(
        self, text: str = "", *, role: str = "body", lines: int = 2, parent: QWidget | None = None
    ) -> None:
        self._most = lines
        self._full = ""
        super().__init__(role=role, parent=parent)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802
        """Show `text`; line breaks become spaces."""
        self._full = " ".join(text.split())
        super().setText(self._full[:_LONGEST_SHOWN])
        self.setAccessibleName(text)
        self.setToolTip(plain_tip(text[:_LONGEST_TIP]))
        self.updateGeometry()

    def shown_lines(self, width: int) -> list[str]:
        """The lines as they are painted at a width in pixels."""
        text, metrics = self.text(), self.fontMetrics()
        starts = self._line_starts(width)
        lines = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
        if len(lines) > self._most:
            rest = "".join(lines[self._most - 1 :])
            lines = lines[: self._most - 1]
            lines.append(metrics.elidedText(rest, Qt.TextElideMode.ElideRight, width))
        return lines

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        return max(len(self.shown_lines(width)), 1) * self._line_height()

    def sizeHint(self) -> QSize:  # noqa: N802
        width = min(self.fontMetrics().horizontalAdvance(self.text()) + 2, 400)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self.fontMetrics().horizontalAdvance("MM…"), self._line_height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        del event
        option = QStyleOption()
        option.initFrom(self)
        painter = QPainter(self)
        painter.setPen(option.palette.color(self.foregroundRole()))
        lines = self.shown_lines(self.width())
        above = max(self.height() - len(lines) * self._line_height(), 0) / 2
        for place, line in enumerate(lines):
            top = above + place * self._line_height() + self.fontMetrics().ascent()
            painter.drawText(QPointF(0, top), line)

    def _line_height(self) -> int:
        return self.fontMetrics().lineSpacing()

    def _line_starts(self, width: int) -> list[int]:
        layout = QTextLayout(self.text(), self.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        starts: list[int] = []
        while len(starts) <= self._most and (line := layout.createLine()).isValid():
            line.setLineWidth(max(width, 1))
            starts.append(line.textStart())
        layout.endLayout()
        return starts or [0]
