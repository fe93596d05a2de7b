"""What people use a model for, in figures: how long prompts and answers are, how often they ask, what they wait for.

Each figure names the fact of the catalogue that it is taken from; a figure inside a published range names the range.
What nobody has published is an estimate of the method and says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from core.catalogue.fact_kinds import FactSection
from core.catalogue.facts import Facts
from core.scenario import Demand, Retrieval, Use, Workload
from core.trace import Origin, OriginKind

#: Where no fact stands behind a figure.
ESTIMATE = Origin(OriginKind.METHOD, title="Working convention; no published figure found", confidence="estimate")

_CHAT, _CODE, _AGENT = (f"usage.tokens.trace.{trace}" for trace in ("azure-conv", "azure-code", "mooncake-synthetic"))
_RATE = "usage.chat.requests-per-active-hour"
_CACHE = "usage.cache-hit.plan"
_DAILY = "usage.copilot.daily-teams-uk-gov"
_BURST = "usage.peak-to-average"
_COMFORT = "usage.target.tps.comfort"


@dataclass(frozen=True, slots=True)
class Taken:
    """A figure and the fact that it is taken from; without one it is an estimate."""

    value: float
    fact: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """The figures of one use.

    prompt, output              mean of a request [tokens]
    prompt_tail, output_tail    99 of 100 are shorter [tokens]; None where nobody has published it
    cached                      share of the prompt that is found in the cache
    per_hour                    requests of an active person in the busiest hour
    burst                       busiest minute against the mean of that hour
    first_token                 wait for the first token that people accept [s]
    speed                       tokens per second that one user wants
    """

    prompt: Taken
    output: Taken
    prompt_tail: Taken | None
    output_tail: Taken | None
    cached: Taken
    per_hour: Taken
    burst: Taken
    first_token: Taken
    speed: Taken


PRESETS: Mapping[Use, Preset] = {
    Use.CHAT: Preset(
        prompt=Taken(1155, f"{_CHAT}.input.mean"),
        output=Taken(211, f"{_CHAT}.output.mean"),
        prompt_tail=Taken(4142, f"{_CHAT}.input.p99"),
        output_tail=Taken(601, f"{_CHAT}.output.p99"),
        cached=Taken(0.15, _CACHE),
        per_hour=Taken(6, _RATE),
        burst=Taken(1.53, "usage.peak-minute-to-mean.azure-conv"),
        first_token=Taken(3, "usage.target.ttft.nvidia.customer-chat"),
        speed=Taken(20, _COMFORT),
    ),
    Use.RAG: Preset(
        prompt=Taken(1500, "usage.tokens.plan.chat-rag.input"),
        output=Taken(500, "usage.tokens.plan.chat-rag.output"),
        prompt_tail=Taken(2000, "usage.tokens.plan.chat-rag.input"),
        output_tail=Taken(1000, "usage.tokens.plan.chat-rag.output"),
        cached=Taken(0.15, _CACHE),
        per_hour=Taken(6, _RATE),
        burst=Taken(3, _BURST),
        first_token=Taken(3, "usage.target.ttft.nvidia.customer-chat"),
        speed=Taken(20, _COMFORT),
    ),
    Use.CODE: Preset(
        prompt=Taken(2048, f"{_CODE}.input.mean"),
        output=Taken(28, f"{_CODE}.output.mean"),
        prompt_tail=Taken(7436, f"{_CODE}.input.p99"),
        output_tail=Taken(252, f"{_CODE}.output.p99"),
        cached=Taken(0.15, _CACHE),
        per_hour=Taken(40, _RATE),
        burst=Taken(4.1, "usage.peak-minute-to-mean.azure-code"),
        first_token=Taken(0.5, "usage.target.ttft.perception.sluggish"),
        speed=Taken(40, _COMFORT),
    ),
    Use.SUMMARY: Preset(
        prompt=Taken(4096, "usage.tokens.nvidia.summarise.input"),
        output=Taken(512, "usage.tokens.nvidia.summarise.output"),
        prompt_tail=None,
        output_tail=None,
        cached=Taken(0),
        per_hour=Taken(2),
        burst=Taken(3, _BURST),
        first_token=Taken(20, "usage.target.ttft.nvidia.meeting-summary"),
        speed=Taken(20, _COMFORT),
    ),
    Use.AGENT: Preset(
        prompt=Taken(15325, f"{_AGENT}.input.mean"),
        output=Taken(149, f"{_AGENT}.output.mean"),
        prompt_tail=Taken(66458, f"{_AGENT}.input.p99"),
        output_tail=Taken(769, f"{_AGENT}.output.p99"),
        cached=Taken(0.15, _CACHE),
        per_hour=Taken(110, _RATE),
        burst=Taken(4.1, "usage.peak-minute-to-mean.azure-code"),
        first_token=Taken(10, "usage.target.ttft.nvidia.code-generation"),
        speed=Taken(40, _COMFORT),
    ),
}

#: What a plan takes where the user has said nothing.
DAILY_SHARE = Taken(0.34, _DAILY)
REQUESTS_PER_DAY = Taken(20)
DAYS_PER_YEAR = Taken(220)
BUSY_HOUR_SHARE = Taken(0.2)
BURST_FACTOR = Taken(3, _BURST)


def with_use(workload: Workload, use: Use) -> Workload:
    """A workload with the figures of a use; users, context limit, reserve and certainty stay.

    The context limit grows where the longest requests of the use need more.

    Parameters
    ----------
    workload : whose users and limits are kept
    use : what the model is used for

    Returns
    -------
    the workload

    >>> with_use(Workload(users=300), Use.CODE).demand.requests_per_day
    200.0
    """
    preset = PRESETS[use]
    longest = sum(int((tail or mean).value) for tail, mean in _tails(preset))
    changes = {
        "use": use,
        "prompt_tokens": int(preset.prompt.value),
        "output_tokens": int(preset.output.value),
        "prompt_tail_tokens": int(preset.prompt_tail.value) if preset.prompt_tail else None,
        "output_tail_tokens": int(preset.output_tail.value) if preset.output_tail else None,
        "context_tokens": max(workload.context_tokens, longest),
        "prefix_hit_share": preset.cached.value,
        "ttft_target_s": float(preset.first_token.value),
        "speed_target": float(preset.speed.value),
        "retrieval": Retrieval() if use is Use.RAG else None,
        "demand": Demand(
            requests_per_day=preset.per_hour.value / BUSY_HOUR_SHARE.value, burst_factor=preset.burst.value
        ),
    }
    return workload.model_copy(update=changes)


def _tails(preset: Preset) -> tuple[tuple[Taken | None, Taken], ...]:
    return (preset.prompt_tail, preset.prompt), (preset.output_tail, preset.output)


def rhythm_of(use: Use | None) -> Mapping[str, Taken]:
    """The figures of a use that stand in `Workload.demand`, by name: those that a preset filled in keep their source.

    >>> rhythm_of(Use.CHAT)["requests_per_day"].value
    30.0
    """
    if use is None:
        return {}
    preset = PRESETS[use]
    per_day = Taken(preset.per_hour.value / BUSY_HOUR_SHARE.value, preset.per_hour.fact)
    return {"requests_per_day": per_day, "burst_factor": preset.burst}


def origin_of(taken: Taken, facts: Facts) -> Origin:
    """The source of a preset's figure: the fact's, or that it is an estimate."""
    fact = facts.find(FactSection.USAGE, taken.fact) if taken.fact else None
    return fact.origin if fact is not None else ESTIMATE
