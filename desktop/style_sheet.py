"""The one style sheet, written from the tokens.

Widgets choose a variant by dynamic property, not by class:

| property | on | values |
| --- | --- | --- |
| kind | QPushButton | primary, quiet, link, icon, section, segment, painted; none is the plain button |
| kind | QLineEdit | title, cell, bare; none is the plain field |
| kind | QLabel | caption, label, strong, section, message, verdict, figure, mono, badge |
| kind | QFrame, QWidget | sidebar, surface, sunken, card, popup, bar, line, page |
| tone | QLabel, QFrame kind=bar | ok, warn, bad, info, muted, accent |
| state | QLineEdit, QPushButton | invalid, selected |
"""

from collections.abc import Callable
from typing import Any

_BUTTONS = """
QPushButton {{
    min-height: {inner}px; max-height: {inner}px; padding: 0 13px; border: 1px solid {border_control};
    border-radius: {control}px; background: {surface}; color: {text}; font-weight: 400;
}}
QPushButton:hover {{ background: {hover}; border-color: {text_3}; }}
QPushButton:pressed, QPushButton:checked {{ background: {pressed}; }}
QPushButton:focus {{
    border: 2px solid {focus}; padding: 0 12px; min-height: {inner_focus}px; max-height: {inner_focus}px;
}}
QPushButton:disabled {{ background: {sunken}; border-color: {border}; color: {text_disabled}; }}

QPushButton[kind="primary"] {{
    background: {accent}; border-color: {accent}; color: {on_accent}; font-weight: 600;
}}
QPushButton[kind="primary"]:hover {{ background: {accent_hover}; border-color: {accent_hover}; }}
QPushButton[kind="primary"]:pressed {{ background: {accent_pressed}; border-color: {accent_pressed}; }}
QPushButton[kind="primary"]:focus {{ border-color: {text}; }}
QPushButton[kind="primary"]:disabled {{ background: {sunken}; border-color: {border}; color: {text_disabled}; }}

QPushButton[kind="quiet"], QPushButton[kind="icon"], QPushButton[kind="link"], QPushButton[kind="section"] {{
    background: transparent; border: 1px solid transparent;
}}
QPushButton[kind="quiet"] {{ padding: 0 7px; color: {text_2}; }}
QPushButton[kind="icon"] {{ padding: 0; min-width: 26px; max-width: 26px; }}
QPushButton[kind="link"] {{
    padding: 0 3px; color: {accent}; font-size: {label}px; min-height: 20px; max-height: 20px;
}}
QPushButton[kind="quiet"]:hover, QPushButton[kind="icon"]:hover {{ background: {hover}; }}
QPushButton[kind="quiet"]:pressed, QPushButton[kind="icon"]:pressed {{ background: {pressed}; }}
QPushButton[kind="quiet"]:disabled, QPushButton[kind="icon"]:disabled, QPushButton[kind="link"]:disabled {{
    background: transparent; border-color: transparent; color: {text_disabled};
}}
QPushButton[kind="link"]:hover {{ text-decoration: underline; background: transparent; }}
QPushButton[kind="quiet"]:focus {{ border: 2px solid {focus}; padding: 0 6px; }}
QPushButton[kind="icon"]:focus {{ border: 2px solid {focus}; padding: 0; min-width: 24px; max-width: 24px; }}
QPushButton[kind="link"]:focus {{
    border: 2px solid {focus}; padding: 0 2px; min-height: 18px; max-height: 18px; border-radius: {chip}px;
}}
QPushButton[kind="section"] {{
    padding: 0; text-align: left; font-weight: 600; border-radius: {chip}px; min-height: 22px; max-height: 22px;
    border-width: 0;
}}
QPushButton[kind="section"]:focus {{ border: 2px solid {focus}; padding: 0; min-height: 18px; max-height: 18px; }}

QPushButton[kind="painted"], QPushButton[kind="painted"]:focus {{
    min-height: 0; max-height: 9999px; padding: 0; border: 0; background: transparent;
}}

QPushButton[kind="segment"] {{ border-radius: 0; padding: 0 10px; color: {text_2}; margin-left: -1px; }}
QPushButton[kind="segment"][place="first"] {{
    border-top-left-radius: {control}px; border-bottom-left-radius: {control}px; margin-left: 0;
}}
QPushButton[kind="segment"][place="last"] {{
    border-top-right-radius: {control}px; border-bottom-right-radius: {control}px;
}}
QPushButton[kind="segment"]:checked {{ background: {selected}; color: {text}; font-weight: 600; }}
QPushButton[kind="segment"]:focus {{ border: 2px solid {focus}; padding: 0 9px; }}
"""

