"""The pages of a proposal in the background: gathered once for each scenario, composed and drawn after every edit."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from core.errors import TonnageError
from core.language import sentences
from core.language.messages import in_language, language
from core.scenario import Scenario
from desktop.jobs import Jobs

if TYPE_CHECKING:
    from core.proposal.gaps import Gap
    from core.proposal.offer import Offer
    from core.proposal.options import ProposalOptions

PAUSE_MS = 60  # after the last key, before pages are drawn
MOST_KEPT = 24


@dataclass(frozen=True, slots=True)
class Order:
    """What pages are wanted of, all of it plain values."""

    cases: tuple[tuple[Scenario, Any], ...]  # scenarios, each with its catalogue
    options: "ProposalOptions"
    ppi: float


@dataclass(frozen=True, slots=True)
class Pages:
    """Pictures of the pages (PNG), and what should be known before they are sent."""

    pictures: tuple[bytes, ...]
    gaps: "tuple[Gap, ...]"
    offers: "tuple[Offer, ...]"


class Gatherer:
    """Offers by scenario: what a word of the title does not change is not worked out again."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, ...], tuple[Any, Offer]] = OrderedDict()

    def offers(self, cases: Sequence[tuple[Scenario, Any]], options: "ProposalOptions") -> "tuple[Offer, ...]":
        from core.proposal.offer import offer

        day, alone = options.date.isoformat(), len(cases) == 1
        with self._lock:
            found = []
            for scenario, catalogue in cases:
                key = (scenario.model_dump_json(), day, options.currency, str(alone))
                known = self._kept.get(key)
                if known is None or known[0] is not catalogue:
                    known = catalogue, offer(scenario, catalogue, day, options.currency, alone=alone)
                    self._kept[key] = known
                self._kept.move_to_end(key)
                found.append(known[1])
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return tuple(found)


def draw(order: Order, gatherer: Gatherer) -> Pages:
    """Gather, compose and draw; runs without Qt."""
    from core.proposal.composition import proposal
    from core.proposal.gaps import gaps
    from core.proposal.typst_document import pictures

    options = order.options
    offers = gatherer.offers(order.cases, options)
    composed = proposal(offers, options)
    drawn = pictures(composed, options.date, order.ppi, options.template)
    return Pages(tuple(drawn), gaps(offers, options), offers)


class PreviewJob(QObject):
    """Draws pages some time after the last edit; only the last answer counts."""

    started = Signal()
    drawn = Signal(object)  # Pages
    refused = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.gatherer = Gatherer()
        self._make: Any = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.run)
        self._jobs = Jobs(self)
        self._jobs.done.connect(self._on_done)
        self._jobs.failed.connect(self._on_failed)
        self._busy = self._again = False

    def ask(self, make: Any) -> None:
        """Pages are wanted; `make` gives the order when it is time, or None."""
        self._make = make
        self._pause.start()

    def run(self) -> None:
        """Draw now; while pages are being drawn, the next order waits, since the typesetter does one at a time."""
        self._pause.stop()
        if self._busy:
            self._again = True
            return
        order: Order | None = self._make() if self._make else None
        if order is None:
            return
        self._busy, gatherer, spoken = True, self.gatherer, language()
        self.started.emit()

        def work() -> Pages:
            with in_language(spoken):
                return draw(order, gatherer)

        self._jobs.start(work)

    def _next(self) -> None:
        self._busy = False
        if self._again:
            self._again = False
            self.run()

    def _on_done(self, pages: Pages) -> None:
        self.drawn.emit(pages)
        self._next()

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, TonnageError):
            self._busy = False
            raise error
        self.refused.emit(sentences.error(error))
        self._next()
