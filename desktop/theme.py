"""The theme: the design tokens as colours, fonts, lengths, palette and style sheet, light or dark.

Every widget asks the one `Theme` for what it paints with, and paints again on `changed`.
"""

from enum import StrEnum
from typing import Literal

from PySide6.QtCore import QDir, QObject, QSize, Qt, QTemporaryDir, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetrics,
    QFontMetricsF,
    QGuiApplication,
    QIcon,
    QPalette,
    QPixmap,
)
from PySide6.QtWidgets import QApplication, QWidget

from core import RESOURCES
from core.tokens import load_tokens
from desktop import icons
from desktop.style_sheet import style_sheet

Color = Literal[
    "window", "surface", "raised", "sunken", "hover", "pressed", "selected", "border", "border_control",
    "text", "text_2", "text_3", "text_disabled", "accent", "accent_hover", "accent_pressed", "accent_soft", "on_accent",
    "focus", "ok", "ok_soft", "warn", "warn_soft", "bad", "bad_soft", "info", "info_soft",
]  # fmt: skip
ChartColor = Literal[
    "grid", "axis", "axis_text", "load_line", "target", "hover", "free", "weights", "companions", "runtime",
    "kv", "state", "spill", "link", "compute",
]  # fmt: skip
TextStyle = Literal["caption", "label", "body", "strong", "section", "message", "verdict", "figure", "mono"]
Space = Literal["s1", "s2", "s3", "s4", "s5", "s6", "s7"]
Tone = Literal["ok", "warn", "bad", "info"]

#: The icon of each tone: four outlines, so that no meaning hangs on colour alone.
TONE_ICONS: dict[Tone, str] = {"ok": "check-circle", "warn": "triangle", "bad": "octagon", "info": "info-circle"}


#: Widths of texts that are kept.
MOST_WIDTHS = 4000


