"""Records of what engines print about memory: start-up logs, buffer sizes, processes.

Each printed figure is predicted by a function of its own, from the sizing of the record's scenario. Where the engine
prints how much room it found for the cache (or how many tokens), what it prints about that room is predicted from it:
that checks the bytes of the cache without the error in what else lies on the card. How well the room itself is
predicted is a kind of figure of its own.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from core.architecture.blueprint import AttentionGroup, AttentionKind, TensorClass
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Allocator, Device, Engine
from core.physics.reservation.llama_cpp import window_cells
from core.scenario import Deployment, Host, Speculation, Workload
from core.sizing.report import Sizing
from core.units import GB, GIB, MIB
from tests.accuracy import choices, formats, llama_cpp, machines, models, printed, sglang
from tests.accuracy.cases import Case, Parts, build, refusals, shipped
from tests.accuracy.records import Record, Unusable, is_number
from tests.accuracy.results import Outcome, Result, Skip

#: Until this release of vLLM the first of several ranks alone chose words.
LAST_WITH_ONE_CHOOSER = (0, 8)
#: In these releases vLLM held a request of the whole model against one stage of a pipeline (get_kv_cache_configs).
ASKED_OF_WHOLE_SINCE, ASKED_OF_WHOLE_UNTIL = (0, 14), (0, 17)
#: By so much tokens may differ from requests times their length, which are printed with two decimals.
ROUNDED = 0.01
#: Printed beside the figures, but telling the circumstances: they are not predicted.
CIRCUMSTANCES = (
    "n_seqs", "prompt_tokens", "mamba_layers", "swa_layers", "mamba_slots", "kv_layers", "rs_layers", "total_layers",
)  # fmt: skip


def compare(records: Iterable[Record]) -> Outcome:
    """Every figure of every record, predicted or skipped with its reason."""
    outcome = Outcome()
    for record in records:
        outcome.add(_compare(record))
    return outcome


def _compare(record: Record) -> Outcome:
    outcome = Outcome()
    try:
        observed = record.part("observed")
        if not observed.fields:
            raise Unusable("the record holds no observed figures")
        with refusals():
            case = memory_case(printed.with_usual_names(record))
    except Unusable as reason:
        figures = record.fields.get("observed")
        names = list(figures) if isinstance(figures, dict) and figures else ["all"]
        names = [name for name in names if printed.figure_name(name) not in CIRCUMSTANCES]
        scoreable = record.fields.get("scoreable") is not False
        skips = [Skip(record.id, name, str(reason), _kind(name), _family(record), scoreable) for name in names]
        outcome.skipped += skips
        return outcome
    for name, value in observed.fields.items():
        if printed.figure_name(name, value) in CIRCUMSTANCES:
            continue
        try:
            with refusals():
                outcome.results.append(_figure(case, name, value))
        except Unusable as reason:
            outcome.skipped.append(Skip(record.id, name, str(reason), _kind(name), _family(record)))
    return outcome


def _family(record: Record) -> str:
    """The family of models, as the record calls it."""
    family = record.fields.get("kind")
    return family if isinstance(family, str) and family else "not stated"


def _kind(name: str) -> str:
    found = FIGURES.get(name) or FIGURES.get(printed.figure_name(name, []))
    return found.kind if found else "other"


def _figure(case: Case, name: str, value: Any) -> Result:
    figure = FIGURES.get(usual := printed.figure_name(name, value))
    if figure is None:
        raise Unusable("no rule predicts this figure")
    listed, value = isinstance(value, list), printed.figure_value(usual, value)
    if not is_number(value):
        raise Unusable("the observed value is not a number")
    if figure.needs_weights and not case.weights_known and not case.weights_usual:
        raise Unusable("the record does not say how the weights are stored")
    if figure.needs_device and not case.device_known:
        raise Unusable("the record does not name the device")
    predicted = figure.predict(Question(case, usual)) / figure.unit
    if listed and figure.kind in ("cache", "state") and llama_cpp.is_llama(case):
        predicted *= llama_cpp.offloaded_share(case)  # a list of the accelerators
    if figure.decimals is not None:
        predicted = round(predicted, figure.decimals)
    kind = _kind_here(case, name, figure)
    groups = (f"{kind}, {case.engine.id}", f"family {_family(case.record)}")
    source = case.record.text("source")
    return Result(
        case.record.id, name, float(value), predicted, predicted, predicted, kind, groups, source, case.scenario.weights
    )


def _kind_here(case: Case, name: str, figure: "Figure") -> str:
    """The kind of a figure, apart where more or less than usual was known."""
    if figure.kind == "weights" and case.file_known:  # a model known by its layers has no other weights
        return "weights, file size stated"
    if figure.needs_weights and not case.weights_known:
        return f"{figure.kind}, format not stated"
    if figure.from_pool and Question(case, name).pool_bytes() is None:
        return "room for the cache, in tokens"
    return figure.kind


# ---- the scenario


def memory_case(record: Record) -> Case:
    """The scenario that a record describes."""
    if record.fields.get("scoreable") is False:
        raise Unusable(record.text("scoreable_reason") or "the record says that it cannot be scored")
    catalogue = shipped()
    engine = machines.find_engine(record, catalogue)
    model = models.find_model(record, catalogue)
    if choices.takes_text_alone(record.part("flags")):
        model = models.text_alone(model, catalogue)
    weights = _weights_of(record, catalogue)
    if model.id not in catalogue.models and not weights.file_bytes:
        weights = formats.with_size_of_name(weights, record.text("model"), catalogue)
    cache = formats.read_cache(record.text("kv_dtype"), catalogue)
    device, known = _device(record)
    spread = machines.read_spread(record, engine)
    deployment = _deployment(record, device, spread, engine)
    draft = models.find_draft(record, catalogue)
    if draft is not None:
        deployment = deployment.model_copy(
            update={
                "draft_tokens": deployment.draft_tokens or 1,
                "speculation": Speculation(acceptance=0.5, draft_model=draft.id),
            }
        )
    return build(
        record,
        Parts(model, weights, cache, engine, device, spread, predicts=deployment.draft_tokens > 0, as_loaded=True),
        _workload(record),
        deployment,
        weights_known=weights.stated and (model.id in catalogue.models or weights.file_bytes is not None),
        weights_usual=model.id in catalogue.models or weights.file_bytes is not None,
        file_known=weights.file_bytes is not None and not weights.nominal,
        device_known=known,
    )


def _weights_of(record: Record, catalogue: Catalogue) -> formats.Weights:
    """How the weights are stored; a mix that nobody knows by its name is not stated, and so is a file without one."""
    text = record.text("weights_format")
    try:
        return formats.read_weights(text, catalogue)
    except Unusable:
        return replace(formats.read_weights("gguf" if "gguf" in text.lower() else "", catalogue), stated=False)


def _device(record: Record) -> tuple[Device, bool]:
    found = machines.find_device(record, shipped())
    if found is not None and found.memory_tiers:
        return found.model_copy(update={"memory_tiers": found.memory_tiers[:1]}), True
    printed, nominal = record.positive("gpu_memory_gib"), record.positive("device_memory_gb_nominal")
    size = printed * GIB if printed else machines.labelled_bytes(nominal, shipped()) if nominal else None
    if size is None:
        return machines.unnamed_device(), False
    return machines.unnamed_device(round(size)), True


def _deployment(record: Record, device: Device, spread: machines.Spread, engine: Engine) -> Deployment:
    printed, share = record.positive("gpu_memory_gib"), choices.memory_share(record, engine)
    return Deployment(
        device=device.id,
        count=spread.count,
        plan=spread.plan,
        engine=engine.id,
        link=machines.usual_link(device, spread, shipped()),
        capacity_bytes=round(printed * GIB) if printed else _taken(device, share),
        memory_share=share,
        **(choices.cache_choices(record, engine) | choices.of_first_engine(record, engine)),
    )


def _taken(device: Device, share: float | None) -> int | None:
    """All memory of the device, where an engine was started with a share beyond what is held to be usable of it.

    Memory that is shared with the processor is held to be usable in part; an engine takes its share of all of it.
    """
    tier = device.memory_tiers[0]
    beyond = share and tier.kind == "unified" and tier.usable_bytes and share * tier.capacity_bytes > tier.usable_bytes
    return tier.capacity_bytes if beyond else None


def _workload(record: Record) -> Workload:
    """One request as long as the record allows, or the sequences that it was started with."""
    flags, observed = record.part("flags"), record.part("observed")
    sequences = flags.count("n_seq") or flags.count("n_seq_max") or observed.count("n_seqs") or 1
    context = flags.count("ctx_per_seq") or observed.count("prompt_tokens") or record.count("max_model_len") or 32_768
    if choices.shares_slots(record) and not flags.count("ctx_per_seq"):  # one cache of this length for all
        context = max(1, context // sequences)
    return Workload(
        requests_at_once=sequences,
        prompt_tokens=max(1, context - 1),
        output_tokens=1,
        context_tokens=context,
    )


# ---- the figures


@dataclass(frozen=True, slots=True)
class Question:
    """One figure of a record that is asked for."""

    case: Case
    name: str

    @property
    def record(self) -> Record:
        return self.case.record

    @property
    def observed(self) -> Record:
        return self.record.part("observed")

    @property
    def sizing(self) -> Sizing:
        return self.case.sized()

    @property
    def sequences(self) -> int:
        return int(self.sizing.trace["requests_at_once"])

    def pool_bytes(self) -> float | None:
        """The room for the cache on one accelerator that the engine printed."""
        found = self.observed
        parts = [found.number(name) for name in ("kv_k_gib", "kv_v_gib")]
        if parts[0] is not None and parts[1] is not None:
            return (parts[0] + parts[1]) * GIB
        for name, unit in (("available_kv_gib", GIB), ("kv_gib", GIB), ("kv_bytes", 1)):
            value = found.number(name)
            if value is not None:
                return value * unit
        return None

    def with_pool(self, pool: float | None = None) -> Sizing:
        """The sizing with as much room for the cache as was printed, whatever else lies on the card."""
        room = self.pool_bytes() if pool is None else pool
        if room is None:
            return self._own_pool()
        room -= _scores_elsewhere(self)
        if room <= 0:
            raise Unusable("there is no room for a cache")
        alone: dict[str, Any] = {"deployment__runtime_bytes": 0, "deployment__memory_share": 1.0}
        if sglang.is_sglang(self) and "available_kv_gib" not in self.observed.fields:
            alone["deployment__draft_tokens"] = 0  # the printed cache is the model's alone
        unlimited = self.case.sized(deployment__capacity_bytes=machines.UNLIMITED_BYTES, **alone)
        fixed = unlimited.trace["accelerator.fixed_bytes"]
        return self.case.sized(deployment__capacity_bytes=round(fixed + room), **alone)

    def _own_pool(self) -> Sizing:
        if not self.case.weights_known or not self.case.device_known:
            raise Unusable("neither the room for the cache nor the device and the weights are stated")
        return self.sizing

    def needs_context(self) -> None:
        if self.record.count("max_model_len") is None:
            raise Unusable("the record does not say how long a request may be")


def rank_bytes_per_token(sizing: Sizing) -> float:
    """What one more token takes on one accelerator, layers with a window included."""
    trace, total = sizing.trace, 0.0
    for number, group in enumerate(sizing.blueprint.attention):
        for key in (f"kv.{number}.rank_bytes_per_token", f"kv.{number}.bytes_per_token"):
            if group.cached and key in trace:
                total += float(trace[key])
                break
    return total


def _weights(q: Question) -> float:
    described = _described_weights(q)
    return float(sglang.alone(q).trace["accelerator.weights_bytes"]) if described is None else described


def _described_weights(q: Question) -> float | None:
    """Of a model known by its layers, whose weights mean nothing: its file, evenly over the accelerators."""
    if q.record.fields.get("model_id") is not None or not q.case.file_bytes:
        return None
    return float(q.case.file_bytes / (q.sizing.trace["plan.tensor"] * q.sizing.trace["plan.pipeline"]))


def _all_weights(q: Question) -> float:
    """What lies on the cards; all of the file where it says how much the processor keeps, or no card is there."""
    trace, beside = q.sizing.trace, q.observed.number("cpu_buffer_mib")
    if q.record.fields.get("model_id") is None and q.case.file_bytes:  # known by its layers alone
        return q.case.file_bytes - (beside or 0.0) * MIB
    whole = float(trace["memory_item.weights"])
    if llama_cpp.is_llama(q.case) and q.record.count("n_gpus") != 0:
        placed = llama_cpp.on_cards(q.case, q.observed, whole)
        if placed is not None:
            return placed
    if beside is None and q.record.count("n_gpus") != 0:
        loaded = float(trace.get("weights.loaded_bytes", trace["memory_item.weights"]))
        return loaded - _table_beside(q)
    return whole - (beside or 0.0) * MIB


def _table_beside(q: Question) -> float:
    """The table of embeddings, which llama.cpp prints as a buffer of the processor, also where the memory is one."""
    trace, blueprint = q.sizing.trace, q.sizing.blueprint
    loaded = float(trace.get("weights.loaded_bytes", trace["memory_item.weights"]))
    there = loaded == trace["memory_item.weights"] and q.case.engine.allocator is Allocator.LLAMA_CPP
    if not there or blueprint.tied_embedding:
        return 0.0
    return float(trace[f"weights_bytes.{TensorClass.EMBEDDING}"])


def _weights_beside(q: Question) -> float:
    """What the processor keeps, when the rest is known."""
    on_cards, whole = q.observed.number("model_buffer_mib"), float(q.sizing.trace["memory_item.weights"])
    if q.record.fields.get("model_id") is None and q.case.file_bytes:  # known by its layers alone
        return q.case.file_bytes - (on_cards or 0.0) * MIB
    if llama_cpp.is_llama(q.case):
        return llama_cpp.on_processor(q.case, q.observed, whole)
    return whole - (on_cards or 0.0) * MIB


def _room(q: Question) -> float:
    """What is free; to a worker without scores as many bytes more."""
    described, trace = _described_weights(q), q.sizing.trace
    more = 0.0 if described is None else described - float(trace["accelerator.weights_bytes"])
    return float(trace["accelerator.free_for_kv_bytes"]) - more + _scores_elsewhere(q)


def _scores_elsewhere(q: Question) -> float:
    """What the peak of the first rank has over that of the others.

    Until vLLM 0.8 the first of several tensor-parallel ranks alone chose words, and every worker printed its own
    account, with its peak: reports show that of another. The engine itself takes the smallest room.
    """
    release, trace = choices.release_of(q.record, q.case.engine), q.sizing.trace
    account = q.case.engine.allocator is Allocator.VLLM and "activation_peak_gib" in q.observed.fields
    if not account or not release or release[:2] > LAST_WITH_ONE_CHOOSER or trace["plan.tensor"] < 2:
        return 0.0
    return float(trace["runtime.peak_bytes"] - trace["runtime.activation_bytes"])


def _asked(q: Question) -> Question:
    """What vLLM asks for: of one stage, but in some releases of the whole model."""
    release, plan = choices.release_of(q.record, q.case.engine), q.case.scenario.deployment.plan
    known = q.case.engine.allocator is Allocator.VLLM and release is not None
    if plan is None or not known or not ASKED_OF_WHOLE_SINCE <= (release or ()) < ASKED_OF_WHOLE_UNTIL:
        return q
    count = q.case.scenario.deployment.count // plan.pipeline
    whole = {"deployment__plan": plan.model_copy(update={"pipeline": 1}), "deployment__count": count}
    return replace(q, case=replace(q.case, scenario=q.case.scenario.edited(**whole)))


def _one_request(q: Question) -> float:
    q.needs_context()
    trace = _asked(q).sizing.trace
    needed = trace["accelerator.bytes_per_request"] + trace.get("accelerator.kv_under_way_bytes", 0)
    return float(trace.get("kv_pool.asked_bytes", needed))


def _cache(q: Question) -> float:
    """The cache of all sequences over all accelerators."""
    if q.observed.count("kv_tokens") and not q.record.count("max_model_len"):
        return _cache_of_tokens(q)
    beside = "mtp_kv_mib" in q.observed.fields  # the prediction layer's own is printed by itself
    sizing = q.case.sized(deployment__draft_tokens=0) if beside else llama_cpp.target(q.case)
    whole = float(sizing.trace["memory_item.kv_cache"]) + llama_cpp.turned_latents_bytes(q.case)
    return whole - llama_cpp.index_bytes(q.case) if "indexer_kv_mib" in q.observed.fields else whole


def _cache_of_tokens(q: Question) -> float:
    """The cache of as many tokens as were printed, on one accelerator."""
    tokens = q.observed.count("kv_tokens")
    if not tokens:
        raise Unusable("the number of tokens is not printed")
    return tokens * _rate(sglang.alone(q), q)


def _rate(sizing: Sizing, q: Question) -> float:
    """What a token takes on one accelerator; of SGLang's full pool, with what the other pools take for it."""
    if sglang.is_sglang(q) and "kv_pool.rate" in sizing.trace:
        return sglang.pool_rate(sizing)
    return rank_bytes_per_token(sizing)


