"""The errors a person may see. Each carries one sentence fit to be shown; anything else is a bug of ours.

"Does not fit" is not an error but a result, see `core.sizing`.
"""


class TonnageError(Exception):
    """Base of every error whose message is meant for the user."""

    @property
    def message(self) -> str:
        """The sentence to show."""
        return str(self.args[0]) if self.args else type(self).__name__


class InvalidInput(TonnageError):
    """Something that was typed or read from a file cannot be used; `field` says where it stands."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
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