_FIELDS = """
QLineEdit {{
    min-height: {inner}px; max-height: {inner}px; padding: 0 8px; border: 1px solid {border_control};
    border-radius: {control}px; background: {surface}; color: {text};
    selection-background-color: {accent}; selection-color: {on_accent};
}}
QLineEdit:hover {{ border-color: {text_3}; background: {field_hover}; }}
QLineEdit:focus, QLineEdit[state="invalid"] {{
    border: 2px solid {focus}; padding: 0 7px; min-height: {inner_focus}px; max-height: {inner_focus}px;
    background: {surface};
}}
QLineEdit[state="invalid"] {{ border-color: {bad}; }}
QLineEdit:disabled {{ background: {sunken}; border-color: {border}; color: {text_disabled}; }}
QLineEdit:read-only {{ background: {sunken}; }}
QLineEdit[kind="title"] {{ border-color: transparent; font-weight: 600; background: transparent; padding: 0 5px; }}
QLineEdit[kind="title"]:hover {{ background: {hover}; }}
QLineEdit[kind="title"]:focus {{ border-color: {focus}; background: {surface}; padding: 0 4px; }}
QLineEdit[kind="cell"] {{ border-color: transparent; background: transparent; color: {text_2}; font-size: {label}px; }}
QLineEdit[kind="cell"]:hover {{ background: {hover}; }}
QLineEdit[kind="cell"]:focus {{ border-color: {focus}; background: {surface}; color: {text}; }}
QLineEdit[kind="cell"][state="invalid"] {{ border-color: {bad}; }}
QLineEdit[kind="bare"], QLineEdit[kind="bare"]:hover, QLineEdit[kind="bare"]:focus {{
    border: 0; background: transparent; padding: 0; min-height: {inner}px; max-height: {inner}px;
}}
QPlainTextEdit {{
    border: 1px solid {border_control}; border-radius: {control}px; background: {surface}; color: {text};
    selection-background-color: {accent}; selection-color: {on_accent}; padding: 4px;
}}
QPlainTextEdit:focus {{ border: 2px solid {focus}; padding: 3px; }}

QCheckBox {{ spacing: 8px; color: {text}; min-height: 24px; }}
QCheckBox::indicator {{
    width: 14px; height: 14px; border: 1px solid {border_control}; border-radius: {chip}px; background: {surface};
}}
QCheckBox::indicator:hover {{ border-color: {text_3}; background: {hover}; }}
QCheckBox::indicator:focus {{ border: 2px solid {focus}; width: 12px; height: 12px; }}
QCheckBox::indicator:checked {{ background: {accent}; border-color: {accent}; image: url("{check_image}"); }}
QCheckBox:disabled {{ color: {text_disabled}; }}

QRadioButton {{ spacing: 8px; color: {text}; min-height: 24px; }}
"""

_TEXT = """
QWidget {{ color: {text}; }}
QLabel {{ background: transparent; }}
QLabel[kind="caption"] {{ font-size: {caption}px; font-weight: 500; color: {text_3}; }}
QLabel[kind="label"] {{ font-size: {label}px; color: {text_2}; }}
QLabel[kind="strong"], QLabel[kind="section"] {{ font-weight: 600; }}
QLabel[kind="message"] {{ font-size: {message}px; font-weight: 600; }}
QLabel[kind="verdict"] {{ font-size: {verdict}px; font-weight: 600; }}
QLabel[kind="figure"] {{ font-size: {figure}px; font-weight: 600; }}
QLabel[kind="mono"] {{ font-family: "{mono_family}"; font-size: {mono}px; }}
QLabel[tone="ok"] {{ color: {ok}; }}
QLabel[tone="warn"] {{ color: {warn}; }}
QLabel[tone="bad"] {{ color: {bad}; }}
QLabel[tone="info"], QLabel[tone="accent"] {{ color: {accent}; }}
QLabel[tone="muted"] {{ color: {text_2}; }}
QLabel[tone="faint"] {{ color: {text_3}; }}
"""

