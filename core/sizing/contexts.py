"""The longest context that fits, by lines: over the cases of how many windows are full."""

from collections.abc import Callable
from typing import Any

from core.physics import contexts
from core.physics import memory as m
from core.physics.kv_cache import total_bytes_per_token
from core.sizing.pool import POOL
from core.sizing.reservation.share import Reservation
from core.trace import Recipe, Recorder, recipe

#: The longest context by lines, with what stands beside the cache at the context limit; how far the true one is away.
BESIDE_AS_NOW, FEWER = "max_context_tokens.beside_as_now", "max_context_tokens.fewer_tokens"


@recipe
def context_answers(trace: Recipe, reserved: Reservation, weighed: bool, holds_back: bool, own_length: bool) -> None:
    """How long one request may be, and from where the cache outweighs the model.

    `own_length` where lines do not give it to the token, so that the difference is looked for.
    """
    free = POOL if holds_back else "accelerator.free_for_kv_bytes"
    largest_context(trace, reserved, BESIDE_AS_NOW if own_length else "max_context_tokens", "one_request", free)
    if own_length:
        more = {"fits_tokens": BESIDE_AS_NOW, "fewer_tokens": FEWER}
        trace.compute("max_context_tokens", contexts.context_at_its_own_length, **more)
    trace.compute(
        "max_context_usable_tokens",
        contexts.usable_context,
        fits_tokens="max_context_tokens",
        trained_tokens="model.trained_context",
    )
    if weighed:
        largest_context(
            trace, reserved, "cache_outweighs_model_tokens", "accelerator.requests", "accelerator.weights_bytes"
        )


def largest_context(trace: Recorder, reserved: Reservation, key: str, requests: str, free_bytes: str) -> None:
    """Record the largest context of `requests` at once under `key`, over the cases of how many windows are full."""
    free = {"free_bytes": free_bytes, "requests": requests}
    found = growth_cases(trace, reserved)
    last = f"{key}.by_growth" if reserved.least else key
    cases = [f"{key}.case.{number}" for number in range(len(found))] if len(found) > 1 else [last]
    for case, (constant, growth) in zip(cases, found, strict=True):
        if growth:
            trace.compute(
                case,
                contexts.context_that_fits,
                **free,
                constant_bytes=constant,
                bytes_per_token=growth,
                block_tokens=reserved.step,
            )
        else:
            trace.compute(case, contexts.context_without_growth, **free, constant_bytes=constant)
    if len(cases) > 1:
        trace.compute(last, contexts.largest_context, cases=cases)
    if reserved.least:
        trace.compute(key, contexts.context_above_least, fits_tokens=last, **free, least_bytes=reserved.least)


def growth_cases(trace: Recorder, reserved: Reservation) -> list[tuple[str, str]]:
    """Per case, the keys of the constant part of a request and of its growth per token ("" when nothing grows)."""
    shares = reserved.shares
    constants = [share.constant for share in shares if share.constant]
    growing = [share.rate for share in shares if share.rate and not share.full]
    windows = sorted((share for share in shares if share.full), key=lambda share: share.limit)
    cases = []
    for full in range(len(windows) + 1):
        held = [share.full for share in windows[:full]]
        held += [share.extra for share in windows[full:] if share.extra]
        constant = _sum_key(trace, f"context_case.{full}.constant_bytes", m.sum_bytes, "items", [*constants, *held])
        rates = growing + [share.rate for share in windows[full:]]
        growth = _sum_key(trace, f"context_case.{full}.bytes_per_token", total_bytes_per_token, "groups", rates)
        cases.append((constant or "nothing_bytes", growth))
    return cases


def _sum_key(trace: Recorder, key: str, function: Callable[..., Any], parameter: str, items: list[str]) -> str:
    """The key of a sum: of its only item, or a new entry; "" for nothing."""
    if len(items) > 1 and key not in trace:
        trace.compute(key, function, **{parameter: items})
    return key if len(items) > 1 else "".join(items)
