"""The line that says that the catalogue has moved on since the scenario on screen was sized."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject

from core.language.messages import gettext as _
from core.language.messages import ngettext
from core.language.numbers import current
from desktop.session import Message, Session

TOPIC = "moved on"
MOST = 12  # figures in the tooltip


class MovedOn(QObject):
    """Listens to the session and says it once for each state of things."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._said: tuple[Any, ...] = ()
        session.moved_on.connect(self._say)

    def say_now(self) -> None:
        """In a window that was just made."""
        self._say(self._session.figures.moved_on(self._session.scenario, self._session.catalogue))

    def _say(self, changes: tuple[Any, ...]) -> None:
        said = (self._session.scenario_id, *changes) if changes else ()
        if said == self._said:
            return
        self._said = said
        if not changes:
            self._session.message.emit(Message("", topic=TOPIC))
            return
        text, use = sentence(changes), self._session.use_latest_figures
        detail = details(changes, self._session.latest)
        if all(not change.fields for change in changes):  # there is nothing newer to use
            self._session.message.emit(Message(text, "info", TOPIC, detail=detail))
        else:
            self._session.message.emit(Message(text, "info", TOPIC, _("Use today’s figures"), use, detail))


def sentence(changes: Sequence[Any]) -> str:
    """What has changed, and that the scenario stands on what it was sized with."""
    if all(not change.fields for change in changes):
        text = ngettext(
            "{name} was deleted from the catalogue. This scenario keeps the figures that it was sized with.",
            "{name} and {number} more were deleted from the catalogue. "
            "This scenario keeps the figures that it was sized with.",
            len(changes),
        )
        return text.format(name=changes[0].name, number=current().count(len(changes) - 1))
    text = ngettext(
        "The catalogue has moved on since this scenario was sized: {name}. It keeps the figures of then.",
        "The catalogue has moved on since this scenario was sized: {name} and {number} more. "
        "It keeps the figures of then.",
        len(changes),
    )
    return text.format(name=changes[0].name, number=current().count(len(changes) - 1))


def details(changes: Sequence[Any], catalogue: Any) -> str:
    """The figures that changed, then and now, one a line."""
    from desktop.pages.catalogue.pack_preview import figures_of, written

    lines = []
    for change in changes:
        figures = figures_of(change.table, change.id, catalogue)
        if not change.fields:
            lines.append(_("{name}: no longer in the catalogue").format(name=change.name))
        for one in change.fields:
            figure = figures.get(one.name)
            if figure is None:
                continue  # a source, a note
            then, now = written(one.before, figure.kind), written(one.after, figure.kind)
            text = _("{name}, {figure}: {then} then, {now} now")
            lines.append(text.format(name=change.name, figure=figure.text, then=then, now=now))
    return "\n".join(lines[:MOST])