def _side(side: str) -> Callable[[Question], float]:
    """Keys or values alone: a format of their own and their part of a head's width."""

    def predict(q: Question) -> float:
        named = {"key": q.case.cache.key, "value": q.case.cache.value}[side]
        changes = ({"kv_format": named} if named else {}) | _without_draft(q)
        sizing = q.case.sized(**changes)
        groups = [g for g in sizing.blueprint.attention if g.cached]
        shares = {(g.key_dim if side == "key" else g.value_dim) / (g.key_dim + g.value_dim) for g in groups}
        if len(shares) != 1 or any(g.latent_dim for g in groups):
            raise Unusable("keys and values are not kept apart in the same way in all layers")
        whole = tokens * _rate(sizing, q) if (tokens := q.observed.count("kv_tokens")) else None
        if whole is None:
            whole = float(sizing.trace["memory_item.kv_cache"])
        return whole * shares.pop()

    return predict


def _without_draft(q: Question) -> dict[str, Any]:
    """Changes to the model alone, where an engine prints what guesses ahead by itself."""
    own = llama_cpp.is_llama(q.case) and q.case.scenario.deployment.speculation is None
    return {"deployment__draft_tokens": 0} if own or sglang.is_sglang(q) else {}


def _tokens(q: Question) -> float:
    """Tokens that the printed room holds, as the engine's release counts them."""
    trace = q.with_pool().trace
    if "kv_pool.tokens_by_group" in trace and _counts_one_group(q):
        return float(trace["kv_pool.tokens_by_group"] * trace["engine.context_parallel"])
    if "kv_pool.tokens" in trace and (q.record.count("max_model_len") or "kv_pool.concurrency" not in trace):
        return sglang.at_most_asked(q, float(trace["kv_pool.tokens"]))
    return float(trace["accelerator.free_for_kv_bytes"]) / rank_bytes_per_token(q.sizing)


