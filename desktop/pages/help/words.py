"""What the evidence levels mean, the keys, and where figures, program and fonts come from."""

from collections.abc import Sequence

from PySide6.QtGui import QAction

from core import METHOD_VERSION, __version__
from core.language import sentences
from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import current
from core.sizing.report import Evidence
from desktop.pages.help.topic import Topic
from desktop.session import Session


def evidence_topic() -> Topic:
    """How sure a figure is."""
    topic = Topic(
        _("How sure a figure is"),
        _("Bytes are counted. Speeds are estimated from measurements, and every speed says what it rests on."),
    )
    topic.pairs([(sentences.evidence(level), sentences.evidence_meaning(level)) for level in Evidence])
    topic.heading(_("Ranges"))
    topic.sentence(
        _(
            "P10, P50 and P90 belong to every speed: of ten cases like yours, one lies below P10, five lie below P50 "
            "and nine below P90. The less was measured, the wider the range."
        )
    )
    topic.sentence(
        _(
            "Your own measurement narrows the range of that machine, engine and family of models. It never changes the "
            "bytes."
        )
    )
    return topic


def keys_topic(actions: Sequence[QAction]) -> Topic:
    """Every key of the window, then those of fields, lists and charts."""
    topic = Topic(_("Keys"), _("Everything in Tonnage can be done without a mouse."))
    topic.heading(_("Anywhere"))
    rows = [(action.shortcut().toString(), action.text()) for action in actions if not action.shortcut().isEmpty()]
    rows += [("Alt+1 … 6", _("Tabs of the results")), ("T", _("Table of the numbers of a chart"))]
    rows += [("Ctrl+E", _("Save a chart")), ("F1", _("Explain the figure that has the focus"))]
    seen: dict[str, str] = {}
    for keys, name in rows:
        seen.setdefault(keys, name)
    topic.pairs(list(seen.items()), width=140)
    topic.heading(_("In a field"))
    topic.pairs(
        [
            ("↑ ↓", _("One step; with Shift ten; Page keys double or halve")),
            ("Enter", _("Accept and stay")),
            ("Esc", _("Back to the last value")),
        ],
        width=140,
    )
    topic.heading(_("In a list"))
    rows = [("A … Z", _("Type to find")), (_("Space"), _("Tick")), ("Enter", _("Open"))]
    rows += [("Delete", _("Delete, with undo")), ("Alt+↑ ↓", _("Move a scenario up or down"))]
    topic.pairs([*rows, ("Menu", _("What else can be done"))], width=140)
    topic.heading(_("In a chart"))
    topic.pairs([("← →", _("Read out, point by point")), ("Esc", _("Put the read-out away"))], width=140)
    return topic


def sources_topic(session: Session) -> Topic:
    """What is in the catalogue, what it was read from, and under which licences."""
    topic = Topic(_("Sources and licences"), _("Tonnage opens no connection to the internet, ever."))
    catalogue, count = session.catalogue, current().count
    topic.heading(_("Catalogue"))
    devices, models = len(catalogue.devices), len(catalogue.models)
    topic.pairs(
        [
            (_("Devices"), ngettext("{count} device", "{count} devices", devices).format(count=count(devices))),
            (_("Models"), ngettext("{count} model", "{count} models", models).format(count=count(models))),
            (_("Engines"), ", ".join(engine.name for engine in catalogue.engines.values())),
        ]
    )
    topic.sentence(
        _(
            "Every figure in it has a source, a date and a word on how well it is supported. Explain shows them beside "
            "the figure, the catalogue beside the record, and a proposal in its appendix."
        )
    )
    topic.heading(_("Measurements"))
    topic.sentence(
        _(
            "Speeds are fitted to public measurements of 2023 to 2026. Efficiencies of kernels come in part from the "
            "tables of aiconfigurator (© NVIDIA Corporation & Affiliates, Apache-2.0), condensed to a few numbers."
        )
    )
    topic.heading(_("Program"))
    topic.pairs(
        [
            ("Tonnage", _("Version {version}, method {method}; Apache-2.0").format(
                version=__version__, method=METHOD_VERSION
            )),
            ("Qt, PySide6", _("LGPL-3.0; its libraries lie beside the program and can be replaced")),
            ("pyqtgraph, NumPy, pydantic", _("MIT and BSD licences")),
            ("typst", _("Apache-2.0; sets the proposals")),
            ("Inter, JetBrains Mono", _("SIL Open Font Licence 1.1")),
        ]
    )  # fmt: skip
    return topic
