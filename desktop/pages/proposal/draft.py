"""The proposal being made, and what is remembered of its choices between two starts: brand, author, paper, sections."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from core.errors import ProposalError
from core.language.messages import LANGUAGES, language
from core.proposal.logo import checked_logo
from core.proposal.options import USUALLY_LEFT_OUT, Brand, Paper, ProposalOptions, Section, Typeface
from desktop.pages.proposal.candidates import Candidates
from desktop.session import Session
from desktop.settings import PROPOSAL, Settings

LOGO = "logo"
REMEMBER_MS = 800
#: What is said in the proposal for one client, and not in one for another.
OF_A_CLIENT: dict[str, Any] = {"client": "", "recipient": "", "title": "", "validity_days": None}
_BRAND = ("name", "contact", "legal", "primary", "accent")


class Draft(QObject):
    """The proposal being made. It lives as long as the session, whatever becomes of the window."""

    changed = Signal()

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__(session)
        self._session, self._settings = session, settings
        self.options = remembered(settings, date.today())
        self.candidates = Candidates(session)
        self._client = session.scenario.client
        self._on_screen = (session.scenario_id, self._client)
        self._of_clients: dict[str, dict[str, Any]] = {}
        self._spoken = language()
        self._kept = QTimer(self)
        self._kept.setSingleShot(True)
        self._kept.setInterval(REMEMBER_MS)
        self._kept.timeout.connect(self.remember)

    def change(self, make: Callable[[ProposalOptions], ProposalOptions]) -> None:
        """Change the options."""
        changed = make(self.options)
        if changed != self.options:
            self.options = changed
            self._kept.start()
            self.changed.emit()

    def remember(self) -> None:
        """Keep what the next proposal will have in common with this one."""
        self._kept.stop()
        remember(self._settings, self.options)

    def follow(self) -> None:
        """Be a proposal for the client on screen, in the language of the window unless another was chosen."""
        if self._spoken != language():
            if self.options.language == self._spoken:
                self.options = replace(self.options, language=language())
            self._spoken = language()
        here = (self._session.scenario_id, self._session.scenario.client)
        (before, old), (now, new) = self._on_screen, here
        self._on_screen = here
        if new == old:
            return
        if now == before and self._client == old:  # the same scenario, now under another name of the client
            self._client = new
        else:  # options of one client are none for another
            self.candidates.pass_scenarios(())
            self.turn_to(new)

    def turn_to(self, client: str) -> None:
        """Take up what was said in the proposal for this client."""
        if client != self._client:
            self._of_clients[self._client] = {field: getattr(self.options, field) for field in OF_A_CLIENT}
            self._client = client
            self.options = replace(self.options, **self._of_clients.get(client, OF_A_CLIENT))


def draft_of(session: Session, settings: Settings) -> Draft:
    """The one proposal of a session."""
    return session.findChild(Draft) or Draft(session, settings)


def remembered(settings: Settings, today: date) -> ProposalOptions:
    """The choices of last time; what cannot be read is as at first."""
    kept: dict[str, Any] = settings.get(PROPOSAL)
    said: dict[str, Any] = kept["brand"] if isinstance(kept.get("brand"), dict) else {}
    texts = {name: str(said[name]) for name in _BRAND if isinstance(said.get(name), str)}
    options = ProposalOptions(
        date=today,
        language=kept["language"] if kept.get("language") in LANGUAGES else language(),
        author=str(kept.get("author", "")),
        currency=str(kept.get("currency", "")),
        paper=_one_of(Paper, kept.get("paper"), Paper.A4),
        left_out=_left_out(kept.get("left_out")),
        template=_folder(kept.get("template")),
    )
    typeface = _one_of(Typeface, said.get("typeface"), Typeface.SANS)
    try:
        return replace(options, brand=Brand(**texts, typeface=typeface, logo=_logo(settings)))
    except ProposalError:  # a colour that was edited by hand in the file
        return replace(options, brand=Brand(texts.get("name", ""), typeface=typeface, logo=_logo(settings)))


def remember(settings: Settings, options: ProposalOptions) -> None:
    """Keep what the next proposal will have in common with this one; the logo lies in a file of its own."""
    brand = {name: getattr(options.brand, name) for name in _BRAND}
    kept = {
        "language": "" if options.language == language() else options.language,
        "author": options.author,
        "currency": options.currency,
        "paper": options.paper.value,
        "left_out": sorted(options.left_out),
        "template": str(options.template or ""),
        "brand": {**brand, "typeface": options.brand.typeface.value},
    }
    settings.set(PROPOSAL, kept)
    file = settings.folder / LOGO
    try:
        if not options.brand.logo:
            file.unlink(missing_ok=True)
        elif not file.is_file() or file.read_bytes() != options.brand.logo:
            file.write_bytes(options.brand.logo)
    except OSError:  # a folder that cannot be written: the logo lasts until the program ends
        return


def _logo(settings: Settings) -> bytes:
    try:
        return checked_logo((settings.folder / LOGO).read_bytes())
    except (OSError, ProposalError):
        return b""


def _one_of(kind: Callable[[str], Any], value: object, usual: Any) -> Any:
    try:
        return kind(str(value))
    except ValueError:
        return usual


def _left_out(value: object) -> frozenset[Section]:
    """Sections that were left out; at first those that few need."""
    if not isinstance(value, list):
        return USUALLY_LEFT_OUT
    return frozenset(section for section in Section if section.value in value)


def _folder(value: object) -> Path | None:
    return Path(value) if isinstance(value, str) and value else None
