"""Words of the field that a board may not know, each in a sentence."""

from core.language.messages import gettext as _
from core.language.messages import marked
from core.proposal.values import Point

_WORDS = (
    (marked("Token"), marked("a piece of a word, the unit in which a model reads and writes.")),
    (marked("Context"), marked("the text that one request may hold, question and answer together.")),
    (marked("Cache (KV cache)"), marked("what the model keeps of the text so far, for each request.")),
    (marked("Weights"), marked("the numbers that a model has learnt; they are read for every token.")),
    (marked("First word"), marked("the time from a question to the first word of its answer.")),
    (marked("Requests at once"), marked("questions that are being answered at the same moment.")),
    (marked("P10, P50, P90"), marked("one case in ten, half of the cases, nine cases in ten lie below.")),
    (marked("Mixture of experts"), marked("a model of which each token uses only a part; all of it lies in memory.")),
    (marked("Quantised"), marked("stored in fewer bits a number: smaller and faster, a little less exact.")),
    (marked("Engine limit"), marked("the part of the memory that the serving program may take.")),
    (marked("GB, GiB"), marked("10⁹ and 2³⁰ bytes.")),
)


def glossary() -> tuple[Point, ...]:
    """The words in the language in force."""
    return tuple(Point(_("{word}:").format(word=_(word)), _(meaning)) for word, meaning in _WORDS)
