"""The errors a person may see. Each carries one sentence fit to be shown; anything else is a bug of ours.

"Does not fit" is not an error but a result, see `core.sizing`.
"""

import errno
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words with places for values, so that they can be said in another language; as a text they are English."""

    template: str
    values: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template.format(**self.values) if self.values else self.template


#: What a system says in English whatever language is spoken.
_REASONS = {
    errno.EACCES: Phrase("access is denied"),
    errno.EPERM: Phrase("access is denied"),
    errno.ENOENT: Phrase("it does not exist"),
    errno.ENOTDIR: Phrase("it does not exist"),
    errno.EISDIR: Phrase("it is a folder"),
    errno.ENOSPC: Phrase("the disk is full"),
    errno.EDQUOT: Phrase("the disk is full"),
    errno.EROFS: Phrase("nothing can be written there"),
    errno.EIO: Phrase("the disk reports a fault"),
    errno.ENAMETOOLONG: Phrase("its name is too long"),
    errno.ELOOP: Phrase("it is a link to itself"),
}


def reason_of(failure: OSError) -> Phrase | str:
    """Why a file cannot be used, to stand within a sentence.

    >>> str(reason_of(PermissionError(errno.EACCES, "Permission denied")))
    'access is denied'
    """
    return _REASONS.get(failure.errno or 0) or failure.strerror or str(failure)


class TonnageError(Exception):
    """Base of every error whose message is meant for the user: a sentence, with values for its places.

    >>> TonnageError("{file} is not JSON.", file="config.json").message
    'config.json is not JSON.'
    """

    def __init__(self, message: str = "", **values: object) -> None:
        self.phrase = Phrase(message, values)
        super().__init__(str(self.phrase))

    @property
    def message(self) -> str:
        """The sentence to show, in English."""
        return str(self.args[0]) or type(self).__name__


class InvalidInput(TonnageError):
    """Something that was typed or read from a file cannot be used; `field` says where it stands."""

    def __init__(self, message: str, field: str = "", **values: object) -> None:
        super().__init__(message, **values)
        self.field = field


class CatalogueError(TonnageError):
    """The catalogue lacks an entry, or holds one that contradicts itself."""


class UnsupportedArchitecture(TonnageError):
    """A model file describes an architecture that Tonnage cannot count; the message names it."""


class StoreError(TonnageError):
    """The local store cannot be read or written."""


class StoreTooNew(StoreError):
    """The store or file was written by a newer version of Tonnage."""


class ProposalError(TonnageError):
    """The proposal cannot be composed or written."""