def _counts_one_group(q: Question) -> bool:
    """Are the printed tokens those of one group? Where no release is stated, all that was printed beside them tells."""
    requests, each, tokens = (
        q.observed.number("max_concurrency"),
        q.record.count("max_model_len"),
        q.observed.count(q.name),
    )
    if choices.version(q.record) is None and requests and each and tokens:
        return abs(tokens / (requests * each) - 1) > ROUNDED
    release = choices.release_of(q.record, q.case.engine)
    return release is not None and release < choices.BY_REQUESTS_SINCE


def _requests(q: Question) -> float:
    """Requests of full length that the printed room holds, with the fraction that engines print."""
    q.needs_context()
    trace = q.with_pool().trace
    if "kv_pool.concurrency" in trace:
        return float(trace["kv_pool.concurrency"])
    return float(trace["accelerator.free_for_kv_bytes"] / trace["accelerator.bytes_per_request"])


def _blocks_of_room(q: Question) -> float:
    """Blocks of the pool in the printed room."""
    trace = q.with_pool().trace
    if "kv_pool.blocks" not in trace:
        raise Unusable("this engine has no blocks")
    return float(trace["kv_pool.blocks"])


def _longest(q: Question) -> float:
    """What the room holds; while vLLM asked layer by layer, what it then found by halving."""
    q = _asked(q)
    trace, room = q.with_pool().trace, q.pool_bytes()
    most = q.record.count("max_model_len")
    if "kv_pool.asked_bytes" not in trace or room is None or most is None:
        return float(trace["max_context_tokens"])
    fits, beyond = 0, most + 1
    while beyond - fits > 1:
        tried = (fits + beyond) // 2
        sizing = q.case.sized(workload__context_tokens=tried, workload__prompt_tokens=max(1, tried - 1))
        fits, beyond = (tried, beyond) if sizing.trace["kv_pool.asked_bytes"] <= room else (fits, tried)
    return float(fits)


