"""The article's five questions, answered with the figures of scenarios that can be opened.

An answer is a list of whole sentences; every number in it is a figure of the sizings that it is made from. Where a
figure is not known, the sentence says so.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device
from core.language.levers import gain_in_short, lever_title
from core.language.messages import gettext as _
from core.language.messages import marked
from core.language.numbers import Formatter, current
from core.language.sentences import cause, device_with_count, evidence
from core.scenario import Scenario
from core.sizing.costs.cost import cost
from core.sizing.costs.report import Amount
from core.sizing.levers import faster, levers
from core.sizing.questions import Question, scenarios
from core.sizing.report import Estimate, Sizing
from core.sizing.size import size

MOST_LEVERS = 3

_QUESTIONS = {
    Question.WHY_SLOW: marked("Why is my local model slow although the GPU is large?"),
    Question.NVLINK: marked("Does inference need NVLink?"),
    Question.SXM_OR_PCIE: marked("SXM or PCIe to serve a model?"),
    Question.SPARK: marked("Is a DGX Spark fast?"),
    Question.SMALLER_CACHE: marked("How is the KV cache made smaller?"),
}

Sizings = Mapping[str, Sizing]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in whole sentences, and the scenario that it opens."""

    question: str
    sentences: tuple[str, ...]
    scenario: Scenario


def answer(question: Question, catalogue: Catalogue) -> Answer:
    """Answer one of the five questions with live figures, in the language in force."""
    sizings = {name: size(scenario, catalogue) for name, scenario in scenarios(question).items()}
    sentences = _ANSWERS[question](sizings, catalogue, current())
    return Answer(_(_QUESTIONS[question]), tuple(sentences), sizings["open"].scenario)


# ---- parts


def _figure(sizing: Sizing, key: str, write: Formatter) -> str:
    trace = sizing.trace
    return write.figure(trace[key], trace.entry(key).unit) if key in trace else write.unknown()


def _speed(estimate: Estimate | None, write: Formatter) -> str:
    """A speed with its range and how well it is supported: "42 tok/s (31–56 tok/s, measured on relatives)"."""
    if estimate is None:
        return write.unknown()
    span = write.range(estimate.p10, estimate.p90, write.speed_parts)
    text = _("{speed} ({span}, {evidence})")
    return text.format(speed=write.speed(estimate.p50), span=span, evidence=evidence(estimate.evidence))


def _hardware(sizing: Sizing) -> str:
    return device_with_count(sizing.device.name, sizing.plan.ranks)


def _price(device: Device, write: Formatter) -> str:
    if device.price is None:
        return write.unknown()
    amount = write.money_range(device.price.low, device.price.high, device.price.currency)
    text = _("{amount} in {date}")
    return text.format(amount=amount, date=write.partial_date(device.price.as_of)) if device.price.as_of else amount


def _amount(amount: Amount, currency: str, write: Formatter) -> str:
    return write.money(amount.value, currency) if amount.known else write.unknown()


def _significant(figure: float, write: Formatter) -> str:
    """A figure in three digits."""
    return write.number(float(f"{figure:.3g}"))


def _power(device: Device, write: Formatter) -> str:
    return write.unknown() if device.tdp_w is None else write.power(device.tdp_w)


# ---- the five


def _why_slow(s: Sizings, catalogue: Catalogue, write: Formatter) -> list[str]:
    slow, fast = s["open"], s["faster"]
    largest = max(slow.step, key=lambda part: part.seconds) if slow.step else None
    said = [
        _("{device} reads {bandwidth}; each token of {model} reads {weights} of weights and {cache} of cache.").format(
            device=slow.device.name,
            bandwidth=_figure(slow, "memory_bandwidth_bytes_per_s", write),
            model=slow.blueprint.name,
            weights=_figure(slow, "bytes_read_per_token.weights", write),
            cache=_figure(slow, "bytes_read_per_token.kv", write),
        ),
        _("Bandwidth over bytes allows {ceiling} at most, whatever the memory holds; expect {speed}.").format(
            ceiling=_figure(slow, "decode_tok_s.ceiling", write), speed=_speed(slow.decode, write)
        ),
        _("Meanwhile {share} of the computing rate is in use.").format(
            share=_figure(slow, "compute_utilisation.decode", write)
        ),
    ]
    if largest is not None:
        part = largest.seconds / sum(one.seconds for one in slow.step)
        text = _("Most of the time per token goes to one cause: {cause}, {share}.")
        said.append(text.format(cause=cause(largest.cause), share=write.share(part)))
    said.append(
        _("{device} reads {bandwidth}: at most {ceiling}.").format(
            device=fast.device.name,
            bandwidth=_figure(fast, "memory_bandwidth_bytes_per_s", write),
            ceiling=_figure(fast, "decode_tok_s.ceiling", write),
        )
    )
    for lever, gain in faster(levers(slow, catalogue))[:MOST_LEVERS]:
        text = _("What would help: {change} ({gain}).")
        said.append(text.format(change=lever_title(lever), gain=gain_in_short(lever, gain)))
    return said