class Scheme(StrEnum):
    """What the user asks for."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def load_fonts() -> None:
    """Register the bundled fonts, so that every machine shows the same letters."""
    for path in sorted((RESOURCES / "fonts").glob("*.[ot]tf")):
        QFontDatabase.addApplicationFont(str(path))


class Theme(QObject):
    """Colours, fonts and lengths of the window."""

    changed = Signal()

    def __init__(self, scheme: Scheme = Scheme.SYSTEM, parent: QObject | None = None) -> None:
        super().__init__(parent)
        load_fonts()
        self._tokens = load_tokens()
        self._scheme = scheme
        self._images = QTemporaryDir(f"{QDir.tempPath()}/tonnage-XXXXXX")
        self._scales = icons.scales()
        self._fonts: dict[tuple[TextStyle, int | None], QFont] = {}
        self._measures: dict[tuple[TextStyle, int | None], QFontMetricsF] = {}
        self._widths: dict[tuple[str, TextStyle, int | None], float] = {}
        self._load()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_scheme)
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.screenAdded.connect(self._on_screen)

    # -- light or dark ------------------------------------------------------------------------------------------------

    @property
    def scheme(self) -> Scheme:
        return self._scheme

    @property
    def dark(self) -> bool:
        if self._scheme is Scheme.SYSTEM:
            return QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
        return self._scheme is Scheme.DARK

    def set_scheme(self, scheme: Scheme) -> None:
        was_dark = self.dark
        self._scheme = scheme
        if self.dark is not was_dark:
            self._refresh()

    def _on_system_scheme(self) -> None:
        if self._scheme is Scheme.SYSTEM:
            self._refresh()

    def _on_screen(self) -> None:
        """A screen of another scale was plugged in: icons are drawn for it too."""
        if icons.scales() != self._scales:
            self._scales = icons.scales()
            self.changed.emit()

    def _refresh(self) -> None:
        self._load()
        app = QApplication.instance()
        windows = [w for w in QApplication.topLevelWidgets() if w.isVisible()]
        for window in windows:
            window.setUpdatesEnabled(False)
        if isinstance(app, QApplication):
            self.apply(app)
        self.changed.emit()
        for window in windows:
            window.setUpdatesEnabled(True)

    def _load(self) -> None:
        side = "dark" if self.dark else "light"
        self._colors = {name: QColor(value) for name, value in self._tokens["color"][side].items()}
        self._chart = self._tokens["chart"][side]

    # -- what widgets ask for -----------------------------------------------------------------------------------------

    def color(self, name: Color) -> QColor:
        return QColor(self._colors[name])

    def chart(self, name: ChartColor) -> QColor:
        return QColor(self._chart[name])

    @property
    def band_alpha(self) -> float:
        """Opacity of a P10 to P90 band."""
        return float(self._chart["band_alpha"])

    def series(self, index: int) -> QColor:
        """The colour of the first to fourth series."""
        return QColor(self._chart["series"][index])

    def on_series(self, index: int) -> QColor:
        """The colour of a letter on a badge of that series."""
        return QColor(self._chart["on_series"][index])

    def dash(self, index: int) -> tuple[float, ...]:
        """The dash of a series: lengths of strokes and gaps in pixels, none for a solid line."""
        pattern = self._chart["dash"][index]
        return () if pattern == "solid" else tuple(float(part) for part in pattern.split())

    def marker(self, index: int) -> str:
        return str(self._chart["marker"][index])

    def space(self, name: Space) -> int:
        return int(self._tokens["space"][name])

    def size(self, name: str) -> int:
        """A length of the table [size], such as "control", "tile_h", "tab"."""
        return int(self._tokens["size"][name])

    @property
    def least_window(self) -> QSize:
        return QSize(*self._tokens["size"]["window_min"])

    def radius(self, name: Literal["control", "card", "chip", "bar"]) -> int:
        return int(self._tokens["radius"][name])

    @property
    def motion_ms(self) -> int:
        """How long folding a section and moving the tab line takes."""
        return int(self._tokens["motion"]["duration_ms"])

    def font(self, style: TextStyle = "body", weight: int | None = None) -> QFont:
        """The font of a text style, with figures of one width. A painter asks for it a hundred times a frame."""
        kept = self._fonts.get((style, weight))
        if kept is None:
            kept = self._fonts[style, weight] = self._make_font(style, weight)
        return QFont(kept)

    def _make_font(self, style: TextStyle, weight: int | None) -> QFont:
        kind = self._tokens["type"][style]
        family = self._tokens["type"]["mono_family" if style == "mono" else "ui_family"]
        font = QFont(family)
        font.setPixelSize(kind["size"])
        font.setWeight(QFont.Weight(weight or kind["weight"]))
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        if style != "mono":
            for feature in ("tnum", "cv05"):
                font.setFeature(QFont.Tag(feature), 1)
        return font

    def width(self, text: str, style: TextStyle, weight: int | None = None) -> float:
        """The width of a text; while a number is dragged, most texts stay what they were."""
        known = self._widths.get((text, style, weight))
        if known is None:
            if len(self._widths) >= MOST_WIDTHS:
                self._widths.clear()
            known = self._measure(style, weight).horizontalAdvance(text)
            self._widths[text, style, weight] = known
        return known

    def elided(self, text: str, room: float, style: TextStyle, weight: int | None = None) -> str:
        """The text, with an ellipsis where it is wider than the room."""
        if self.width(text, style, weight) <= room:
            return text
        return self._measure(style, weight).elidedText(text, Qt.TextElideMode.ElideRight, room)

    def _measure(self, style: TextStyle, weight: int | None) -> QFontMetricsF:
        kept = self._measures.get((style, weight))
        if kept is None:
            kept = self._measures[style, weight] = QFontMetricsF(self.font(style, weight))
        return kept

    def line_height(self, style: TextStyle) -> int:
        return int(self._tokens["type"][style]["line"])

    def metrics(self, style: TextStyle) -> QFontMetrics:
        return QFontMetrics(self.font(style))

    def icon(self, name: str, color: Color = "text_2", size: int = 16) -> QIcon:
        return icons.icon(name, self.color(color), self.color("text_disabled"), size)

    def pixmap(self, name: str, color: Color = "text_2", size: int = 16, scale: float | None = None) -> QPixmap:
        return icons.pixmap(name, self.color(color), size, scale)

    # -- the application ----------------------------------------------------------------------------------------------

    def prepare(self, app: QApplication) -> None:
        """Give the application its font and palette, with which widgets are built."""
        app.setFont(self.font("body"))
        app.setPalette(self.palette())

    def apply(self, app: QApplication) -> None:
        """Give the application its font, palette and style sheet.

        With a style sheet in force, each widget that is put into another has all of its own looked up again, so a
        window is best built before.
        """
        self.prepare(app)
        app.setStyleSheet(self.sheet())

    def sheet(self) -> str:
        """The style sheet, for the application or for a widget that must look otherwise than it."""
        return style_sheet(self._tokens, self.dark, self._image)

    def palette(self) -> QPalette:
        roles = {
            QPalette.ColorRole.Window: "window",
            QPalette.ColorRole.WindowText: "text",
            QPalette.ColorRole.Base: "surface",
            QPalette.ColorRole.AlternateBase: "sunken",
            QPalette.ColorRole.Text: "text",
            QPalette.ColorRole.PlaceholderText: "text_3",
            QPalette.ColorRole.Button: "surface",
            QPalette.ColorRole.ButtonText: "text",
            QPalette.ColorRole.BrightText: "on_accent",
            QPalette.ColorRole.Highlight: "accent",
            QPalette.ColorRole.HighlightedText: "on_accent",
            QPalette.ColorRole.ToolTipBase: "raised",
            QPalette.ColorRole.ToolTipText: "text",
            QPalette.ColorRole.Link: "accent",
            QPalette.ColorRole.LinkVisited: "accent",
            QPalette.ColorRole.Mid: "border",
            QPalette.ColorRole.Dark: "border_control",
            QPalette.ColorRole.Accent: "accent",
        }
        palette = QPalette()
        for role, name in roles.items():
            palette.setColor(role, self._colors[name])
        for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self._colors["text_disabled"])
        return palette

    def _image(self, name: str, color: str) -> str:
        """A recoloured drawing as a file, since style sheets take pictures from files only."""
        path = f"{self._images.path()}/{name}-{color}-{'dark' if self.dark else 'light'}.svg"
        with open(path, "wb") as file:
            file.write(icons.svg(name, self._colors[color]))
        return path.replace("\\", "/")


def restyle(widget: QWidget, **properties: object) -> None:
    """Set dynamic properties (`kind`, `state`, `tone`) of a widget and let the style sheet look again."""
    changed = False
    for name, value in properties.items():
        if widget.property(name) != value:
            widget.setProperty(name, value)
            changed = True
    if changed:
        widget.style().unpolish(widget)
        widget.style().polish(widget)
        widget.update()