_GROUNDS = """
QMainWindow, QDialog {{ background: {surface}; }}
QWidget[kind="sidebar"] {{ background: {window}; }}
QWidget[kind="surface"] {{ background: {surface}; }}
QWidget[kind="sunken"] {{ background: {sunken}; }}
QFrame[kind="card"] {{ background: {raised}; border: 1px solid {border}; border-radius: {card}px; }}
QFrame[kind="popup"] {{ background: {raised}; border: 1px solid {border_control}; border-radius: {card}px; }}
QFrame[kind="line"] {{ background: {border}; border: 0; }}
QFrame[kind="bar"] {{ background: {info_soft}; border: 0; border-radius: {control}px; }}
QFrame[kind="bar"][tone="ok"] {{ background: {ok_soft}; }}
QFrame[kind="bar"][tone="warn"] {{ background: {warn_soft}; }}
QFrame[kind="bar"][tone="bad"] {{ background: {bad_soft}; }}
QSplitter::handle {{ background: {border}; }}
QStackedWidget {{ background: {surface}; }}
QScrollArea, QScrollArea > QWidget > QWidget[kind="page"] {{ background: transparent; border: 0; }}
QScrollBar:vertical {{ width: 8px; background: transparent; margin: 2px 2px 2px 0; }}
QScrollBar:horizontal {{ height: 8px; background: transparent; margin: 0 2px 2px 2px; }}
QScrollBar::handle {{ background: {scroll}; border-radius: 3px; min-height: 32px; min-width: 32px; }}
QScrollBar::handle:hover {{ background: {border_control}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""

_LISTS = """
QMenu {{
    background: {raised}; border: 1px solid {border_control}; padding: 4px; color: {text};
}}
QMenu::item {{ padding: 5px 24px 5px 12px; border-radius: {chip}px; min-height: 18px; }}
QMenu::item:selected {{ background: {selected}; }}
QMenu::item:disabled {{ color: {text_disabled}; }}
QMenu::separator {{ height: 1px; background: {border}; margin: 4px 8px; }}
QMenu::icon {{ padding-left: 8px; }}
QMenu::indicator {{ width: 16px; height: 16px; left: 6px; }}
QMenu::indicator:checked {{ image: url("{tick_image}"); }}
QToolTip {{
    background: {raised}; color: {text}; border: 1px solid {border_control}; padding: 4px 6px; font-size: {label}px;
}}
QAbstractItemView {{
    background: {surface}; border: 0; outline: 0; color: {text};
    selection-background-color: {selected}; selection-color: {text};
}}
QAbstractItemView::item {{ border: 0; }}
QFrame[kind="popup"] QListView {{ background: {raised}; }}
QTableView {{ gridline-color: {border}; }}
QTableView::item {{ padding: 0 5px; border-bottom: 1px solid {border}; }}
QHeaderView {{ background: {surface}; border: 0; }}
QHeaderView::section {{
    background: {surface}; color: {text_2}; font-size: {label}px; font-weight: 500; padding: 0 8px;
    border: 0; border-bottom: 1px solid {border};
}}
"""


def style_sheet(tokens: dict[str, Any], dark: bool, image: Callable[[str, str], str]) -> str:
    """The style sheet of one side; `image(name, colour)` gives the file of a recoloured drawing."""
    colors = tokens["color"]["dark" if dark else "light"]
    sizes = {name: style["size"] for name, style in tokens["type"].items() if isinstance(style, dict)}
    control = tokens["size"]["control"]
    values = {
        **colors,
        **sizes,
        "field_hover": colors["surface"],
        "scroll": colors["pressed"],
        "control": tokens["radius"]["control"],
        "card": tokens["radius"]["card"],
        "chip": tokens["radius"]["chip"],
        "inner": control - 2,
        "inner_focus": control - 4,
        "mono_family": tokens["type"]["mono_family"],
        "check_image": image("check", "on_accent"),
        "tick_image": image("check", "accent"),
    }
    return "".join(part.format(**values) for part in (_TEXT, _GROUNDS, _BUTTONS, _FIELDS, _LISTS))
