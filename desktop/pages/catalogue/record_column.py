"""The right column of the catalogue: one record with its name, what is to be said about it, its form, and the foot."""

from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from core.language.messages import gettext as _
from core.language.messages import ngettext
from desktop.pages.catalogue.form import RecordForm
from desktop.pages.catalogue.row import CONFIDENCE_WIDTH, DATE, DATE_WIDTH, GAP, NAME_WIDTH, SOURCE, VALUE_WIDTH
from desktop.theme import Theme
from desktop.widgets.labels import ToneIcon, button, label, line
from desktop.widgets.message_bar import MessageBar


class RecordColumn(QWidget):
    """Knows what to show; the page knows what to do."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.title = label("", "verdict", wrap=True)
        self.title.setStyleSheet("font-size: 18px; font-weight: 600;")
        self.use = button(_("Use in scenario"))
        self.duplicate = button(_("Duplicate"))
        self.save = button(_("Save"), "primary")
        self.form = RecordForm(theme)
        self.form.changed.connect(self.show_state)
        self.banner: MessageBar | None = None
        self._banner = QVBoxLayout()
        self._banner.setContentsMargins(24, 0, 20, 8)
        self.setMinimumWidth(420)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._head())
        column.addLayout(self._banner)
        column.addWidget(line())
        column.addLayout(self._headings())
        column.addWidget(line())
        column.addWidget(self.form, 1)
        column.addWidget(self._foot())

    def _head(self) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setContentsMargins(24, 10, 20, 8)
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        for widget in (self.use, self.duplicate, self.save):
            head.addWidget(widget)
        return head

    def _headings(self) -> QGridLayout:
        """Aligned with the columns of the form, whether it scrolls or not."""
        grid = QGridLayout()
        grid.setContentsMargins(24, 1, 20, 1)
        bar = self.form.verticalScrollBar()
        bar.rangeChanged.connect(
            lambda _low, high: grid.setContentsMargins(24, 1, 20 + (bar.sizeHint().width() if high else 0), 1)
        )
        grid.setHorizontalSpacing(GAP)
        grid.setColumnStretch(2, 1)
        widths = (NAME_WIDTH, VALUE_WIDTH, 0, DATE_WIDTH, CONFIDENCE_WIDTH)
        texts = (_("Figure"), _("Value"), _("Source"), _("Date"), _("Confidence"))
        for column, (text, width) in enumerate(zip(texts, widths, strict=True)):
            heading = label(text, "label")
            if width:
                heading.setFixedWidth(width)
            if column in (SOURCE, DATE):
                heading.setIndent(11)  # as the quiet fields below indent their text
            grid.addWidget(heading, 0, column)
        return grid

    def _foot(self) -> QFrame:
        self.foot = QFrame()
        self._icon = ToneIcon(self._theme, "octagon", "bad")
        self.foot_text = label("", wrap=True)
        self.jump = button(_("Go to it"), "link", self.form.jump)
        row = QHBoxLayout()
        row.setContentsMargins(24, 4, 20, 4)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self.foot_text, 1)
        row.addWidget(self.jump)
        self.discard = button(_("Discard"), "link")
        row.addWidget(self.discard)
        column = QVBoxLayout(self.foot)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(line())
        column.addLayout(row)
        self.foot.setVisible(False)
        return self.foot

    # -- what is said -------------------------------------------------------------------------------------------------

    def show_banner(self, bar: MessageBar | None) -> None:
        """The line above the figures, in place of an earlier one."""
        while (item := self._banner.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.banner = bar
        if bar is not None:
            self._banner.addWidget(bar)

    def show_state(self) -> None:
        """Whether the record can be saved as it is typed; if not, the foot says why."""
        wrong, needed = sum(bool(row.problem) for row in self.form.rows), len(self.form.needed)
        text, problem = "", ""
        if wrong:
            text = ngettext(
                "{number} figure cannot be read. Save waits until it can.",
                "{number} figures cannot be read. Save waits until they can.",
                wrong,
            ).format(number=wrong)
        elif needed:
            text = ngettext(
                "{number} figure is needed before this can be saved.",
                "{number} figures are needed before this can be saved.",
                needed,
            ).format(number=needed)
        elif self.form.is_changed and not self.form.wrong:
            text = problem = self.form.edited()[1]
        self.save.setEnabled(self.form.is_changed and not text and not self.form.wrong)
        self.foot.setVisible(bool(text))
        self.foot_text.setText(text)
        self.jump.setVisible(not problem)
        self._icon.set_icon("octagon" if wrong or problem else "triangle", "bad" if wrong or problem else "warn")
