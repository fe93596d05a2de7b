"""Messages by gettext."""

import gettext as _gettext

_translations = _gettext.NullTranslations()


def gettext(message: str) -> str:
    """The message in the chosen language."""
    return _translations.gettext(message)


def ngettext(singular: str, plural: str, number: int) -> str:
    """The message for one or for several, as the chosen language counts."""
    return _translations.ngettext(singular, plural, number)
