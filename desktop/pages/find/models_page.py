"""Find models: what the hardware of the scenario can run, with the same table the other way round."""

from collections.abc import Callable

from core.language import search_sentences as words
from core.language.format_names import format_name
from core.language.messages import gettext as _
from core.language.sentences import device_with_count
from core.scenario import Scenario
from core.sizing.search.models import ModelAnswer, ModelsFound
from desktop.pages.find.answers import CACHE_COLUMN, REQUESTS_COLUMN, SIZE_COLUMN, Row, model_columns, model_row
from desktop.pages.find.search_page import SearchPage
from desktop.session import Session
from desktop.theme import Theme
from desktop.widgets.labels import line


class FindModelsPage(SearchPage):
    """Hardware, workload and targets are those of the scenario."""

    finds_models = True
    spared = (REQUESTS_COLUMN, CACHE_COLUMN, SIZE_COLUMN)

    def __init__(self, session: Session, theme: Theme, opened: Callable[[], object]) -> None:
        super().__init__(session, theme, opened, model_columns(), _("Models"))
        self.found: ModelsFound | None = None
        column = self._top()
        column.addWidget(self.table, 1)
        column.addWidget(line())
        column.addWidget(self.misses)
        self.table.row_chosen.connect(lambda _row: self.table.viewport().update())

    def _work(self) -> Callable[[], ModelsFound]:
        from core.sizing.search.models import find_models

        request, catalogue = self.limits.request, self._session.catalogue
        return lambda: find_models(request, catalogue)

    def show_found(self, found: ModelsFound, seconds: float) -> None:
        self.found = found
        catalogue, deployment = self._session.catalogue, found.request.scenario.deployment
        device = catalogue.device(deployment.device)
        hardware = device_with_count(device.called, deployment.count * deployment.nodes)
        self.headline.setText(words.models_headline(found, hardware))
        self.subline.setText(words.models_searched(found, seconds))
        rows = [
            model_row(one, format_name(catalogue.weight_format(one.weights).name), catalogue.kv_format(one.kv_format))
            for one in found.answers
        ]
        self.answers.set_rows(rows, found.request.scenario.workload.speed_target)
        self.table.fit_columns()
        nearest = found.ruled_out[0] if found.ruled_out else None
        miss = (nearest.model.name, words.model_ruled_out(nearest)) if nearest is not None else None
        self.misses.show_misses(len(found.ruled_out), miss)
        self.open.setEnabled(bool(rows))
        self.table.say_empty("" if rows else words.nothing_to_rank())
        if rows:
            self.table.setCurrentIndex(self.answers.index(0, 0))

    def _ruled_out(self) -> list[tuple[str, str]]:
        return [(m.model.name, words.model_ruled_out(m)) for m in self.found.ruled_out] if self.found else []

    def _scenario(self, row: Row) -> Scenario:
        answer: ModelAnswer = row.answer
        return answer.scenario.edited(name=answer.model.name[:200])
