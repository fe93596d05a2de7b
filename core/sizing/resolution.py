"""From a scenario to its situation: ids looked up in the catalogue, open choices made or refused."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from core.architecture.blueprint import AttentionKind, Blueprint, TensorClass
from core.architecture.textbook import textbook_blueprint
from core.catalogue.catalogue import Catalogue
from core.catalogue.precision import compose_bits
from core.catalogue.records import AMD, Allocator, Device, DeviceKind, Engine, KvFormat, Link, WeightFormat
from core.errors import InvalidInput
from core.physics.memory import requests_at_the_peak, requests_per_replica
from core.scenario import CatalogueModel, Companion, Deployment, Mode, ModelChoice, Plan, Scenario
from core.sizing.engine_defaults import (
    LATENTS_ALONE_SINCE,
    LATENTS_SINCE,
    PADDED_HEAD,
    VLLM_LATENTS_SINCE,
    chooses_by_context,
    has_one_stream,
    latents_in_mlx,
    older,
)
from core.sizing.groups import LATENT
from core.sizing.links import BETWEEN_MACHINES, Links
from core.sizing.origins import model_origin
from core.sizing.placement import with_host
from core.sizing.plan import Load, choose_plan
from core.sizing.precision import flat_bits, stored_bits
from core.sizing.situation import SETUPS_KEPT, Setup, Situation
from core.trace import Same

#: One accelerator by itself.
ALONE = Plan()


class _Choices(NamedTuple):
    """What a scenario chooses of model, machine and engine; the same choices make the same setup."""

    known: Same[Catalogue]
    mode: Mode
    model: ModelChoice
    companions: tuple[Companion, ...]
    deployment: Deployment
    weights: str
    kv_format: str
    kv_value_format: str | None

    @property
    def catalogue(self) -> Catalogue:
        return self.known.it


def resolve(scenario: Scenario, catalogue: Catalogue) -> Situation:
    """Look up every id of a scenario and make its open choices.

    Parameters
    ----------
    scenario : what the user chose
    catalogue : what exists

    Returns
    -------
    the situation; a missing id raises CatalogueError, choices that contradict each other InvalidInput
    """
    work, plan = scenario.workload, scenario.deployment.plan
    alone = _on_one(
        _Choices(
            Same(catalogue),
            scenario.mode,
            scenario.model,
            scenario.companions,
            scenario.deployment,
            scenario.weights,
            scenario.kv_format,
            scenario.kv_value_format,
        )
    )
    context = work.context_tokens if chooses_by_context(alone) else 0
    requests = work.requests_at_once or requests_at_the_peak(work.users, work.active_share)
    if plan is None and alone.accelerators == 1:
        plan = ALONE
    if plan is None:
        plan = _choose_plan(_planned(alone, None, context, 1), work.context_tokens, requests)
    shared = scenario.deployment.shared_slots or has_one_stream(alone)
    sharing = requests_per_replica(requests, plan.groups) if shared else 1
    return Situation(scenario, _planned(alone, plan, context, sharing))


@lru_cache(maxsize=SETUPS_KEPT)
def _on_one(chosen: _Choices) -> Setup:
    """The setup as far as it stands before anything is spread over accelerators."""
    deployment, catalogue = chosen.deployment, chosen.catalogue
    engine = catalogue.engine(deployment.engine)
    bare = catalogue.device(deployment.device)
    nodes, per_node = machines(bare, deployment)
    device = with_host(bare, deployment, engine, catalogue, per_node)
    weight_format = catalogue.format_for(chosen.weights, engine)
    blueprint = _blueprint(chosen, engine)
    kv_format = _kv_format(chosen, blueprint, device, engine)
    bits = _bits(chosen, blueprint, weight_format)
    check_speculation(deployment, blueprint)
    link = _chosen_link(deployment, catalogue)
    joins_nodes = link is not None and nodes > 1 and link.kind in BETWEEN_MACHINES
    return Setup(
        mode=chosen.mode,
        model=chosen.model,
        companions=chosen.companions,
        deployment=deployment,
        catalogue=catalogue,
        blueprint=blueprint,
        device=device,
        accelerators=nodes * per_node,
        nodes=nodes,
        link=None,
        network=link if joins_nodes else network_of(device, nodes, catalogue),
        plan=ALONE,
        engine=engine,
        weight_format=weight_format,
        kv_format=kv_format,
        kv_value_format=_value_format(chosen),
        bits=bits,
        model_source=model_origin(catalogue.model(chosen.model.id) if chosen.model.kind == "catalogue" else None),
        context_tokens=0,
        sharing=1,
    )


@lru_cache(maxsize=2 * SETUPS_KEPT)
def _planned(alone: Setup, plan: Plan | None, context_tokens: int, sharing: int) -> Setup:
    """The setup spread by a plan, with the link that this takes; without one as it stands."""
    if plan is None:
        return replace(alone, context_tokens=context_tokens, sharing=sharing)
    check_plan(plan, alone.accelerators, alone.device, alone.engine, alone.blueprint)
    link = _links(alone).joining(min(plan.copy_ranks, alone.accelerators // alone.nodes), plan.stage_ranks)
    if (plan, link, context_tokens, sharing) == (alone.plan, alone.link, alone.context_tokens, alone.sharing):
        return alone
    return replace(alone, plan=plan, link=link, context_tokens=context_tokens, sharing=sharing)


@lru_cache(maxsize=SETUPS_KEPT)
def _choose_plan(setup: Setup, context_tokens: int, requests: int) -> Plan:
    """The plan where the user leaves it open."""
    per_node = setup.accelerators // setup.nodes
    domain = _links(setup).fast_domain(per_node) if setup.engine.tensor_parallel else 1
    return choose_plan(Load.of(setup, context_tokens), requests, setup.nodes, per_node, domain)


def _chosen_link(deployment: Deployment, catalogue: Catalogue) -> Link | None:
    return catalogue.link(deployment.link) if deployment.link else None


def _links(setup: Setup) -> Links:
    """The links inside a machine: the chosen one, unless that joins machines, else those of the device."""
    chosen = _chosen_link(setup.deployment, setup.catalogue)
    return Links(setup.device, setup.catalogue, None if chosen is setup.network else chosen)


def machines(device: Device, deployment: Deployment) -> tuple[int, int]:
    """Nodes, and accelerators in each: cards share a machine, a machine or rack is one by itself.

    Parameters
    ----------
    device : the record that `deployment.device` names
    deployment : how many of them, in how many nodes

    Returns
    -------
    nodes, accelerators per node
    """
    if device.kind in (DeviceKind.NODE, DeviceKind.RACK, DeviceKind.UNIFIED):
        return deployment.count * deployment.nodes, device.accelerators
    return deployment.nodes, deployment.count * device.accelerators


def _bits(chosen: _Choices, blueprint: Blueprint, weight_format: WeightFormat) -> Mapping[TensorClass, float]:
    if chosen.mode is Mode.ARTICLE:
        return flat_bits(weight_format, blueprint.parameters)
    if isinstance(chosen.model, CatalogueModel):
        deployment = chosen.deployment
        own = deployment.speculation is None or deployment.speculation.draft_model is None
        bits = chosen.catalogue.bits(chosen.model.id, weight_format)
        return stored_bits(weight_format, bits, predicts=own and deployment.draft_tokens > 0)
    return stored_bits(weight_format, compose_bits(weight_format, blueprint))


def _blueprint(chosen: _Choices, engine: Engine) -> Blueprint:
    model = chosen.model
    if isinstance(model, CatalogueModel):
        blueprint = chosen.catalogue.blueprint(model.id)
        if blueprint.is_encoder:
            raise InvalidInput(
                "{blueprint} writes no text: choose it as embedding model or reranker.",
                "model",
                blueprint=blueprint.name,
            )
    else:
        blueprint = textbook_blueprint(
            model.name,
            model.parameters,
            model.active_parameters,
            model.layers,
            model.query_heads,
            model.kv_heads,
            model.head_dim,
            model.trained_context,
        )
    return _as_kept(blueprint, chosen, engine)


def _as_kept(blueprint: Blueprint, chosen: _Choices, engine: Engine) -> Blueprint:
    """The model with its latent attention as the engine's release keeps it: by head, with values, or alone."""
    deployment = chosen.deployment
    if deployment.full_latents is not None:
        return _with_full_heads(blueprint) if deployment.full_latents else blueprint
    release = deployment.release or engine.version
    if chosen.mode is Mode.ARTICLE:
        return blueprint
    if engine.allocator is Allocator.SGLANG:
        return _with_all_caches(blueprint)
    if engine.allocator is Allocator.VLLM and older(release, VLLM_LATENTS_SINCE):
        return _with_full_heads(blueprint, PADDED_HEAD)
    if engine.allocator is Allocator.MLX and not latents_in_mlx(release, blueprint.family):
        return _with_full_heads(blueprint)
    if engine.allocator is not Allocator.LLAMA_CPP:
        return blueprint
    if older(release, LATENTS_SINCE):
        return _with_full_heads(blueprint)
    return _with_values(blueprint) if older(release, LATENTS_ALONE_SINCE) else blueprint