def _block_tokens(q: Question) -> float:
    """Tokens of a block, which vLLM prints where it had to raise them for recurrent states."""
    return float(q.sizing.trace["engine.block_tokens"])


def _graphs(q: Question) -> float:
    return _recorded(q, "runtime.graphs_bytes")


def _peak(q: Question) -> float:
    return _recorded(q, "runtime.peak_bytes") - _scores_elsewhere(q)


def _outside_torch(q: Question) -> float:
    """Context, libraries and the buffers of the exchange."""
    return _recorded(q, "runtime.context_bytes") + float(q.sizing.trace.get("runtime.exchange_bytes", 0))


def _recorded(q: Question, key: str) -> float:
    trace = q.sizing.trace
    if key not in trace:
        raise Unusable("the engine's form does not know this figure")
    return float(trace[key])


def _left_free(q: Question) -> float:
    """What SGLang leaves beside its pools: all but its share, and the table of the tokens of its requests."""
    if not sglang.is_sglang(q):
        raise Unusable("this engine does not say what it leaves free")
    trace = q.sizing.trace
    return float(trace["tier.0.usable_bytes"]) - float(trace["tier.0.limit_bytes"]) - sglang.table_bytes(q)


def _blocks(q: Question) -> float:
    return _recorded(q, "kv_pool.blocks")