def _nvlink(s: Sizings, catalogue: Catalogue, write: Formatter) -> list[str]:
    pcie, nvlink, one = s["open"], s["nvlink"], s["one"]
    said = [
        _("On one card nothing is exchanged: {messages} messages per token, and no link is used.").format(
            messages=_figure(one, "messages_per_token", write)
        ),
        _("{device} holds {model} whole: {weights} of the {limit} that the engine may use.").format(
            device=one.device.name,
            model=one.blueprint.name,
            weights=_figure(one, "memory_item.weights", write),
            limit=_figure(one, "tier.0.limit_bytes", write),
        ),
        _(
            "With {requests} requests of {context} at once, weights of more than {limit} no longer fit one such card."
        ).format(
            requests=write.count(one.required_requests),
            context=write.tokens(one.scenario.workload.context_tokens),
            limit=_largest_weights(one, write),
        ),
    ]
    text = _(
        "Split over {count} cards, a token takes {messages} exchanges. With {requests} requests at once they take "
        "{pcie} of the time over {pcie_link} and {nvlink} over {nvlink_link}."
    )
    said.append(
        text.format(
            count=write.count(pcie.plan.tensor),
            messages=_figure(pcie, "messages_per_token", write),
            requests=write.count(pcie.required_requests),
            pcie=_figure(pcie, "all_reduce_share", write),
            pcie_link=pcie.link.name if pcie.link else write.none(),
            nvlink=_figure(nvlink, "all_reduce_share", write),
            nvlink_link=nvlink.link.name if nvlink.link else write.none(),
        )
    )
    text = _(
        "The same {count} cards over PCIe give all users together {split} with each layer split, {copies} as copies "
        "and {pipeline} as a pipeline ({messages} messages per token)."
    )
    said.append(
        text.format(
            count=write.count(pcie.plan.ranks),
            split=_figure(pcie, "output_tok_s_total", write),
            copies=_figure(s["copies"], "output_tok_s_total", write),
            pipeline=_figure(s["pipeline"], "output_tok_s_total", write),
            messages=_figure(s["pipeline"], "messages_per_token", write),
        )
    )
    return said


def _largest_weights(one: Sizing, write: Formatter) -> str:
    """What is left on a card for weights beside what stands there anyway."""
    trace = one.trace
    beside = trace["accelerator.total_bytes"] - trace["accelerator.weights_bytes"]
    return write.bytes(max(0, trace["tier.0.limit_bytes"] - beside))


def _sxm_or_pcie(s: Sizings, catalogue: Catalogue, write: Formatter) -> list[str]:
    said = []
    for name in ("open", "sxm", "pcie"):
        one = s[name]
        text = _("{device}: {price}, {power}, {bandwidth}; {speed} per user and {total} together.")
        said.append(
            text.format(
                device=one.device.name,
                price=_price(one.device, write),
                power=_power(one.device, write),
                bandwidth=_figure(one, "memory_bandwidth_bytes_per_s", write),
                speed=_speed(one.decode, write),
                total=_figure(one, "output_tok_s_total", write),
            )
        )
    text = _(
        "For {users} users, {tokens} million tokens a year, {device} costs {price} with all that belongs to it and "
        "{yearly} a year: {cost} per million tokens, against {full} at full load."
    )
    for name in ("open", "sxm", "pcie"):
        priced = cost(s[name], catalogue)
        said.append(
            text.format(
                users=write.count(s[name].scenario.workload.users),
                tokens=_significant(priced.trace["demand.tokens_per_year"], write),
                device=s[name].device.name,
                price=_amount(priced.capital, priced.currency, write),
                yearly=_amount(priced.yearly, priced.currency, write),
                cost=_amount(priced.per_million, priced.currency, write),
                full=_amount(priced.per_million_full, priced.currency, write),
            )
        )
    said.append(
        _("{model} fits each of them whole, so the mesh of the SXM card exchanges {messages} messages.").format(
            model=s["sxm"].blueprint.name, messages=_figure(s["sxm"], "messages_per_token", write)
        )
    )
    large, cards = s["large"], s["large_pcie"]
    text = _(
        "SXM is worth it in one case, a very large dense model at low latency: {model} split over {count} cards writes "
        "{speed} over {link}, with {share} of the time spent on exchange, against {pcie_speed} and {pcie_share} over "
        "{pcie_link}."
    )
    said.append(
        text.format(
            model=large.blueprint.name,
            count=write.count(large.plan.tensor),
            speed=_figure(large, "decode_tok_s", write),
            link=large.link.name if large.link else write.none(),
            share=_figure(large, "all_reduce_share", write),
            pcie_speed=_figure(cards, "decode_tok_s", write),
            pcie_share=_figure(cards, "all_reduce_share", write),
            pcie_link=cards.link.name if cards.link else write.none(),
        )
    )
    return said


