"""The title and the line of the roofline: what bounds writing and reading, and what is drawn."""

from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import Formatter
from core.sizing.report import Sizing
from core.sizing.roofline import Roofline, WorkPoint


def roofline_title(found: Roofline) -> str:
    """What bounds each kind of work: the slope of the roof is memory, its flat part is computing."""
    if found.decode.bound_by_memory and found.prefill.bound_by_memory:
        return _("Memory bandwidth bounds writing and reading prompts alike")
    if found.decode.bound_by_memory:
        return _("Memory bandwidth bounds writing, the computing rate bounds reading prompts")
    if found.prefill.bound_by_memory:
        return _("The computing rate bounds writing, memory bandwidth bounds reading prompts")
    return _("The computing rate bounds writing and reading prompts alike")


def roofline_line(sizing: Sizing, found: Roofline, formatter: Formatter) -> str:
    """At which load, and how near each kind of work comes to the roof."""
    text = ngettext(
        "{requests} request at once. Of what the roof allows, writing reaches {decode} and reading prompts {prefill}.",
        "{requests} requests at once. Of what the roof allows, writing reaches {decode} and reading prompts {prefill}.",
        sizing.required_requests,
    )
    return text.format(
        requests=formatter.count(sizing.required_requests),
        decode=formatter.share(found.decode.share),
        prefill=formatter.share(found.prefill.share),
    )


def work_name(point: WorkPoint) -> str:
    """The kind of work that a point stands for."""
    return _("Writing (decode)") if point.key.endswith("decode") else _("Reading (prefill)")
