"""The scenario of a start-up log: model, formats, devices, and what the engine was started with."""

from dataclasses import replace

from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Device, Engine
from core.scenario import Deployment, Speculation, Workload
from core.units import GIB
from tests.accuracy import choices, formats, machines, models
from tests.accuracy.cases import Case, Parts, build, shipped
from tests.accuracy.names import says_text
from tests.accuracy.records import Record, Unusable


def memory_case(record: Record) -> Case:
    """The scenario that a record describes."""
    if record.fields.get("scoreable") is False:
        raise Unusable(record.text("scoreable_reason") or "the record says that it cannot be scored")
    catalogue = shipped()
    engine = machines.find_engine(record, catalogue)
    model = models.find_model(record, catalogue)
    if choices.takes_text_alone(record.part("flags")) or says_text(record.text("model_id")):
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
    nodes = machines.machines_of(device, spread.count, shipped())
    return Deployment(
        device=device.id,
        count=spread.count // nodes,
        nodes=nodes,
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
