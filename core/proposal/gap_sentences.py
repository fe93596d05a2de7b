"""What a proposal lacks, in a sentence that says what it means, and a word for the place where it can be closed."""

from collections.abc import Sequence

from core.language.cost_sentences import line_kind
from core.language.messages import gettext as _
from core.language.messages import marked
from core.language.part_names import part_name
from core.proposal.gaps import Gap, GapKind, Place
from core.proposal.letters import letter
from core.proposal.offer import Offer
from core.scenario import LineKind

_SENTENCES = {
    GapKind.CLIENT: marked("Nobody is named whom the proposal is for."),
    GapKind.AUTHOR: marked("Nobody is named who makes the proposal."),
    GapKind.USERS: marked("The number of users is not given: no cost per million tokens can be told."),
    GapKind.PRICE: marked("No price is known for {subject}: sums stay unknown."),
    GapKind.PRICE_DATE: marked("The price of {subject} has no date."),
    GapKind.PRICE_OLD: marked("The price of {subject} is from before memory prices rose: it is too low today."),
    GapKind.EXCHANGE: marked("No exchange rate is known for {subject}: sums stay unknown."),
    GapKind.TARIFF: marked("No price of electricity is known: give one, or the client’s country."),
    GapKind.SPEED: marked("Its computing rate is not in the catalogue, so no speed can be told."),
    GapKind.GENERIC: marked("The speed of {subject} rests on no measurement of anything alike."),
    GapKind.GLYPHS: marked("The font has no {subject}: a box stands in place of each."),
}
_PLACES = {
    Place.DOCUMENT: marked("Fill in"),
    Place.BRAND: marked("Change"),
    Place.ECONOMICS: marked("Go to prices"),
    Place.WORKLOAD: marked("Go to workload"),
    Place.SCENARIO: marked("Rename"),
    Place.DEVICE: marked("Go to its record"),
}


def gap_sentence(gap: Gap, offers: Sequence[Offer]) -> str:
    """What is missing, with the letter of its option where there are several."""
    subject = gap.subject
    if part_name(subject):
        subject = f"“{part_name(subject)}”"
    elif subject in set(LineKind):
        subject = f"“{line_kind(LineKind(subject))}”"
    text = _(_SENTENCES[gap.kind]).format(subject=subject)
    of_document = gap.place in (Place.DOCUMENT, Place.BRAND)
    if len(offers) > 1 and not of_document:
        return _("Option {letter}: {sentence}").format(letter=letter(gap.option), sentence=text)
    return text


def place_word(place: Place) -> str:
    """What a button says that leads to where a gap can be closed."""
    return _(_PLACES[place])