def _spark(s: Sizings, catalogue: Catalogue, write: Formatter) -> list[str]:
    dense, compact, fast = s["open"], s["compact"], s["more_bandwidth"]
    said = [
        _("{device}: {capacity}, of which {usable} can be used, read at {bandwidth}; {price}.").format(
            device=dense.device.name,
            capacity=_figure(dense, "tier.0.capacity_bytes", write),
            usable=_figure(dense, "tier.0.usable_bytes", write),
            bandwidth=_figure(dense, "memory_bandwidth_bytes_per_s", write),
            price=_price(dense.device, write),
        )
    ]
    for one in (compact, dense, fast):
        text = _("{model} on {device}: {speed}.")
        said.append(text.format(model=one.blueprint.name, device=one.device.name, speed=_speed(one.decode, write)))
    text = _(
        "A second machine brings the memory to {capacity} ({usable} usable). In a pipeline {model} writes {pipeline}; "
        "with each layer split {split}, of which {share} of the time is exchange."
    )
    two, split = s["two"], s["two_split"]
    said.append(
        text.format(
            capacity=write.bytes(two.plan.ranks * two.trace["tier.0.capacity_bytes"]),
            usable=write.bytes(two.plan.ranks * two.trace["tier.0.usable_bytes"]),
            model=two.blueprint.name,
            pipeline=_figure(two, "decode_tok_s", write),
            split=_figure(split, "decode_tok_s", write),
            share=_figure(split, "all_reduce_share", write),
        )
    )
    huge, flat = s["huge"], s["huge_flat"]
    text = _(
        "{model} takes {flat} at flat 4 bit, which two machines hold; as published in NVFP4 it takes {file}, against "
        "{usable} usable. In a pipeline bandwidth allows {ceiling} at most."
    )
    said.append(
        text.format(
            model=huge.blueprint.name,
            flat=_figure(flat, "memory_item.weights", write),
            file=_figure(huge, "memory_item.weights", write),
            usable=write.bytes(huge.plan.ranks * huge.trace["tier.0.usable_bytes"]),
            ceiling=_figure(flat, "decode_tok_s.ceiling", write),
        )
    )
    return said


def _smaller_cache(s: Sizings, catalogue: Catalogue, write: Formatter) -> list[str]:
    wide, said = s["open"], []
    text = _(
        "{name}: {per_token} bytes per token, {request} per request of {context}; {requests} requests fit at once, "
        "or one of {longest}."
    )
    names = {
        "open": _("The cache in 16 bit"),
        "eight": _("In 8 bit"),
        "four": _("In 4 bit"),
        "half": _("In 16 bit with half the context"),
        "ungrouped": _("In 16 bit without groups of heads"),
        "hybrid": _("The real model, in which few layers keep a cache"),
        "hybrid_four": _("The real model in 4 bit, scales included"),
    }
    for key, name in names.items():
        one = s[key]
        said.append(
            text.format(
                name=name,
                per_token=write.count(one.trace["kv_bytes_per_token"]),
                request=write.bytes_iec(one.trace["kv_logical_bytes_per_request"]),
                context=write.tokens(one.scenario.workload.context_tokens),
                requests=_figure(one, "max_concurrency", write),
                longest=_figure(one, "max_context_tokens", write),
            )
        )
    ratio = s["ungrouped"].trace["kv_bytes_per_token"] / wide.trace["kv_bytes_per_token"]
    said.append(
        _("Grouping the heads makes the cache {ratio} times smaller.").format(ratio=write.number(round(ratio, 1)))
    )
    said.append(
        _(
            "What does not shrink: the recurrent state of the real model, {state} per request whatever its length."
        ).format(state=write.bytes_iec(s["hybrid"].trace["state_bytes_per_request"]))
    )
    return said


_ANSWERS: Mapping[Question, Callable[[Sizings, Catalogue, Formatter], list[str]]] = {
    Question.WHY_SLOW: _why_slow,
    Question.NVLINK: _nvlink,
    Question.SXM_OR_PCIE: _sxm_or_pcie,
    Question.SPARK: _spark,
    Question.SMALLER_CACHE: _smaller_cache,
}
