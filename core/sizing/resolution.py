"""From a scenario to its situation: ids looked up in the catalogue, open choices made or refused."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from core.architecture.blueprint import AttentionKind, Blueprint, TensorClass
from core.architecture.textbook import textbook_blueprint
from core.catalogue.catalogue import Catalogue
from core.catalogue.precision import compose_bits
from core.catalogue.records import Allocator, Device, DeviceKind, Engine, KvFormat, Link, WeightFormat
from core.errors import InvalidInput
from core.scenario import CatalogueModel, Deployment, Mode, Plan, Scenario
from core.sizing.companions import placed_companions
from core.sizing.engine_defaults import LATENTS_ALONE_SINCE, LATENTS_SINCE, PADDED_HEAD, VLLM_LATENTS_SINCE, older
from core.sizing.groups import LATENT
from core.sizing.links import BETWEEN_MACHINES, Links
from core.sizing.loaded import AMD
from core.sizing.origins import model_origin
from core.sizing.placement import with_host
from core.sizing.plan import Load, choose_plan
from core.sizing.precision import flat_bits, stored_bits
from core.sizing.situation import Situation
from core.trace import Same

#: One accelerator by itself.
ALONE = Plan()


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
    deployment = scenario.deployment
    article = scenario.mode is Mode.ARTICLE
    engine = catalogue.engine(deployment.engine)
    bare = catalogue.device(deployment.device)
    nodes, per_node = machines(bare, deployment)
    device = with_host(bare, deployment, engine, catalogue, per_node)
    weight_format = catalogue.format_for(scenario.weights, engine)
    blueprint = _blueprint(scenario, catalogue)
    kv_format = _kv_format(_kept_format(scenario, catalogue, blueprint, device), article)
    bits = _bits(scenario, catalogue, blueprint, weight_format)
    check_speculation(deployment, blueprint)
    chosen = catalogue.link(deployment.link) if deployment.link else None
    joins_nodes = chosen is not None and nodes > 1 and chosen.kind in BETWEEN_MACHINES
    network = chosen if joins_nodes else network_of(device, nodes, catalogue)
    links = Links(device, catalogue, None if joins_nodes else chosen)
    source = model_origin(catalogue.model(scenario.model.id) if scenario.model.kind == "catalogue" else None)
    value_format = _value_format(scenario, catalogue)

    def with_plan(plan: Plan, link: Link | None) -> Situation:
        return Situation(
            scenario=scenario,
            catalogue=catalogue,
            blueprint=blueprint,
            device=device,
            accelerators=nodes * per_node,
            nodes=nodes,
            link=link,
            network=network,
            plan=plan,
            engine=engine,
            weight_format=weight_format,
            kv_format=kv_format,
            kv_value_format=value_format,
            bits=bits,
            model_source=source,
        )

    plan = deployment.plan
    if plan is None and nodes * per_node == 1:
        plan = ALONE
    if plan is None:
        beside = sum(companion.weights_bytes for companion in placed_companions(scenario, catalogue))
        domain = links.fast_domain(per_node) if engine.tensor_parallel else 1
        plan = choose_plan(Load.of(with_plan(ALONE, None), beside), nodes, per_node, domain)
    check_plan(plan, nodes * per_node, device, engine, blueprint)
    return with_plan(plan, links.joining(min(plan.copy_ranks, per_node), plan.stage_ranks))


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


def _bits(
    scenario: Scenario, catalogue: Catalogue, blueprint: Blueprint, weight_format: WeightFormat
) -> Mapping[TensorClass, float]:
    if scenario.mode is Mode.ARTICLE:
        return flat_bits(weight_format, blueprint.parameters)
    if isinstance(scenario.model, CatalogueModel):
        deployment = scenario.deployment
        own = deployment.speculation is None or deployment.speculation.draft_model is None
        bits = catalogue.bits(scenario.model.id, weight_format)
        return stored_bits(weight_format, bits, predicts=own and deployment.draft_tokens > 0)
    return stored_bits(weight_format, compose_bits(weight_format, blueprint))


def _blueprint(scenario: Scenario, catalogue: Catalogue) -> Blueprint:
    chosen = scenario.model
    if isinstance(chosen, CatalogueModel):
        blueprint = catalogue.blueprint(chosen.id)
        if blueprint.is_encoder:
            raise InvalidInput(
                "{blueprint} writes no text: choose it as embedding model or reranker.",
                "model",
                blueprint=blueprint.name,
            )
    else:
        blueprint = textbook_blueprint(
            chosen.name,
            chosen.parameters,
            chosen.active_parameters,
            chosen.layers,
            chosen.query_heads,
            chosen.kv_heads,
            chosen.head_dim,
            chosen.trained_context,
        )
    return _as_kept(blueprint, scenario, catalogue)


def _as_kept(blueprint: Blueprint, scenario: Scenario, catalogue: Catalogue) -> Blueprint:
    """The model with its latent attention as the engine's release keeps it: by head, with values, or alone."""
    deployment = scenario.deployment
    if deployment.full_latents is not None:
        return _with_full_heads(blueprint) if deployment.full_latents else blueprint
    engine = catalogue.engine(deployment.engine)
    release = deployment.release or engine.version
    if scenario.mode is Mode.ARTICLE:
        return blueprint
    if engine.allocator is Allocator.VLLM and older(release, VLLM_LATENTS_SINCE):
        return _with_full_heads(blueprint, PADDED_HEAD)
    if engine.allocator is not Allocator.LLAMA_CPP:
        return blueprint
    if older(release, LATENTS_SINCE):
        return _with_full_heads(blueprint)
    return _with_values(blueprint) if older(release, LATENTS_ALONE_SINCE) else blueprint


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


