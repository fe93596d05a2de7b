"""The theme: contrasts of the tokens, both sides, one style sheet without a gap."""

from itertools import product
from typing import get_args

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetrics, QRawFont
from PySide6.QtWidgets import QApplication, QPushButton

from core.tokens import load_tokens
from desktop import icons
from desktop.theme import ChartColor, Color, Scheme, TextStyle, Theme, restyle

SIDES = ("light", "dark")
GROUNDS = ("window", "surface", "raised", "sunken", "hover", "selected")
SOFT = {"ok": "ok_soft", "warn": "warn_soft", "bad": "bad_soft", "info": "info_soft"}


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_black_on_white_is_21() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)


@pytest.mark.parametrize("side", SIDES)
def test_text_is_readable_on_every_ground(side: str) -> None:
    colors = load_tokens()["color"][side]
    for text, ground in product(("text", "text_2", "text_3"), GROUNDS):
        assert contrast(colors[text], colors[ground]) >= 4.5, (text, ground)
    for ground in ("accent", "accent_hover", "accent_pressed"):
        assert contrast(colors["on_accent"], colors[ground]) >= 4.5, ground
    for tone, soft in SOFT.items():
        assert contrast(colors["text"], colors[soft]) >= 4.5, soft
        assert contrast(colors[tone], colors[soft]) >= 4.5, tone
        assert contrast(colors[tone], colors["surface"]) >= 4.5, tone


@pytest.mark.parametrize("side", SIDES)
def test_edges_of_controls_and_strokes_of_charts_are_seen(side: str) -> None:
    tokens = load_tokens()
    colors, chart = tokens["color"][side], tokens["chart"][side]
    for edge, ground in product(("border_control", "focus", "bad"), ("surface", "window")):
        assert contrast(colors[edge], colors[ground]) >= 3, (edge, ground)
    for name in ("weights", "companions", "runtime", "kv", "state", "spill", "compute", "load_line", "target"):
        assert contrast(chart[name], colors["surface"]) >= 3, name
    for color, letter in zip(chart["series"], chart["on_series"], strict=True):
        assert contrast(color, colors["surface"]) >= 3, color
        assert contrast(color, letter) >= 4.5, color


def test_both_sides_have_every_color(theme: Theme) -> None:
    tokens = load_tokens()
    for side in SIDES:
        assert set(tokens["color"][side]) == set(get_args(Color))
        assert set(get_args(ChartColor)) <= set(tokens["chart"][side])
    assert set(get_args(TextStyle)) <= set(tokens["type"])


def test_a_change_of_scheme_is_told_and_repaints(qtbot: object, qapp: QApplication, theme: Theme) -> None:
    light = theme.color("surface")
    with qtbot.waitSignal(theme.changed):  # type: ignore[attr-defined]
        theme.set_scheme(Scheme.DARK)
    assert theme.dark
    assert theme.color("surface") != light
    assert theme.color("surface").name().upper() in qapp.styleSheet()


def test_the_bundled_fonts_are_used_with_figures_of_one_width(theme: Theme) -> None:
    for style in get_args(TextStyle):
        raw = QRawFont.fromFont(theme.font(style))
        assert raw.familyName().startswith("JetBrains Mono" if style == "mono" else "Inter"), style
    metrics = QFontMetrics(theme.font("figure"))
    assert metrics.horizontalAdvance("1111") == metrics.horizontalAdvance("8888")


def test_every_icon_can_be_drawn_in_any_color(theme: Theme) -> None:
    names = sorted(path.stem for path in icons.FOLDER.glob("*.svg"))
    assert {"search", "gauge", "check-circle", "triangle", "octagon", "info-circle", "load-mark", "app"} <= set(names)
    for name in names:
        picture = icons.pixmap(name, QColor("#FF0000"), 16, 2.0).toImage()
        assert (picture.width(), picture.devicePixelRatio()) == (32, 2.0)
        painted = any(picture.pixelColor(x, y).alpha() > 200 for x, y in product(range(32), range(32)))
        assert painted, name
    assert icons.pixmap("check", QColor("#FF0000"), 16, 1.0).toImage().pixelColor(6, 11).red() > 150


def test_restyling_changes_what_is_painted(qtbot: object, theme: Theme) -> None:
    button = QPushButton("Save")
    qtbot.addWidget(button)  # type: ignore[attr-defined]
    before = button.grab().toImage()
    restyle(button, kind="primary")
    after = button.grab().toImage()
    assert before != after
    assert after.pixelColor(20, 4).name() == theme.color("accent").name()


def test_system_scheme_follows_the_style_hints(theme: Theme, qapp: QApplication) -> None:
    theme.set_scheme(Scheme.SYSTEM)
    assert theme.dark is (qapp.styleHints().colorScheme() is Qt.ColorScheme.Dark)