def _with_all_caches(blueprint: Blueprint) -> Blueprint:
    """The same model with a cache for every layer, also for those that read a neighbour's.

    SGLang's pools have a place for each layer (0.5.23, model_executor/pool_configurator.py: full_attention_layer_ids
    and swa_attention_layer_ids are those of the config, whatever num_kv_shared_layers says). Gemma 4 E4B: 42, not 24.
    """
    groups = blueprint.attention
    if all(group.caching_layers < 0 for group in groups):
        return blueprint
    return replace(blueprint, attention=tuple(replace(group, caching_layers=-1) for group in groups))


ROTARY_WIDTH = 64  # of a latent, of which values have no part


def _with_values(blueprint: Blueprint) -> Blueprint:
    """The same model with latents kept twice: whole as keys, and without their rotary part as values."""
    groups = []
    for group in blueprint.attention:
        if group.kind in LATENT:
            groups.append(
                replace(
                    group,
                    kind=AttentionKind.FULL,
                    kv_heads=1,
                    key_dim=group.latent_dim,
                    value_dim=group.latent_dim - ROTARY_WIDTH,
                    latent_dim=0,
                    index_dim=0,
                    index_layers=0,
                )
            )
        else:
            groups.append(group)
    return replace(blueprint, attention=tuple(groups))