def _cache_of_prediction(q: Question) -> float:
    """What the prediction layers add to the cache of all sequences; llama.cpp keeps 16 bit for them by itself."""
    wide = {"kv_format": "fp16"} if llama_cpp.is_llama(q.case) else {}
    without = q.case.sized(deployment__draft_tokens=0, **wide).trace["memory_item.kv_cache"]
    return float(q.case.sized(**wide).trace["memory_item.kv_cache"]) - float(without)


def _state(q: Question) -> float:
    if llama_cpp.is_llama(q.case):
        return llama_cpp.states_bytes(q.case)
    return float(q.sizing.trace["accelerator.state_bytes_per_request"]) * q.sequences


def _state_per_layer(q: Question) -> float:
    sizing = q.sizing
    layers = sum(group.layers for group in sizing.blueprint.recurrent)
    if not layers:
        raise Unusable("the model keeps no recurrent state")
    return float(sizing.trace["state_bytes_per_request"]) / layers


def _part_of_rows(part: str) -> Callable[[Question], float]:
    """The convolutions or the matrices of all rows."""

    def predict(q: Question) -> float:
        trace, groups = q.sizing.trace, range(len(q.sizing.blueprint.recurrent))
        sizes = [_state_elements(trace, n, name) for n in groups for name in ("convolution", "matrix")]
        if not sizes:
            raise Unusable("the model keeps no recurrent state")
        return _state(q) * sum(_state_elements(trace, n, part) for n in groups) / sum(sizes)

    return predict


