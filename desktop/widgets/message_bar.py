"""Lines in the page that say what happened, what is safe, and offer one action."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from desktop.session import Message
from desktop.theme import TONE_ICONS, Color, Theme
from desktop.widgets.labels import IconButton, ToneIcon, button, label


class MessageBar(QFrame):
    """One line: icon, sentence, actions, and a way to close it."""

    closed = Signal()

    def __init__(
        self, theme: Theme, text: str, tone: str = "info", closable: bool = True, stacked: bool = False
    ) -> None:
        super().__init__()
        self.setProperty("kind", "bar")
        self.setProperty("tone", tone)
        color: Color = tone  # type: ignore[assignment]
        self.text = label(text, wrap=True)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 3, 8, 3)
        self._row.setSpacing(8)
        self._row.addWidget(ToneIcon(theme, TONE_ICONS[tone], color))  # type: ignore[index]
        self._actions = self._row
        self._column: QBoxLayout | None = None  # of sentence and actions, where they may stand below one another
        if stacked:  # in a narrow column the actions stand below the sentence
            self._column = QBoxLayout(QBoxLayout.Direction.TopToBottom)
            self._column.setSpacing(2)
            self._column.addWidget(self.text, 1)
            self._actions = QHBoxLayout()
            self._actions.addStretch(1)
            self._column.addLayout(self._actions)
            self._row.addLayout(self._column, 1)
            self._row.setContentsMargins(12, 6, 8, 4)
        else:
            self._row.addWidget(self.text, 1)
        if closable:
            self._row.addWidget(IconButton(theme, "close", _("Close this line"), self.closed.emit))
        self.setMinimumHeight(34)
        self.setAccessibleName(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Side by side where both have room."""
        super().resizeEvent(event)
        if self._column is not None:
            margins = self._row.contentsMargins()
            room = self.width() - margins.left() - margins.right() - 16 - 2 * self._row.spacing()
            needed = self.text.fontMetrics().horizontalAdvance(self.text.text()) + self._actions.sizeHint().width() + 8
            beside = QBoxLayout.Direction.LeftToRight if needed <= room else QBoxLayout.Direction.TopToBottom
            self._column.setDirection(beside)

    def add_action(self, text: str, run: Callable[[], object]) -> QPushButton:
        """Another action at the right."""
        widget = button(text, "link", run)
        at = self._actions.count() - (1 if isinstance(self._last(), IconButton) else 0)
        self._actions.setSpacing(8)
        self._actions.insertWidget(at, widget)
        return widget

    def _last(self) -> QWidget | None:
        item = self._actions.itemAt(self._actions.count() - 1)
        return item.widget() if item is not None else None


class MessageStack(QWidget):
    """The messages in force, one of each topic, below one another."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._bars: dict[str, MessageBar] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 8, 16, 0)
        self._column.setSpacing(4)
        self.setVisible(False)

    def show_message(self, message: Message) -> None:
        """Show a message in place of an earlier one of its topic; take that away if the text is empty."""
        current = self._bars.get(message.topic)
        if current and current.text.text() == message.text and not message.run:
            return
        self.remove(message.topic)
        if not message.text:
            return
        bar = MessageBar(self._theme, message.text, message.tone)
        bar.setToolTip(message.detail)
        if message.action and message.run:
            bar.add_action(message.action, message.run)
        bar.closed.connect(lambda: self.remove(message.topic))
        self.add(message.topic, bar)

    def add(self, topic: str, bar: MessageBar) -> None:
        self.remove(topic)
        self._bars[topic] = bar
        self._column.addWidget(bar)
        self.setVisible(True)

    def remove(self, topic: str) -> None:
        bar = self._bars.pop(topic, None)
        if bar is not None:
            self._column.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
            self.setVisible(bool(self._bars))

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(self._bars)

    def bar(self, topic: str) -> MessageBar | None:
        return self._bars.get(topic)
