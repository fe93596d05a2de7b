"""What one group of layers takes of an accelerator for one request, in terms that all engines have in common."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """One group of layers. All fields but the first and the last are keys of the trace; "" where there is nothing.

    state      a recurrent state rather than a cache?
    bytes      of one request at the context limit, on one accelerator [byte]
    whole      the same over all accelerators of a replica [byte]
    rate       growth with each token, until the limit [byte/token]
    constant   bytes whatever the length [byte]
    full       bytes once the limit is reached; "" where there is none [byte]
    extra      bytes on top of the growth before it is reached [byte]
    limit      at which growth ends; 0 where it does not [tokens]
    """

    state: bool
    bytes: str
    whole: str
    rate: str = ""
    constant: str = ""
    full: str = ""
    extra: str = ""
    limit: int = 0


@dataclass(frozen=True, slots=True)
class Reservation:
    """All groups of a model as one engine keeps them.

    shares   group by group
    step     key of the tokens in which contexts are counted
    least    key of the bytes that a request takes at least; "" where the shares say it all
    """

    shares: tuple[Share, ...]
    step: str
    least: str = ""
