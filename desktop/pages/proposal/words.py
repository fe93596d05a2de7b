"""The names of papers, typefaces and sections, as the choices show them."""

from core.language.messages import gettext as _
from core.language.messages import marked
from core.proposal.options import Paper, Section, Typeface

_PAPERS = {Paper.A4: "A4", Paper.LETTER: marked("US Letter")}
_TYPEFACES = {Typeface.SANS: marked("Inter, without serifs"), Typeface.SERIF: marked("Libertinus, with serifs")}
_SECTIONS = {
    Section.COVER: marked("Cover"),
    Section.NEED: marked("What you asked for"),
    Section.RECOMMENDATION: marked("Recommendation"),
    Section.MEMORY: marked("Memory"),
    Section.SPEED: marked("Speed"),
    Section.OPTIONS: marked("Options side by side"),
    Section.COST: marked("Cost and bill of materials"),
    Section.RISKS: marked("Risks and next steps"),
    Section.FORMULAS: marked("Appendix: formulas"),
    Section.EVERYTHING: marked("Appendix: every figure"),
    Section.SOURCES: marked("Appendix: inputs and sources"),
    Section.GLOSSARY: marked("Glossary"),
}


def paper_name(paper: Paper) -> str:
    return _(_PAPERS[paper])


def typeface_name(typeface: Typeface) -> str:
    return _(_TYPEFACES[typeface])


def section_name(section: Section) -> str:
    return _(_SECTIONS[section])
