"""From a claim of article.toml to scenarios of Tonnage."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.scenario import (
    CatalogueModel,
    Companion,
    CompanionRole,
    Deployment,
    Economics,
    Mode,
    Plan,
    Scenario,
    TextbookModel,
    Workload,
)

Claim = Mapping[str, Any]
ARTICLE = tomllib.loads((Path(__file__).parent / "article.toml").read_text(encoding="utf-8"))
CLAIMS: dict[str, Claim] = {claim["id"]: claim for claim in ARTICLE["claim"]}

#: For claims about a device or link alone, any model does.
ANY_MODEL = {"model": "Qwen/Qwen3-30B-A3B", "weights": "fp8", "mode": "real", "context": 8_192}
VARIANTS = ("a", "b", "c", "against")
#: The article's name of a device variant -> the catalogue's record with the article's figures.
ARTICLE_DEVICES = {"dgx-station-gb300": "dgx-station-gb300-article"}
KV_FORMATS = {"fp16": "fp16", "fp8": "fp8", "4bit": "4bit"}


def scenarios(claim: Claim) -> dict[str, Scenario]:
    """The claim's scenarios: "" for the common one, and one per variant a, b, c, against."""
    stated = dict(claim["scenario"])
    variants = {name: stated.pop(name) for name in VARIANTS if name in stated}
    common = {**(ARTICLE["base"][stated["base"]] if "base" in stated else ANY_MODEL), **stated}
    common.pop("base", None)
    made = {"": common} if "device" in common else {}
    made |= {name: {**common, **changes} for name, changes in variants.items()}
    return {name: scenario(keys) for name, keys in made.items() if "device" in keys or "link" in keys}


def base(claim: Claim) -> Mapping[str, Any]:
    """The keys that a claim's scenario takes over."""
    keys: Mapping[str, Any] = ARTICLE["base"][claim["scenario"]["base"]]
    return keys


def is_saturated(claim: Claim) -> bool:
    return bool(claim["scenario"].get("concurrency") == "saturated")


def scenario(keys: Mapping[str, Any]) -> Scenario:
    """One scenario from the article's short keys."""
    article = keys.get("mode") == "article"
    concurrency = keys.get("concurrency", 1)
    return Scenario(
        name=str(keys.get("name", "Claim")),
        mode=Mode.ARTICLE if article else Mode.REAL,
        model=_model(keys),
        weights=keys["weights"],
        kv_format=KV_FORMATS[keys.get("kv", "fp16")],
        companions=tuple(_companions(keys)),
        workload=Workload(
            requests_at_once=1 if concurrency == "saturated" else concurrency,
            prompt_tokens=keys.get("prompt"),
            output_tokens=keys.get("output", 512),
            context_tokens=keys.get("context") or keys.get("prompt", 0) + keys.get("output", 512),
        ),
        deployment=_deployment(keys),
        economics=Economics(price=keys.get("price")),
    )


def _model(keys: Mapping[str, Any]) -> CatalogueModel | TextbookModel:
    model = keys["model"]
    if isinstance(model, str):
        return CatalogueModel(id=model)
    geometry = {name: keys.get(name, model.get(name)) for name in ("layers", "kv_heads", "head_dim", "query_heads")}
    return TextbookModel(
        name=model["name"],
        parameters=model["params"],
        active_parameters=model["active_params"],
        trained_context=262_144,
        **geometry,
    )


def _companions(keys: Mapping[str, Any]) -> list[Companion]:
    return [
        Companion(role=role, model=c.get("model"), parameters=c.get("params"), weights=c["weights"])
        for role, c in ((role, keys.get(role.value)) for role in CompanionRole)
        if c is not None
    ]


def _deployment(keys: Mapping[str, Any]) -> Deployment:
    device = keys.get("device", "h200-sxm")
    if keys.get("catalogue") == "article":
        device = ARTICLE_DEVICES[device]
    capacity = keys.get("capacity_bytes")
    if keys.get("capacity_override") == "all in HBM":
        capacity = 784_000_000_000
    link = keys.get("link")
    framework = keys.get("framework_bytes")
    return Deployment(
        device=device,
        count=keys.get("count", 1),
        nodes=keys.get("nodes", 1),
        link=None if link == "auto" else link,
        plan=_plan(keys.get("plan")),
        engine=keys.get("engine", "vllm"),
        runtime_bytes=framework,
        capacity_bytes=capacity,
    )


def _plan(text: str | None) -> Plan | None:
    """ "tp8", "pp2", "dp4" or "tp8 x pp2"."""
    if text is None:
        return None
    sizes = {name: int(size) for name, size in re.findall(r"(tp|pp|dp)(\d+)", text)}
    return Plan(tensor=sizes.get("tp", 1), pipeline=sizes.get("pp", 1), replicas=sizes.get("dp", 1))