def _with_full_heads(blueprint: Blueprint, padded: int = 0) -> Blueprint:
    """The same model with keys and values of latent attention kept head by head, as they are or padded."""
    full = {"kind": AttentionKind.FULL, "latent_dim": 0, "index_dim": 0, "index_layers": 0}
    if padded:
        full |= {"key_dim": padded, "value_dim": padded}
    groups = tuple(
        replace(group, kv_heads=group.query_heads, **full) if group.kind in LATENT else group  # type: ignore[arg-type]
        for group in blueprint.attention
    )
    return replace(blueprint, attention=groups)


def _value_format(chosen: _Choices) -> KvFormat | None:
    """The format of the values where it is another than that of the keys."""
    values = chosen.kv_value_format
    if values is None or values == chosen.kv_format or chosen.mode is Mode.ARTICLE:
        return None
    return chosen.catalogue.kv_format(values)


#: With these engines sparse latent attention keeps 8 bit with scales, its rotary part in 16, unless the kernels want it
#: plain: on AMD, and on Blackwell of data centres, since these releases. Read in vLLM 0.33, layers/attention/
#: mla_attention.py (_canonicalize_sparse_mla_kv_cache_dtype), and SGLang 0.5.8 to 0.5.23, mem_cache/memory_pool.py
#: (NSATokenToKVPool), model_executor/model_runner_kv_cache_mixin.py (calculate_mla_kv_cache_dim) and
#: mem_cache/kv_cache_configurator.py.
WITH_SCALES, PLAIN, PLAIN_ON = "fp8_ds_mla", "fp8", "blackwell-dc"
PLAIN_SINCE = {Allocator.VLLM: (0, 18), Allocator.SGLANG: (0, 5, 9)}
#: On AMD SGLang keeps it plain since this release; before, with scales where 8 bits are those of the Open Compute
#: Project, which the MI300 and older do not know.
PLAIN_ON_AMD_SINCE, OPEN_EIGHT_BIT = (0, 5, 10), ("cdna4", "rdna4")


