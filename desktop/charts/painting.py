"""Small things that every chart paints: colours by role, marks, the load mark, hatching, the read-out card."""

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from desktop.charts.picture import ReadOut, Role
from desktop.theme import Theme

_CARD_PADDING = 10.0
_CARD_LINE = 18.0


def role_color(theme: Theme, role: Role) -> QColor:
    """The colour of a role: "chart:kv", "series:0" or a colour of the theme."""
    kind, _, name = role.partition(":")
    if kind == "chart":
        return theme.chart(name)  # type: ignore[arg-type]
    if kind == "series":
        return theme.series(int(name))
    return theme.color(role)  # type: ignore[arg-type]


def with_alpha(color: QColor, alpha: float) -> QColor:
    result = QColor(color)
    result.setAlphaF(alpha)
    return result


def readable_on(ground: QColor, theme: Theme) -> QColor:
    """White or ink, whichever is easier to read on a coloured ground."""
    light, dark = QColor("#FFFFFF"), QColor(theme.on_series(0) if theme.dark else theme.color("text"))
    return max((light, dark), key=lambda ink: contrast(ink, ground))


def contrast(a: QColor, b: QColor) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2)."""
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(color: QColor) -> float:
    def linear(part: float) -> float:
        return part / 12.92 if part <= 0.03928 else float(((part + 0.055) / 1.055) ** 2.4)

    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF())


def load_mark(painter: QPainter, centre: QPointF, ink: QColor, ground: QColor, radius: float = 4.5) -> None:
    """A disc cut by a line: how deep a hull may sit."""
    painter.setPen(QPen(ink, 1.5))
    painter.setBrush(ground)
    painter.drawEllipse(centre, radius, radius)
    painter.drawLine(QLineF(centre.x() - radius - 3.5, centre.y(), centre.x() + radius + 3.5, centre.y()))


def point_mark(painter: QPainter, centre: QPointF, size: float, color: QColor, ground: QColor, marker: str) -> None:
    """A filled mark with a ring of ground round it."""
    painter.setPen(QPen(ground, 1.5))
    painter.setBrush(color)
    half = size / 2
    if marker == "square":
        painter.drawRect(QRectF(centre.x() - half, centre.y() - half, size, size))
    elif marker == "diamond":
        painter.drawPolygon(QPolygonF([centre + QPointF(*p) for p in ((0, -half), (half, 0), (0, half), (-half, 0))]))
    elif marker == "triangle":
        painter.drawPolygon(QPolygonF([centre + QPointF(*p) for p in ((0, -half), (half, half), (-half, half))]))
    else:
        painter.drawEllipse(centre, half, half)


def hatched(painter: QPainter, rect: QRectF, color: QColor, ground: QColor, radius: float) -> None:
    """Too much: the colour with lines of ground at 45 degrees."""
    path = QPainterPath()
    path.addRoundedRect(rect, radius, radius)
    painter.fillPath(path, color)
    painter.setPen(QPen(ground, 1.2))
    offset = rect.left() - rect.height()
    offset -= offset % 6  # the lines stand still while the part grows
    while offset < rect.right():
        line = clipped_diagonal(offset, rect)
        if line is not None:
            painter.drawLine(line)
        offset += 6


def clipped_diagonal(offset: float, rect: QRectF) -> QLineF | None:
    """The piece inside `rect` of the diagonal that starts at its bottom at x = offset and rises to the right.

    Cut by arithmetic and not by a clip path, because a drawing saved as SVG keeps no clips.
    """
    start = max(offset, rect.left())
    end = min(offset + rect.height(), rect.right())
    if end - start < 0.5:
        return None
    return QLineF(start, rect.bottom() - (start - offset), end, rect.bottom() - (end - offset))


def card(painter: QPainter, theme: Theme, read_out: ReadOut, anchor: QPointF, bounds: QRectF) -> QRectF:
    """Paint the read-out on the side of `anchor` away from the nearer edge, inside `bounds`; return where it is."""
    plain, strong = theme.font("label"), theme.font("label", 600)
    size_w = max(
        [QFontMetricsF(strong).horizontalAdvance(text) for text in (read_out.title, read_out.alarm) if text]
        + [QFontMetricsF(plain).horizontalAdvance(text) for text in read_out.lines]
    )
    count = 1 + len(read_out.lines) + bool(read_out.alarm)
    rect = card_rect(size_w + 2 * _CARD_PADDING, count * _CARD_LINE + 2 * _CARD_PADDING - 4, anchor, bounds)
    painter.setPen(QPen(theme.color("border_control"), 1))
    painter.setBrush(theme.color("raised"))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), theme.radius("control"), theme.radius("control"))
    rows: list[tuple[str, QFont, QColor]] = [(read_out.title, strong, theme.color("text"))]
    rows += [(text, plain, theme.color("text_2")) for text in read_out.lines]
    if read_out.alarm:
        rows.append((read_out.alarm, strong, theme.color("bad")))
    top = rect.top() + _CARD_PADDING - 2
    for text, font, color in rows:
        painter.setFont(font)
        painter.setPen(color)
        line = QRectF(rect.left() + _CARD_PADDING, top, rect.width() - 2 * _CARD_PADDING, _CARD_LINE)
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        top += _CARD_LINE
    return rect


def card_rect(width: float, height: float, anchor: QPointF, bounds: QRectF) -> QRectF:
    """Where a card of this size goes: beside the anchor, towards the wider side, never outside `bounds`.

    >>> card_rect(100, 40, QPointF(290, 10), QRectF(0, 0, 300, 200))
    PySide6.QtCore.QRectF(178.000000, 4.000000, 100.000000, 40.000000)
    """
    right = anchor.x() < bounds.center().x()
    left = anchor.x() + 12 if right else anchor.x() - 12 - width
    left = min(max(left, bounds.left()), max(bounds.left(), bounds.right() - width))
    top = min(max(anchor.y() - height / 2, bounds.top() + 4), max(bounds.top(), bounds.bottom() - height - 4))
    return QRectF(left, top, width, height)


def stripes(color: QColor) -> QPixmap:
    """Stripes of 3 px for a band that rests on nothing alike."""
    tile = QPixmap(6, 6)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    strong = QColor(color)
    strong.setAlphaF(min(1.0, color.alphaF() * 1.5))
    painter.fillRect(0, 0, 3, 6, strong)
    painter.end()
    return tile
