"""What is remembered of the choices for a proposal between two starts: brand, author, paper, sections."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from core.errors import ProposalError
from core.language.messages import LANGUAGES, language
from core.proposal.logo import checked_logo
from core.proposal.options import USUALLY_LEFT_OUT, Brand, Paper, ProposalOptions, Section, Typeface
from desktop.settings import PROPOSAL, Settings

LOGO = "logo"
_BRAND = ("name", "contact", "legal", "primary", "accent")


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
        "language": options.language,
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
