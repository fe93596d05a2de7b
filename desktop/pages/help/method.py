"""The method page, as it lies in the resources."""

from PySide6.QtGui import QFont, QShowEvent, QTextBlock, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QTextBrowser, QVBoxLayout, QWidget

from core import RESOURCES
from core.language.messages import gettext as _
from core.language.messages import language
from desktop.pages.help.topic import WIDTH
from desktop.theme import Theme
from desktop.widgets.labels import label

_HEADINGS = {1: 20, 2: 16, 3: 14}  # pixels
_LINE = 135  # per cent of the font's own height


class Method(QWidget):
    """Every formula with the words around it; read when it is first shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._is_read = False
        self.page = QTextBrowser()
        self.page.setOpenLinks(False)
        self.page.setAccessibleName(_("How Tonnage computes"))
        self.page.setMaximumWidth(WIDTH)
        self.page.setFrameShape(QFrame.Shape.NoFrame)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 14, 0, 0)
        if language() != "en":
            column.addWidget(label(_("This page is written in English."), "label"))
        column.addWidget(self.page)
        theme.changed.connect(self._restyle)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._is_read:
            self._is_read = True
            text = (RESOURCES / "method.md").read_text(encoding="utf-8")
            self.page.document().setDefaultFont(self._theme.font("body"))
            self.page.document().setMarkdown(text, QTextDocument.MarkdownFeature.MarkdownDialectGitHub)
            self._restyle()

    def _restyle(self) -> None:
        """Sizes, colours and distances, which Markdown leaves open."""
        cursor = QTextCursor(self.page.document())
        cursor.beginEditBlock()
        block = self.page.document().begin()
        while block.isValid():
            self._space(cursor, block)
            for run in block.textFormats():
                start = block.position() + run.start
                cursor.setPosition(start)
                cursor.setPosition(start + run.length, QTextCursor.MoveMode.KeepAnchor)
                cursor.mergeCharFormat(self._words(block.blockFormat(), run.format))
            block = block.next()
        cursor.endEditBlock()

    def _space(self, cursor: QTextCursor, block: QTextBlock) -> None:
        form, level = block.blockFormat(), block.blockFormat().headingLevel()
        form.setTopMargin(20 if level > 1 else 0)
        form.setBottomMargin(6)
        form.setLineHeight(_LINE, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.setPosition(block.position())
        cursor.setBlockFormat(form)

    def _words(self, form: QTextBlockFormat, written: QTextCharFormat) -> QTextCharFormat:
        words, level = QTextCharFormat(), form.headingLevel()
        fixed = written.fontFixedPitch() or form.nonBreakableLines()  # code, in a line or by itself
        strong = bool(level) or written.fontWeight() > QFont.Weight.Normal
        font = QFont(self._theme.font("mono" if fixed else "strong" if strong else "body"))
        if level and not fixed:
            font.setPixelSize(_HEADINGS.get(level, 14))
        words.setFont(font)
        words.setForeground(self._theme.color("text_2" if fixed else "text"))
        return words