def _context(q: Question) -> float:
    """Cache and states together."""
    return _cache(q) + (_state(q) if q.sizing.blueprint.recurrent else 0.0)


def _slots(q: Question) -> float:
    slots = q.observed.count("mamba_slots")
    sizing = q.sizing
    described = q.record.part("geometry").number("state_bytes_per_slot")
    if slots and described:
        return slots * described
    if not slots or not sizing.blueprint.recurrent:
        raise Unusable("the number of state slots or the shape of the state is not stated")
    groups = range(len(sizing.blueprint.recurrent))
    keys = [f"state.{n}.rank_bytes" if f"state.{n}.rank_bytes" in sizing.trace else f"state.{n}.bytes" for n in groups]
    spare = int(q.record.fields.get("geometry") is None)  # one slot of the pool stays empty
    if sglang.is_sglang(q):
        return (slots + spare) * sglang.state_bytes(q)
    return (slots + spare) * sum(float(sizing.trace[key]) for key in keys)


def _part_of_state(part: str) -> Callable[[Question], float]:
    def predict(q: Question) -> float:
        trace, groups = q.sizing.trace, range(len(q.sizing.blueprint.recurrent))
        if not groups and len({"ssm_state_gib", "conv_state_gib"} & set(q.observed.fields)) == 1:
            return _slots(q)  # all of it in one figure
        if not groups:
            return _slots(q) * _described_share(q, part)
        if sglang.is_sglang(q):
            return _slots(q) * sglang.state_bytes(q, part) / sglang.state_bytes(q)
        whole = sum(_state_elements(trace, n, name) for n in groups for name in ("convolution", "matrix"))
        share = sum(_state_elements(trace, n, part) for n in groups) / whole if whole else 0.0
        return _slots(q) * share

    return predict


def _described_share(q: Question, part: str) -> float:
    """The part of a described state. Layers of linear attention beside latent ones are Kimi's delta attention.

    Three convolutions of width 4 in 16 bit, and for each head of 128 a matrix in 32 bit.
    """
    layers = q.record.part("geometry").part("layers")
    if not layers.count("latent_attention", 0) or "linear_attention" not in layers.fields:
        raise Unusable("the number of state slots or the shape of the state is not stated")
    width = 128
    sizes = {"convolution": 3 * width * 3 * 2, "matrix": width * width * 4}
    return sizes[part] / sum(sizes.values())


def _state_elements(trace: Any, group: int, part: str) -> float:
    return float(trace[f"state.{group}.{part}_elements"]) * float(trace[f"state.{group}.{part}_bytes"])


def _groups_of(windowed: bool) -> Callable[[Question], float]:
    """The cache of layers with a window, or of those without, over all accelerators."""

    def predict(q: Question) -> float:
        sizing = q.sizing
        compressed = [group for group in sizing.blueprint.attention if group.kind is AttentionKind.COMPRESSED]
        if compressed and windowed:
            return _windows_of_compressed(q, compressed)
        if compressed:
            raise Unusable("compressed layers have no cache of full length")
        wanted = [n for n, g in enumerate(sizing.blueprint.attention) if g.cached and bool(g.window) == windowed]
        if not wanted:
            raise Unusable("the model has no such layers")
        return sum(float(sizing.trace[f"kv.{n}.reserved_bytes"]) for n in wanted) * q.sequences

    return predict


