"""How long a request may be: the context that fits, at once and by search, and the prompt that fills it."""

from collections.abc import Callable, Sequence
from typing import Any

from core.physics.arrays import floor, maximum, minimum, where
from core.trace import formula
from core.units import Unit

#: No request is longer than this; it stands for "not limited by memory" [tokens].
UNLIMITED_TOKENS = 1_000_000_000


@formula(Unit.TOKEN)
def context_that_fits(
    free_bytes: int, requests: int, constant_bytes: int, bytes_per_token: float, block_tokens: int
) -> Any:
    """Tokens that each of the requests may have, where the cache grows evenly.

    context_that_fits = max(0, floor((free_bytes / requests - constant_bytes) / bytes_per_token / block_tokens)
        * block_tokens)

    Parameters
    ----------
    free_bytes : left for requests on one accelerator [byte]
    requests : that share it
    constant_bytes : of a request, whatever its length: recurrent state, full windows [byte]
    bytes_per_token : growth on this accelerator [byte/token]
    block_tokens : tokens in a block of the cache

    Returns
    -------
    tokens

    >>> context_that_fits(68_500_000_000, 1, 0, 98304, 1)
    696818
    """
    room = free_bytes / requests - constant_bytes
    return maximum(0, floor(room / bytes_per_token / block_tokens) * block_tokens)


@formula(Unit.TOKEN)
def context_without_growth(free_bytes: int, requests: int, constant_bytes: int) -> Any:
    """Tokens that each request may have when nothing grows any more: any number, or none.

    context_without_growth = where(free_bytes / requests >= constant_bytes, 1000000000, 0)

    Parameters
    ----------
    free_bytes : left for requests on one accelerator [byte]
    requests : that share it
    constant_bytes : of a request, whatever its length [byte]

    Returns
    -------
    tokens; 1,000,000,000 stands for no limit

    >>> context_without_growth(1_000, 1, 900)
    1000000000
    """
    return where(free_bytes / requests >= constant_bytes, UNLIMITED_TOKENS, 0)


@formula(Unit.TOKEN)
def largest_context(cases: Sequence[int]) -> Any:
    """Largest context over the cases of how many windows are full.

    largest_context = min(1000000000, max(cases))

    Parameters
    ----------
    cases : context that would fit if just these windows were full [tokens]

    Returns
    -------
    tokens

    Notes
    -----
    The bytes of a request are the smallest of several straight lines, one per case, because a window never holds more
    than its width. So a length fits as soon as it fits on one of the lines: the largest is exact, without a search.

    >>> largest_context([1200, 5400])
    5400
    """
    return minimum(UNLIMITED_TOKENS, maximum(*cases) if len(cases) > 1 else cases[0])


@formula(Unit.TOKEN)
def context_at_its_own_length(fits_tokens: int, fewer_tokens: int) -> int:
    """Largest context where lines do not give it to the token.

    context_at_its_own_length = fits_tokens - fewer_tokens

    Parameters
    ----------
    fits_tokens : largest context by lines, with what stands beside the cache at the context limit
    fewer_tokens : how many fewer fit, sized at that length itself; negative where it is more

    Returns
    -------
    tokens

    Notes
    -----
    The second number is found by `longest`: buffers that grow with the context do so in steps, and go by the largest of
    several, and layers may go by blocks of unlike lengths.

    >>> context_at_its_own_length(112_128, 11_008)
    101120
    """
    return fits_tokens - fewer_tokens


def longest(fits: Callable[[int], bool], near: int) -> int:
    """The largest number of tokens that fit, found by halves, where more never fit if fewer do not.

    Parameters
    ----------
    fits : does a request of so many tokens fit?
    near : where to begin; the nearer, the fewer questions

    Returns
    -------
    tokens; 0 where not even one fits

    >>> longest(lambda tokens: tokens <= 1000, 1000), longest(lambda tokens: False, 40)
    (1000, 0)
    """
    step, low, high = 1, 0, UNLIMITED_TOKENS + 1
    at = min(max(near, 1), UNLIMITED_TOKENS)
    while high - low > 1:
        if fits(at):
            low = at
        else:
            high = at
        if low and high <= UNLIMITED_TOKENS:
            at = (low + high) // 2
        else:  # one end is not known yet: go there in growing steps
            at = min(low + step, UNLIMITED_TOKENS) if low else max(high - step, 1)
            step *= 4
    return low


@formula(Unit.TOKEN)
def usable_context(fits_tokens: int, trained_tokens: int) -> Any:
    """Context that both fits and was trained for.

    usable_context = where(trained_tokens > 0, min(fits_tokens, trained_tokens), fits_tokens)

    Parameters
    ----------
    fits_tokens : largest context in memory
    trained_tokens : longest context in training; 0 when not known

    Returns
    -------
    tokens

    >>> usable_context(696_818, 262_144)
    262144
    """
    return where(trained_tokens > 0, minimum(fits_tokens, trained_tokens), fits_tokens)


@formula(Unit.TOKEN)
def prompt_that_fills(context_tokens: int, output_tokens: int) -> Any:
    """Prompt of a request that fills its context, answer included.

    prompt_that_fills = max(1, context_tokens - output_tokens)

    Parameters
    ----------
    context_tokens, output_tokens : limit of a request, and its answer

    Returns
    -------
    tokens

    >>> prompt_that_fills(32_768, 512)
    32256
    """
    return maximum(1, context_tokens - output_tokens)


@formula(Unit.TOKEN)
def largest_block(blocks: Sequence[int]) -> int:
    """The longest block of any layers: the step in which a context can be counted.

    largest_block = max(blocks)

    Parameters
    ----------
    blocks : tokens in a block of each kind of layer

    Returns
    -------
    tokens

    >>> largest_block([16, 32])
    32
    """
    return max(blocks)


@formula(Unit.TOKEN)
def context_above_least(fits_tokens: int, free_bytes: int, requests: int, least_bytes: int) -> Any:
    """The longest context where a request takes so many bytes at the least, however short it is.

    context_above_least = where(free_bytes / requests >= least_bytes, fits_tokens, 0)

    Parameters
    ----------
    fits_tokens : largest context by what grows
    free_bytes : left for requests on one accelerator [byte]
    requests : that share it
    least_bytes : of a request of one token [byte]

    Returns
    -------
    tokens

    >>> context_above_least(5400, 1000, 1, 900), context_above_least(5400, 1000, 2, 900)
    (5400, 0)
    """
    return where(free_bytes / requests >= least_bytes, fits_tokens, 0)
