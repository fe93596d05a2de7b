"""What finding passages for a request takes before the model reads them: embedding the question, ranking the passages.

Both models read their tokens once and write none: their time is that of a short prompt. On the card of the language
model they take that time from everybody there; on a card of their own only the first token waits for them.
"""

from typing import Any

from core.trace import formula
from core.units import Unit


@formula(Unit.TOKEN)
def reranked_tokens(passages: int, question: int, passage: int) -> int:
    """Tokens that a reranker reads for one request: every passage together with the question.

    tokens = passages * (question + passage)

    Parameters
    ----------
    passages : that are ranked
    question : tokens of it
    passage : tokens of one

    Returns
    -------
    tokens

    >>> reranked_tokens(20, 50, 450)
    10000
    """
    return passages * (question + passage)


@formula(Unit.SECOND)
def retrieval_seconds(
    tokens: int, parameters: int, rate: float, efficiency: float, read: float, bandwidth: float
) -> float:
    """Time in which an embedding model or a reranker reads the tokens of one request, alone on its accelerator.

    seconds = 2 * parameters * tokens / (rate * efficiency) + read / bandwidth

    Parameters
    ----------
    tokens : of the request
    parameters : of the model, two operations each and token
    rate : of the accelerator in 16 bit [FLOP/s]
    efficiency : share of the rate that long products reach
    read : weights, read once [byte]
    bandwidth : of the memory that reads reach [byte/s]

    Returns
    -------
    time [s]

    Notes
    -----
    Attention within passages of a few hundred tokens adds little and is left out.

    >>> round(retrieval_seconds(10_000, 600_000_000, 200e12, 0.5, 1.2e9, 1.2e12), 3)
    0.121
    """
    return 2 * parameters * tokens / (rate * efficiency) + read / bandwidth


@formula(Unit.SECOND)
def seconds_of_all(parts: Any) -> Any:
    """Retrieval of one request: embedding the question, then ranking the passages.

    seconds = sum(parts)

    Parameters
    ----------
    parts : time of each model [s]

    Returns
    -------
    time [s]

    >>> seconds_of_all([0.01, 0.12])
    0.13
    """
    return sum(parts)


@formula(Unit.SECOND)
def prompt_with_retrieval(prompt: Any, retrieval: float, groups: int) -> Any:
    """What one request takes of the card that also finds passages: its prompt, and the retrieval of all groups' turn.

    seconds = prompt + retrieval * groups

    Parameters
    ----------
    prompt : time of it [s]
    retrieval : of one request [s]
    groups : copies of the model, or groups of attention in them, of which one shares its card with retrieval

    Returns
    -------
    time [s]

    Notes
    -----
    While each group answers one request, the card finds passages for all of them. All groups are counted like that one.

    >>> prompt_with_retrieval(0.5, 0.1, 2)
    0.7
    """
    return prompt + retrieval * groups


@formula(Unit.SHARE)
def retrieval_load(rate: float, seconds: float) -> float:
    """How busy a card of their own is with embedding and ranking in the busiest minute.

    load = rate * seconds

    Parameters
    ----------
    rate : requests in the busiest minute [1/s]
    seconds : of one request on that card [s]

    Returns
    -------
    share; beyond 0.7 requests queue in front of it

    >>> retrieval_load(0.5, 0.12)
    0.06
    """
    return rate * seconds
