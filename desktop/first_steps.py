"""What the first start says: a line about the worked example, and hints at the parts of the window."""

from PySide6.QtCore import QObject

from core.language.messages import gettext as _
from desktop.main_window import MainWindow
from desktop.pages.pages import CATALOGUE, SIZING
from desktop.settings import TOUR_SEEN
from desktop.widgets.message_bar import MessageBar
from desktop.widgets.tour import Hint, Tour

EXAMPLE = "example"  # topic of the line


class FirstSteps(QObject):
    """Shows them over a window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._example_id: int | None = None
        window.session.scenarios_changed.connect(self._on_scenarios)

    def show_example_line(self) -> None:
        """The line of the first start, with three ways from here."""
        window = self._window
        bar = MessageBar(window.theme, _("This is the worked example: change anything."))
        bar.add_action(_("Import a model…"), window.files.choose_file)
        bar.add_action(_("See the catalogue"), lambda: window.show_page(CATALOGUE))
        bar.add_action(_("Start a scenario"), window.scenarios.new)
        bar.closed.connect(lambda: window.messages.remove(EXAMPLE))
        window.messages.add(EXAMPLE, bar)
        self._example_id = window.session.scenario_id

    def _on_scenarios(self) -> None:
        if self._window.session.scenario_id != self._example_id:
            self._window.messages.remove(EXAMPLE)  # it speaks of a scenario that is no longer shown

    def look_around(self) -> None:
        """The hints of the first start, once."""
        window = self._window
        if window.settings.get(TOUR_SEEN) or window.page != SIZING:
            return
        hints = (
            Hint(
                _("Change anything here: model, context, people, device. The answer follows at once."),
                window.sizing.inputs,
            ),
            Hint(
                _("The first line answers. Click any figure to see its formula, its numbers and their sources."),
                window.sizing.results,
            ),
            Hint(
                _("Find hardware lists everything that would do this work, with reasons. Ctrl+P writes the proposal."),
                window.sidebar,
            ),
        )
        tour = Tour(window.theme, hints, window)
        tour.ended.connect(lambda: window.settings.set(TOUR_SEEN, True))
        window.pages.currentChanged.connect(tour.end)  # it speaks of what is on this page
        tour.setFocus()
