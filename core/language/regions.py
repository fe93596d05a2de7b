"""The names of countries in the language in force."""

from core.language.messages import language


def region_name(code: str) -> str:
    """The name of a country or union by its ISO code; the code itself where it has none.

    >>> region_name("DE"), region_name("EU"), region_name("XX")
    ('Germany', 'European Union', 'XX')
    """
    from babel import Locale

    return str(Locale.parse(language()).territories.get(code, code))