def _value_format(scenario: Scenario, catalogue: Catalogue) -> KvFormat | None:
    """The format of the values where it is another than that of the keys."""
    chosen = scenario.kv_value_format
    if chosen is None or chosen == scenario.kv_format or scenario.mode is Mode.ARTICLE:
        return None
    return catalogue.kv_format(chosen)


#: With these engines sparse latent attention keeps 8 bit with scales, its rotary part in 16, unless the kernels want it
#: plain: on AMD, and on Blackwell of data centres (vLLM: since 0.18). Read in vLLM 0.33, layers/attention/
#: mla_attention.py (_canonicalize_sparse_mla_kv_cache_dtype), and SGLang 0.5.23, mem_cache/kv_cache_configurator.py.
WITH_SCALES, PLAIN, PLAIN_ON = "fp8_ds_mla", "fp8", "blackwell-dc"
PLAIN_SINCE = {Allocator.VLLM: (0, 18), Allocator.SGLANG: (0, 0)}


def _kept_format(scenario: Scenario, catalogue: Catalogue, blueprint: Blueprint, device: Device) -> KvFormat:
    """The format of the cache as the engine keeps it."""
    chosen = catalogue.kv_format(scenario.kv_format)
    if scenario.mode is Mode.ARTICLE:
        return chosen
    sparse = any(group.kind is AttentionKind.SPARSE_LATENT for group in blueprint.attention)
    if chosen.id != PLAIN or not sparse or WITH_SCALES not in catalogue.kv_formats or device.family in AMD:
        return chosen
    engine = catalogue.engine(scenario.deployment.engine)
    since = PLAIN_SINCE.get(engine.allocator)
    release = scenario.deployment.release or engine.version
    if since is None or (device.architecture == PLAIN_ON and not older(release, since)):
        return chosen
    return catalogue.kv_format(WITH_SCALES)


def _kv_format(kv_format: KvFormat, article: bool) -> KvFormat:
    """In article mode the element alone: 2, 1 or 0.5 bytes, no scales, no layout of an engine."""
    return _plain(Same(kv_format)) if article else kv_format


@lru_cache(maxsize=64)
def _plain(kv_format: Same[KvFormat]) -> KvFormat:
    return kv_format.it.model_copy(
        update={"bytes_per_element": kv_format.it.bits / 8, "per_head_bytes": 0.0, "latent_bytes": {}}
    )


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
