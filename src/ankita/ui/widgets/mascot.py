"""A mascot on screen: shows a state, moves only while there is something to show, takes files."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractButton, QWidget

from ankita.ui.theme import appearance_now
from ankita.ui.widgets.mascot_paint import MascotLook, paint_mascot, paint_pose
from ankita.ui.widgets.mascot_pose import MOTIONS, MascotState, Motion, Pose, blend, pose_for
from ankita.ui.widgets.plain_label import plain_tip

__all__ = ["MascotLook", "MascotState", "MascotWidget", "paint_mascot"]

BLEND_MILLISECONDS = 160
FRAME_MILLISECONDS = 16
CHEW_FRAME_MILLISECONDS = 33
"""Chewing may go on for minutes, so it is drawn at half the rate."""

DropCheck = Callable[[list[str]], str | None]


class MascotWidget(QAbstractButton):
    """One teammate's face.

    A file held over it opens the mouth, whatever the state; dropping it plays the
    swallow and then shows the state again, so the owner may set READING at once.
    """

    drag_entered = Signal(list)
    drag_left = Signal()
    drag_refused = Signal(str)
    """The reason given by the drop check."""
    files_dropped = Signal(list)
    swallowed = Signal()
    """A swallow has ended; at once when motion is reduced."""

    def __init__(
        self,
        name: str,
        look: MascotLook = MascotLook.MINT,
        *,
        size: int = 52,
        reduced_motion: bool = False,
        takes_focus: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._name = name
        self._doing = ""
        self._look = look
        self._size = size
        self._reduced_motion = reduced_motion
        self._state = MascotState.IDLE
        self._overlay: MascotState | None = None
        self._drop_check: DropCheck = _accept_all
        self._gaze = QPointF(0, 0)
        self._from_pose: Pose | None = None
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._advance)
        self._moving = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if takes_focus else Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._describe()

    # --- what it shows -------------------------------------------------

    @property
    def state(self) -> MascotState:
        """What the owner set."""
        return self._state

    @property
    def shown_state(self) -> MascotState:
        """What is drawn: the state, or the drag and swallow over it."""
        return self._overlay or self._state

    @property
    def is_animating(self) -> bool:
        """True while a timer runs."""
        return self._timer.isActive()

    def set_state(self, state: MascotState) -> None:
        """Show `state`; setting the same one again does not restart its motion."""
        if state is self._state:
            return
        before = self.shown_state
        self._state = state
        self._turn_from(before)

    def set_name(self, name: str) -> None:
        self._name = name
        self._describe()

    def set_doing(self, words: str) -> None:
        """What it does in whole words: its tip, and part of its description."""
        if words != self._doing:
            self._doing = words
            self.setToolTip(plain_tip(words))
            self._describe()

    def set_look(self, look: MascotLook) -> None:
        self._look = look
        self.update()

    def set_gaze(self, gaze: QPointF) -> None:
        """Where the eyes look, -1 to 1 each way. The caller decides how often."""
        if gaze != self._gaze and not self._reduced_motion:
            self._gaze = QPointF(gaze)
            self.update()

    def set_reduced_motion(self, reduced: bool) -> None:
        """With True every state is shown at once and stands still."""
        if reduced == self._reduced_motion:
            return
        self._reduced_motion = reduced
        self._gaze = QPointF(0, 0)
        self._begin()

    def set_drop_check(self, check: DropCheck) -> None:
        """`check(paths)` returns None to take the files, or the reason not to."""
        self._drop_check = check
        self.setAcceptDrops(True)
        self._describe()

    # --- motion ----------------------------------------------------------

    def _show_overlay(self, overlay: MascotState | None) -> None:
        if overlay is self._overlay:
            return
        before = self.shown_state
        self._overlay = overlay
        self._turn_from(before)

    def _turn_from(self, before: MascotState) -> None:
        if self.shown_state is before:
            return
        cut_short = self._moving and before is MascotState.SWALLOWING
        self._from_pose = self._pose_of(before)
        self._describe()
        self._begin()
        if cut_short:
            self.swallowed.emit()

    def _begin(self) -> None:
        """Start the motion of the state shown now, or settle it at once."""
        self._clock.restart()
        self._moving = True
        if self._reduced_motion or not self.isVisible():
            self._settle()
        else:
            self._set_frame_rate()
        self.update()

    def _advance(self) -> None:
        motion = MOTIONS.get(self.shown_state)
        elapsed = self._clock.elapsed()
        length = BLEND_MILLISECONDS if motion is None else motion.milliseconds
        if not (motion and motion.repeats) and elapsed >= max(length, BLEND_MILLISECONDS):
            self._settle()
        else:
            self._set_frame_rate()
        self.update()

    def _settle(self) -> None:
        """End of a motion. A repeating one waits here while nobody can see it."""
        self._timer.stop()
        was_moving, self._moving = self._moving, False
        self._from_pose = None
        if was_moving and self.shown_state is MascotState.SWALLOWING:
            if self._overlay is MascotState.SWALLOWING:
                self._show_overlay(None)
            self.swallowed.emit()

    def _set_frame_rate(self) -> None:
        motion = MOTIONS.get(self.shown_state)
        long_lasting = motion is not None and motion.repeats
        slow = long_lasting and self._clock.elapsed() > BLEND_MILLISECONDS
        interval = CHEW_FRAME_MILLISECONDS if slow else FRAME_MILLISECONDS
        if not self._timer.isActive() or self._timer.interval() != interval:
            self._timer.start(interval)

    def _pose_of(self, state: MascotState) -> Pose:
        motion = MOTIONS.get(state)
        if motion is None or not self._timer.isActive():
            return pose_for(state, 0.0)
        return pose_for(state, _phase(motion, self._clock.elapsed()))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        motion = MOTIONS.get(self.shown_state)
        if motion is not None and motion.repeats:
            self._begin()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self._settle()

    # --- drawing -----------------------------------------------------------

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._size, self._size)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        del event
        painter = QPainter(self)
        pose = self._pose_of(self.shown_state)
        if self._from_pose is not None:
            pose = blend(self._from_pose, pose, self._clock.elapsed() / BLEND_MILLISECONDS)
        paint_pose(painter, QRectF(self.rect()), self._look, pose, self._gaze)
        if self.hasFocus():
            self._paint_focus_ring(painter)

    def _paint_focus_ring(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(appearance_now().palette.accent), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        side = min(self.width(), self.height()) - 2
        ring = QRectF(0, 0, side, side)
        ring.moveCenter(QRectF(self.rect()).center())
        painter.drawRoundedRect(ring, side * 0.32, side * 0.32)

    # --- keyboard and names ------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
            return
        super().keyPressEvent(event)

    def _describe(self) -> None:
        self.setAccessibleName(f"{self._name}, {self.shown_state.value}")
        drop = "Drop a file here." if self.acceptDrops() else ""
        doing = f"{self._doing}." if self._doing else ""
        self.setAccessibleDescription(f"{doing} {drop}".strip())

    # --- files ---------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        self.hold(event)

    def hold(self, event: QDropEvent) -> None:
        """A drag has come over the mascot, or over something that takes files for it."""
        paths = _local_files(event)
        if not paths:
            event.ignore()
            return
        # Entered even when refused: only so does Qt report when the drag leaves.
        _accept_copy(event)
        reason = self._drop_check(paths)
        if reason is None:
            self._show_overlay(MascotState.LISTENING)
            self.drag_entered.emit(paths)
        else:
            self._show_overlay(MascotState.FAILED)
            self.drag_refused.emit(reason)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:  # noqa: N802
        if self._overlay is MascotState.LISTENING:
            _accept_copy(event)
        else:
            event.ignore()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: N802
        super().dragLeaveEvent(event)
        self._show_overlay(None)
        self.drag_left.emit()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        paths = _local_files(event)
        reason = self._drop_check(paths) if paths else "Only files can be dropped here."
        if reason is not None:
            event.ignore()
            self._show_overlay(None)
            self.drag_refused.emit(reason)
            return
        _accept_copy(event)
        self.files_dropped.emit(paths)
        self._show_overlay(MascotState.SWALLOWING)


def _phase(motion: Motion, elapsed: int) -> float:
    share = elapsed / motion.milliseconds
    return share % 1.0 if motion.repeats else min(share, 1.0)


def _accept_all(paths: list[str]) -> str | None:
    del paths
    return None


def _accept_copy(event: QDropEvent) -> None:
    """Say that the file is only read: after a "move" its owner might delete it."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def _local_files(event: QDropEvent) -> list[str]:
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