def _windows_of_compressed(q: Question, groups: list[AttentionGroup]) -> float:
    """The windows of compressed layers in llama.cpp, which keeps them apart: keys alone, of the printed cells."""
    cells = q.observed.count("swa_cells") or _window_cells(q, groups[0])
    each = q.case.catalogue.kv_formats[q.case.scenario.kv_format].bytes_per_element
    return sum(cells * group.layers * group.key_dim * each for group in groups)


def _window_cells(q: Question, group: AttentionGroup) -> float:
    if q.case.engine.allocator is not Allocator.LLAMA_CPP:
        raise Unusable("this engine keeps the windows of compressed layers in pages")
    trace, shared = q.sizing.trace, q.case.scenario.deployment.shared_slots
    sharing = q.sequences if shared else 1
    tokens, chunk = int(trace["workload.context_tokens"]), int(trace["engine.prefill_chunk"])
    step = int(trace["cache_step_tokens"])
    return float(window_cells(tokens, sharing, group.window, chunk, step)) * (sharing if shared else 1)


def _cells(windowed: bool) -> Callable[[Question], float]:
    def predict(q: Question) -> float:
        sizing, shared = q.sizing, q.case.scenario.deployment.shared_slots  # else every sequence has its own
        for number, group in enumerate(sizing.blueprint.attention):
            if group.kind is AttentionKind.COMPRESSED and windowed:
                return _window_cells(q, group)
            if group.kind is AttentionKind.COMPRESSED:
                raise Unusable("compressed layers have no cache of full length")
            if group.cached and bool(group.window) == windowed:
                rate = float(sizing.trace[f"kv.{number}.bytes_per_token"])
                return float(sizing.trace[f"kv.{number}.reserved_bytes"]) / rate * (q.sequences if shared else 1)
        raise Unusable("the model has no such layers")

    return predict


def _compute_buffer(q: Question) -> float:
    """Of one accelerator; with experts beside it where the record says so, alone where rows are split."""
    flags = q.record.part("flags")
    changes: dict[str, Any] = {}
    if flags.text("split_mode") == "row" or llama_cpp.works_in_turn(q.record):
        changes = {"deployment__count": 1, "deployment__plan": None, "deployment__link": None}
    if flags.fields.get("experts_on_cpu"):
        host = Host(bandwidth_bytes_per_s=GB, capacity_bytes=machines.UNLIMITED_BYTES)
        changes |= {"deployment__host": host, "deployment__host_expert_layers": q.sizing.blueprint.layers}
    trace = (q.case.sized(**changes) if changes else q.sizing).trace
    found = float(trace.get("runtime.compute_buffer_bytes", trace["memory_item.framework"]))
    return max(found, llama_cpp.words_with_copied_head(q.case)) if llama_cpp.is_llama(q.case) else found


def _total(q: Question) -> float:
    return float(q.sizing.trace["accelerator.total_bytes"])


@dataclass(frozen=True, slots=True)
class Figure:
    """How a printed figure is predicted: its kind, the bytes of its unit, and from what."""

    kind: str
    unit: float
    predict: Callable[[Question], float]
    needs_weights: bool = False
    needs_device: bool = False
    decimals: int | None = None  # that the engine prints
    from_pool: bool = False  # predicted from the printed room for the cache where there is one


