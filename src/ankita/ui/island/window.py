"""The island: a small window at the top of the screen that shows who does what and asks."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from ankita.engine import Answer, ApprovalParked, TeammateChanged
from ankita.ids import TeammateId
from ankita.ui.bridge import EngineBridge
from ankita.ui.island.compositor import is_composited
from ankita.ui.island.content import Form, IslandContent
from ankita.ui.island.drop_intake import DropIntake
from ankita.ui.island.drop_target import DropTarget
from ankita.ui.island.keyboard_loan import KeyboardLoan
from ankita.ui.island.place_keeper import PlaceKeeper, UiStore
from ankita.ui.island.placement import EXPANDED_MOST, TOP_GAP, WIDTH, IslandMode
from ankita.ui.island.shell import SHADOW, inner_of, paint_shell, shape_of
from ankita.ui.island.window_use import WindowUse
from ankita.ui.theme import appearance_now
from ankita.ui.view_models.window_models import WindowModels
from ankita.ui.widgets.mascot import MascotWidget

FLAGS = (
    Qt.WindowType.Tool
    | Qt.WindowType.FramelessWindowHint
    | Qt.WindowType.WindowStaysOnTopHint
    | Qt.WindowType.WindowDoesNotAcceptFocus
    | Qt.WindowType.NoDropShadowWindowHint
)
"""Set once: a later change would hide the window."""

IS_EXPANDED = "island.expanded"

_MODES = {
    Form.COMPACT: IslandMode.COMPACT,
    Form.ASKING: IslandMode.COMPACT,
    Form.EXPANDED: IslandMode.EXPANDED,
}
_PAGES = {
    Qt.Key.Key_PageDown: 0.9,
    Qt.Key.Key_PageUp: -0.9,
    Qt.Key.Key_Down: 0.2,
    Qt.Key.Key_Up: -0.2,
}


class IslandWindow(QWidget):
    """Takes no focus by itself. A click on its body lends it the keyboard: Y, N, L and Esc."""

    open_requested = Signal(object)
    """The main window should come to the front, at this thread id or at none."""
    new_thread_requested = Signal(str)
    """The main window should come to the front, to begin a thread with this teammate."""

    def __init__(self, bridge: EngineBridge, models: WindowModels, store: UiStore) -> None:
        super().__init__(None, FLAGS)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setWindowTitle("Ankita island")
        self.setAccessibleName("Ankita island")
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._bridge = bridge
        self._models = models
        self._store = store
        self._is_expanded = store.get(IS_EXPANDED) is True
        self._is_put_away = False
        self._is_fitting = False
        self._is_composited = True
        self._grabbed: QPoint | None = None
        self._is_dragged = False
        self.teammates = models.teammates
        self.intake = DropIntake(bridge, self.teammates, self)
        self.content = IslandContent(models, self.teammates, self.intake, self)
        self._drops = DropTarget(self, self._mascots)
        self._place = PlaceKeeper(store, self)
        self.keyboard = KeyboardLoan(self)
        self._use = WindowUse(self)
        self._connect()
        self.content.show_log(bridge.state.activity_log)
        self._refresh_form()

    @property
    def form(self) -> Form:
        return self.content.form

    def set_expanded(self, is_expanded: bool) -> None:
        """Show more or less; remembered over a restart."""
        self._is_expanded = is_expanded
        self._is_put_away = not is_expanded and not self._use.is_in_use
        self._store.set(IS_EXPANDED, is_expanded)
        self._refresh_form()

    def take_keyboard(self) -> None:
        """Let the island be used from the keyboard, for a shortcut elsewhere."""
        self.keyboard.take()

    # --- following the state -------------------------------------------------------

    def _connect(self) -> None:
        self._bridge.listen(
            TeammateChanged, lambda _: self.content.show_log(self._bridge.state.activity_log)
        )
        self._bridge.listen(ApprovalParked, lambda _: self._refresh_form())
        team = self.teammates
        for signal in (team.dataChanged, team.rowsInserted, team.rowsRemoved):
            signal.connect(self.content.refresh)
        self._models.approvals.rowsInserted.connect(self._asked)
        self._models.approvals.rowsRemoved.connect(self._refresh_form)
        content = self.content
        content.wants_size.connect(self._fit)
        content.bar.expand_requested.connect(lambda: self.set_expanded(True))
        content.collapse.clicked.connect(lambda: self.set_expanded(False))
        content.question.open_requested.connect(self.open_requested.emit)
        content.result.open_requested.connect(self.open_requested.emit)
        content.mascot_added.connect(self._serve)
        for mascot in (content.bar.mascot, *(tile.mascot for tile in content.grid.tiles())):
            self._serve(mascot)
        self._place.changed.connect(self._fit)
        self.keyboard.changed.connect(self.update)
        self._use.changed.connect(self._use_changed)

    def _serve(self, mascot: MascotWidget) -> None:
        mascot.set_drop_check(lambda _paths: None)
        self.content.choice.watch(mascot)
        mascot.files_dropped.connect(lambda paths: self._dropped(mascot, paths))
        mascot.clicked.connect(lambda: self._open_teammate(self._teammate_of(mascot)))

    def _asked(self) -> None:
        self._is_put_away = False
        self._refresh_form()

    def _use_changed(self) -> None:
        # Who was in the window meanwhile saw the question; putting it away is over.
        self._is_put_away = False
        self._refresh_form()

    def _has_question(self) -> bool:
        return self.content.asked is not None

    def _refresh_form(self) -> None:
        if self._is_expanded:
            form = Form.EXPANDED
        elif self._has_question() and not self._is_put_away and not self._use.is_in_use:
            form = Form.ASKING
        else:
            form = Form.COMPACT
        self.content.show_form(form)
        self._fit()

    # --- files ---------------------------------------------------------------------

    def _mascots(self) -> list[MascotWidget]:
        return [mascot for mascot, _ in self.content.mascots()]

    def _teammate_of(self, mascot: MascotWidget) -> TeammateId | None:
        pairs = self.content.mascots()
        return next((owner for known, owner in pairs if known is mascot), None)

    def _dropped(self, mascot: MascotWidget, paths: list[str]) -> None:
        teammate_id = self._teammate_of(mascot)
        if teammate_id is not None:
            self.intake.take(teammate_id, paths)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        self._drops.enter(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:  # noqa: N802
        self._drops.move(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: N802
        self._drops.leave(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        self._drops.drop(event)

    # --- place and look ----------------------------------------------------------------

    def body(self) -> QRect:
        """The visible plate, inside the room for its shadow."""
        return self.rect().marginsRemoved(SHADOW)

    def _fit(self) -> None:
        """Take the height that the content wants and the place that belongs to it."""
        if self._is_fitting:
            return
        self._is_fitting = True
        room = self._place.room()
        # Larger text gets a wider island, as less and less would fit into a line.
        width = appearance_now().space(WIDTH)
        most = limit = appearance_now().space(EXPANDED_MOST)
        if room is not None:
            width, limit = min(width, room.width), min(limit, room.height - 2 * TOP_GAP)
        height = self.content.fit(width, limit)
        placement = self._place.place(_MODES[self.form], width, height, most)
        if placement is not None:
            area = placement.area
            plate = QRect(area.x, area.y, area.width, area.height)
            self.setGeometry(plate.marginsAdded(SHADOW))
            self.content.setGeometry(self.body())
            self._cut()
        self._is_fitting = False

    def _cut(self) -> None:
        if self._is_composited:
            self.clearMask()
        else:
            self.setMask(shape_of(self.body()))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self._is_composited = is_composited()
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        body = self.body()
        # A mascot that moves repaints a spot well inside, where there is no shadow.
        shadow = self._is_composited and not inner_of(body).contains(event.rect())
        paint_shell(
            QPainter(self),
            QRectF(body),
            appearance_now().palette,
            shadow=shadow,
            has_keyboard=self.keyboard.has_keyboard,
        )

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "keyboard"):
            self.content.refresh()
            self._fit()
            self.update()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        # The keys of the window manager's "close" mean: less of it. It goes with the app.
        if event.spontaneous():
            event.ignore()
            self._put_away()
        else:
            super().closeEvent(event)

    # --- pointer and keys ---------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() is Qt.MouseButton.LeftButton:
            self._grabbed = event.globalPosition().toPoint()
            self._grab_centre = self.geometry().marginsRemoved(SHADOW).center()
            self._is_dragged = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._grabbed is None:
            return
        now = event.globalPosition().toPoint()
        way = now - self._grabbed
        if not self._is_dragged and abs(way.x()) < QApplication.startDragDistance():
            return
        self._is_dragged = True
        self._place.drag_to(QPoint(self._grab_centre.x() + way.x(), now.y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() is not Qt.MouseButton.LeftButton or self._grabbed is None:
            return
        self._grabbed = None
        if self._is_dragged:
            self._place.save()
        else:
            self._is_put_away = False
            self._refresh_form()
            self.take_keyboard()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() is Qt.MouseButton.LeftButton:
            self._grabbed = None
            face = self.teammates.foremost()
            self._open_teammate(None if face is None else face.teammate.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key = Qt.Key(event.key())
        if event.isAutoRepeat() or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif key is Qt.Key.Key_Escape:
            self._put_away()
        elif key is Qt.Key.Key_Y:
            self.content.question.answer(Answer.YES_ONCE)
        elif key is Qt.Key.Key_N:
            self.content.question.answer(Answer.NO)
        elif key is Qt.Key.Key_L:
            self.content.question.answer(Answer.NOT_NOW)
        elif key in _PAGES:
            self.content.question.scroll_by(_PAGES[key])
        else:
            super().keyPressEvent(event)

    def _put_away(self) -> None:
        self.set_expanded(False)
        self.keyboard.give_back()

    def _open_teammate(self, teammate_id: TeammateId | None) -> None:
        """Its thread; a teammate without one begins one."""
        if teammate_id is None:
            self.open_requested.emit(None)
            return
        thread = self.teammates.thread_to_open(teammate_id)
        if thread is None:
            self.new_thread_requested.emit(teammate_id)
        else:
            self.open_requested.emit(thread)