def _kv_format(chosen: _Choices, blueprint: Blueprint, device: Device, engine: Engine) -> KvFormat:
    """The format of the cache as the engine keeps it; in article mode the element alone: 2, 1 or 0.5 bytes."""
    kv_format = chosen.catalogue.kv_format(chosen.kv_format)
    if chosen.mode is Mode.ARTICLE:
        plain = {"bytes_per_element": kv_format.bits / 8, "per_head_bytes": 0.0, "latent_bytes": {}}
        return kv_format.model_copy(update=plain)
    if engine.allocator is Allocator.TENSORRT_LLM and kv_format.bits == 8:  # one scale for a whole tensor
        return kv_format.model_copy(update={"per_head_bytes": 0.0})
    sparse = any(group.kind is AttentionKind.SPARSE_LATENT for group in blueprint.attention)
    if kv_format.id != PLAIN or not sparse or WITH_SCALES not in chosen.catalogue.kv_formats:
        return kv_format
    return kv_format if _plain_latents(chosen, device, engine) else chosen.catalogue.kv_format(WITH_SCALES)


def _plain_latents(chosen: _Choices, device: Device, engine: Engine) -> bool:
    """Does the engine keep the latents of sparse attention without scales in 8 bit?"""
    since, release = PLAIN_SINCE.get(engine.allocator), chosen.deployment.release or engine.version
    if since is None:
        return True
    if device.family in AMD:
        scaled = engine.allocator is Allocator.SGLANG and device.architecture in OPEN_EIGHT_BIT
        return not (scaled and older(release, PLAIN_ON_AMD_SINCE))
    return device.architecture == PLAIN_ON and not older(release, since)


def network_of(device: Device, nodes: int, catalogue: Catalogue) -> Link | None:
    """The link that joins so many machines of a device; None where there is one."""
    if nodes == 1:
        return None
    offered = [catalogue.link(name) for name in (*device.network_links, *device.links)]
    between = [link for link in offered if link.kind in BETWEEN_MACHINES]
    for link in between:
        if link.max_domain is None or link.max_domain >= nodes:
            return link
    if between:  # more machines than its usual cabling joins
        return between[0]
    raise InvalidInput("Choose the link that joins the {nodes} machines.", "deployment.link", nodes=nodes)


def check_speculation(deployment: Deployment, blueprint: Blueprint) -> None:
    """Refuse to guess ahead with prediction layers that the model does not have."""
    chosen = deployment.speculation
    if chosen is not None and chosen.draft_model is None and TensorClass.MTP not in blueprint.parameters:
        raise InvalidInput(
            "{blueprint} has no prediction layers of its own: choose a draft model.",
            "deployment.speculation",
            blueprint=blueprint.name,
        )


def check_plan(plan: Plan, accelerators: int, device: Device, engine: Engine, blueprint: Blueprint) -> None:
    """Refuse a plan that the accelerators, the engine or the model cannot follow, with what is wrong."""
    wrong = ""
    experts = blueprint.moe.experts if blueprint.moe else 0
    if plan.ranks != accelerators:
        among = f"attention groups {plan.attention_replicas} × " if plan.attention_replicas > 1 else ""
        wrong = (
            f"The plan needs {plan.ranks} accelerators (tensor {plan.tensor} × {among}pipeline {plan.pipeline} × "
            f"replicas {plan.replicas}), the deployment has {accelerators} ({device.name})."
        )
    elif plan.spreads_experts and engine.group != "serving":
        wrong = f"{engine.name} does not spread experts over accelerators: choose tensor, pipeline or replicas."
    elif plan.spreads_experts and not experts:
        wrong = f"{blueprint.name} has no routed experts to spread: choose tensor, pipeline or replicas."
    elif plan.expert > max(1, experts):
        wrong = f"{blueprint.name} has {experts} experts a layer, too few for {plan.expert} accelerators."
    if wrong:
        raise InvalidInput(wrong, "deployment.plan")