FIGURES: dict[str, Figure] = {
    "weights_gib_per_gpu": Figure("weights", GIB, _weights, needs_weights=True),
    "engine_mib": Figure("weights", MIB, _weights, needs_weights=True),
    "model_buffer_mib": Figure("weights", MIB, _all_weights, needs_weights=True),
    "model_buffer_mib_per_gpu": Figure("weights", MIB, _weights, needs_weights=True),
    "cpu_buffer_mib": Figure("weights on the processor", MIB, _weights_beside, needs_weights=True),
    "available_kv_gib": Figure("room for the cache", GIB, _room, needs_weights=True, needs_device=True),
    "kv_gib_for_context": Figure("cache", GIB, _one_request),
    "kv_mib": Figure("cache", MIB, _cache),
    "kv_mib_gpu0": Figure("cache", MIB, _cache),
    "kv_gib": Figure("cache", GIB, _cache_of_tokens),
    "kv_bytes": Figure("cache", 1, _cache_of_tokens),
    "kv_k_mib": Figure("cache", MIB, _side("key")),
    "kv_v_mib": Figure("cache", MIB, _side("value")),
    "kv_k_gib": Figure("cache", GIB, _side("key"), decimals=2),
    "kv_v_gib": Figure("cache", GIB, _side("value"), decimals=2),
    "kv_full_mib": Figure("cache", MIB, _groups_of(windowed=False)),
    "kv_swa_mib": Figure("cache", MIB, _groups_of(windowed=True)),
    "full_cells": Figure("cache", 1, _cells(windowed=False)),
    "swa_cells": Figure("cache", 1, _cells(windowed=True)),
    "kv_tokens": Figure("cache", 1, _tokens, from_pool=True),
    "max_concurrency": Figure("cache", 1, _requests, from_pool=True),
    "num_gpu_blocks": Figure("cache", 1, _blocks_of_room, from_pool=True),
    "estimated_max_model_len": Figure("cache", 1, _longest, from_pool=True),
    "attention_block_tokens": Figure("cache", 1, _block_tokens),
    "recurrent_state_mib": Figure("state", MIB, _state),
    "r_state_mib": Figure("state", MIB, _part_of_rows("convolution")),
    "s_state_mib": Figure("state", MIB, _part_of_rows("matrix")),
    "context_mib": Figure("cache", MIB, _context),
    "indexer_kv_mib": Figure("cache", MIB, lambda q: llama_cpp.index_bytes(q.case)),
    "kv_gpu_mib": Figure("cache", MIB, lambda q: _cache(q) * llama_cpp.offloaded_share(q.case)),
    "kv_cpu_mib": Figure("cache", MIB, lambda q: _cache(q) * (1 - llama_cpp.offloaded_share(q.case))),
    "kv_bytes_per_token": Figure("cache", 1, lambda q: rank_bytes_per_token(llama_cpp.target(q.case))),
    "file_size_gib": Figure("weights", GIB, lambda q: float(q.sizing.trace["memory_item.weights"]), needs_weights=True),
    "total_mib": Figure("total", MIB, _total, needs_weights=True),
    "host_compute_buffer_mib": Figure(
        "compute buffer of the host", MIB, lambda q: llama_cpp.host_compute_bytes(q.case)
    ),
    "output_buffer_mib": Figure("compute buffer of the host", MIB, lambda q: llama_cpp.output_bytes(q.case)),
    "mtp_kv_mib": Figure("cache", MIB, _cache_of_prediction),
    "mamba_state_bytes_per_layer_slot": Figure("state", 1, _state_per_layer),
    "mamba_total_gb": Figure("state", GB, _slots),
    "ssm_state_gib": Figure("state", GIB, _part_of_state("matrix"), decimals=2),
    "conv_state_gib": Figure("state", GIB, _part_of_state("convolution"), decimals=2),
    "total_gib": Figure("total", GIB, _total, needs_weights=True),
    "process_mib": Figure("total", MIB, _total, needs_weights=True),
    "peak_memory_gb": Figure("total", GB, _total, needs_weights=True),
    "cuda_graph_gib": Figure("graphs", GIB, _graphs),
    "activation_peak_gib": Figure("activation peak", GIB, _peak),
    "non_torch_gib": Figure("outside of PyTorch", GIB, _outside_torch),
    "free_after_pool_gib": Figure("left free", GIB, _left_free, needs_device=True),
    "max_running_requests": Figure("requests at once", 1, sglang.requests_at_once),
    "swa_kv_tokens": Figure("cache", 1, sglang.window_tokens),
    "full_kv_k_gib": Figure("cache", GIB, sglang.pool_side("key", windowed=False), decimals=2),
    "full_kv_v_gib": Figure("cache", GIB, sglang.pool_side("value", windowed=False), decimals=2),
    "swa_kv_k_gib": Figure("cache", GIB, sglang.pool_side("key", windowed=True), decimals=2),
    "swa_kv_v_gib": Figure("cache", GIB, sglang.pool_side("value", windowed=True), decimals=2),
    "draft_kv_gib": Figure("draft", GIB, sglang.draft_cache, decimals=2),
    "draft_weights_gib": Figure("draft", GIB, sglang.draft_weights, needs_weights=True),
    "intermediate_ssm_state_gib": Figure("state", GIB, sglang.states_of_guesses("matrix"), decimals=2),
    "intermediate_conv_window_gib": Figure("state", GIB, sglang.states_of_guesses("convolution"), decimals=2),
    "mamba_blocks": Figure("blocks of the room", 1, _blocks, needs_weights=True, needs_device=True),
    "compute_buffer_mib": Figure("compute buffer", MIB, _compute_buffer),
}
