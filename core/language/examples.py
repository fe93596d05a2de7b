"""The shipped examples in the language in force: their names are words, not brands."""

from core.language.messages import gettext as _
from core.scenario import Scenario, TextbookModel


def in_words(example: Scenario) -> Scenario:
    """An example as its reader's own: with the names of scenario and textbook model in the language in force."""
    named = example.edited(name=_(example.name))
    if isinstance(named.model, TextbookModel):
        return named.edited(model=named.model.model_copy(update={"name": _(named.model.name)}))
    return named
