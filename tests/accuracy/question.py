"""An expected figure of a question from the field as a scenario: the case and the conditions of the figure."""

import re
from dataclasses import dataclass

from core.catalogue.records import Device, Model, ModelRole
from core.scenario import Deployment, Plan, Workload
from core.sizing.report import Sizing
from core.units import GB, GIB
from tests.accuracy import choices, formats, machines, models
from tests.accuracy.cases import Case, Parts, build, shipped
from tests.accuracy.records import Record, Unusable

#: Conditions under which a figure is expected, besides these, are not understood.
CONDITIONS = (
    "context", "kv_dtype", "requests", "concurrency", "tokens_each", "total", "per", "parallel", "model_id", "layout",
    "max_model_len", "kv_tokens", "gpu_memory_utilization", "prefix_caching", "machines", "tp", "tier", "placement",
    "deployment", "link",
)  # fmt: skip
LAYOUTS = ("latent", "expanded", "windows honoured", "all layers full")
USUAL_CONTEXT = 32_768
#: Where weights may lie beside the card: experts alone, or everything; and the machine round a card.
PLACES = {"experts in system memory": True, "processor only": False}
#: Models that share a card, by what they are called, and the usual one where nobody says which.
KINDS = {"embedder": ModelRole.EMBEDDING, "reranker": ModelRole.RERANKER}
USUAL_OF_KIND = {ModelRole.EMBEDDING: "Qwen/Qwen3-Embedding-0.6B", ModelRole.RERANKER: "Qwen/Qwen3-Reranker-0.6B"}
EACH_ITS_NEED = "with shares set to their needs"
DESKTOP = "desktop-ddr5-6000-dual"
#: The memory of a card that only its size is said of: "8GB laptop".
_MEMORY = re.compile(r"\b(\d+)\s*GB\b")
#: What the card shows: "the card shows 23.5 GB", "nvidia-smi shows 21 GiB".
_SHOWN = re.compile(
    r"\b(?:cards?|GPUs?|nvidia-smi) (?:shows?|says?|uses?|takes?) (\d+(?:\.\d+)?) ?(GB|GiB)\b", re.IGNORECASE
)
#: Mixtures of GGUF files that most models are offered in.
COMMON_MIXTURES = (
    "Q2_K", "Q3_K_S", "Q3_K_M", "Q3_K_L", "Q4_0", "Q4_K_S", "Q4_K_M", "Q5_K_S", "Q5_K_M", "Q6_K", "Q8_0", "gguf-f16",
)  # fmt: skip
#: Prompt and answer of a speed, where the case does not give them [tokens].
USUAL_PROMPT = 128
USUAL_ANSWER = 256


@dataclass(frozen=True, slots=True)
class Question:
    """An expected figure: the case and the conditions of the figure."""

    record: Record
    at: Record

    @property
    def inputs(self) -> Record:
        return self.record.part("inputs")

    @property
    def log(self) -> Record:
        """What the logs of the question's thread tell beside it."""
        return self.record.part("log")

    def case(self, workload: Workload | None = None, stored: formats.Weights | None = None) -> Case:
        strange = set(self.at.fields) - set(CONDITIONS)
        if strange:
            raise Unusable(f"the condition “{sorted(strange)[0][:40]}” cannot be told in a scenario")
        if self.at.text("layout") and self.at.text("layout") not in LAYOUTS:
            raise Unusable(f"the layout “{self.at.text('layout')[:40]}” cannot be told in a scenario")
        catalogue = shipped()
        engine = machines.find_engine(self.record, catalogue)
        model = self._model()
        weights = stored or _weights(self.inputs, self.log, catalogue_model=model)
        if not weights.stated and engine.group == "llama.cpp":
            weights = self._as_shown() or weights
        if not weights.stated and _of_ollama(self.record):
            weights = formats.Weights(OLLAMA_DEFAULT)
        cache = formats.read_cache(self._stated("kv_dtype"), catalogue)
        size = _MEMORY.search(self.inputs.text("gpu"))
        unnamed = machines.unnamed_device(round(float(size[1]) * GB)) if size else machines.unnamed_device()
        device = machines.find_device(self.record, catalogue) or unnamed
        if self.inputs.fields.get("offload") and len(device.memory_tiers) < 2:
            raise Unusable("where the weights lie cannot be told in a scenario")
        if self.at.text("tier") or self.at.text("layout"):
            device = device.model_copy(update={"memory_tiers": device.memory_tiers[:1]})
        spread = self._spread()
        several = spread.count > 1 and not device.links
        deployment = Deployment(
            device=device.id,
            count=spread.count,
            plan=spread.plan,
            engine=engine.id,
            memory_share=self._share(),
            capacity_bytes=self._printed_capacity(),
            link="pcie-gen4-x16" if several else None,
            **choices.of_a_question(self.record, self.at, self.inputs, self.log, engine),
        )
        deployment = self._joined(self._placed(deployment, model), device)
        named = self.record.text("device_id") != "" or size is not None
        parts = Parts(model, weights, cache, engine, device, spread, predicts=deployment.draft_tokens > 0)
        return build(
            self.record,
            parts,
            workload or self._workload(),
            deployment,
            weights_known=weights.stated and model.id in catalogue.models,
            device_known=named,
        )

    def _as_shown(self) -> formats.Weights | None:
        """The common mixture whose total comes nearest to what the card shows, where the question says that."""
        shown = _SHOWN.search(self.record.text("question"))
        if shown is None:
            return None
        wanted = float(shown[1]) * (GIB if shown[2] == "GiB" else GB)
        plain = Question(self.record, Record(self.record.id, {}))
        mixtures = [formats.read_weights(name, shipped()) for name in COMMON_MIXTURES]
        totals = [plain.case(stored=mixture).sized().trace["accelerator.total_bytes"] for mixture in mixtures]
        return min(zip(mixtures, totals, strict=True), key=lambda pair: abs(float(pair[1]) - wanted))[0]

    def _stated(self, name: str) -> str:
        """A text that the condition, the case or its thread's log states, in this order."""
        return self.at.text(name) or self.inputs.text(name) or self.log.text(name)

    def _share(self) -> float | None:
        stated = (part.positive("gpu_memory_utilization") for part in (self.at, self.inputs, self.log))
        return next((share for share in stated if share), None)

    def _printed_capacity(self) -> int | None:
        printed = self.log.positive("gpu_memory_gib")
        return round(printed * GIB) if printed else None

    def _model(self) -> Model:
        name = self.at.text("model_id")
        return models.find_model(Record(self.record.id, {"model_id": name}) if name else self.record, shipped())

    def _spread(self) -> machines.Spread:
        parallel = self.at.text("parallel")
        count = self.at.count("machines") or self.record.count("device_count") or 1
        tensor = self.at.count("tp") or self.inputs.count("tp") or 1
        if parallel.startswith("tp") and parallel[2:].isdigit():
            tensor = int(parallel[2:])
        elif parallel.startswith("dp") and parallel[2:].isdigit():
            return self._attention_whole(count, int(parallel[2:]))
        elif not parallel and self.inputs.count("dp"):
            return self._attention_whole(count, self.inputs.count("dp") or 1)
        elif parallel:
            raise Unusable(f"the plan “{parallel[:40]}” cannot be told in a scenario")
        tensor = min(tensor, count)
        return machines.Spread(count, Plan(tensor=tensor, replicas=count // tensor))

    def _placed(self, deployment: Deployment, model: Model) -> Deployment:
        """The deployment with experts, or everything, in the memory of a desktop, where the case says so."""
        place = self.at.text("placement")
        if not place:
            return deployment
        if place not in PLACES:
            raise Unusable(f"the placement “{place[:40]}” cannot be told in a scenario")
        layers = shipped().blueprint(model).layers
        where = {"host_expert_layers": layers} if PLACES[place] else {"host_layers": layers + 1}
        return Deployment.model_validate(deployment.model_dump() | {"host": {"device": DESKTOP}} | where)

    def _joined(self, deployment: Deployment, device: Device) -> Deployment:
        """Machines with one device each, joined by the network that the condition names."""
        network = self.at.text("link")
        if not network:
            return deployment
        edits = {"count": 1, "nodes": self.at.count("machines") or 1, "plan": None}
        link = machines.network_by_rate(network, device, shipped())
        return Deployment.model_validate(deployment.model_dump() | edits | {"link": link})

    def _attention_whole(self, count: int, groups: int) -> machines.Spread:
        """Data-parallel attention: a mixture spreads its experts over all; a dense model is copied."""
        if shipped().blueprint(self._model()).moe is None or groups > count:
            return machines.Spread(count, Plan(replicas=count))
        plan = Plan(attention_replicas=groups, expert=groups, replicas=count // groups)
        return machines.Spread(count, plan)

    def _workload(self) -> Workload:
        at, inputs = self.at, self.inputs
        requests = at.count("requests") or at.count("concurrency") or 1
        context = self.states_length() or USUAL_CONTEXT
        answer = min(inputs.count("output_len") or 1, context)
        return Workload(
            requests_at_once=requests,
            prompt_tokens=max(1, context - answer),
            output_tokens=answer,
            context_tokens=context,
        )

    def states_length(self) -> int | None:
        """Tokens of a request, where the condition or the case states them."""
        at = (self.at.count(name) for name in ("context", "tokens_each", "max_model_len", "kv_tokens"))
        inputs = (self.inputs.count(name) for name in ("context", "max_model_len"))
        return next((length for length in (*at, *inputs) if length), None)

    def sizing(self) -> Sizing:
        return self.case().sized()

    def share_a_card(self, parts: str) -> bool:
        """Do models fit one card together, each in what it needs? What is no language model takes what they leave.

        The case's own model is the one of its role; of another role it is the usual one.
        """
        roles = [role for word, role in KINDS.items() if word in parts]
        if not roles or not parts.endswith(EACH_ITS_NEED):
            raise Unusable(f"the deployment “{parts[:60]}” cannot be told in a scenario")
        own, needed, usable = self._model(), 0.0, 0.0
        for role in roles:
            name = own.id if own.role is role else USUAL_OF_KIND[role]
            trace = Question(self.record, Record(self.record.id, {"model_id": name})).stated().trace
            needed += float(trace["accelerator.total_bytes"])
            usable = float(trace["tier.0.usable_bytes"])
        return needed <= usable

    def answering(self) -> Sizing:
        """The sizing for prompts and answers of the stated length, or usual ones, where a speed is asked for."""
        at, inputs = self.at, self.inputs
        prompt = inputs.count("input_len") or inputs.count("prompt_tokens") or USUAL_PROMPT
        answer = inputs.count("output_len") or USUAL_ANSWER
        workload = Workload(
            requests_at_once=at.count("concurrency") or inputs.count("concurrency") or 1,
            prompt_tokens=prompt,
            output_tokens=answer,
            context_tokens=prompt + answer,
        )
        case = self.case(workload)
        if not case.device_known:
            raise Unusable("the record does not name the device")
        return case.sized()

    def with_pool(self) -> Sizing:
        """With the room for the cache that the case states, or as it comes out."""
        case, room = self.case(), self.inputs.number("available_kv_gib")
        if room is None:
            if not case.device_known or not case.weights_known:
                raise Unusable("neither the room for the cache nor the device and the weights are stated")
            return case.sized()
        alone = {"deployment__runtime_bytes": 0, "deployment__memory_share": 1.0}
        unlimited = case.sized(deployment__capacity_bytes=machines.UNLIMITED_BYTES, **alone)
        fixed = unlimited.trace["accelerator.fixed_bytes"]
        return case.sized(deployment__capacity_bytes=round(fixed + room * GIB), **alone)

    def in_its_share(self) -> Sizing:
        """The sizing with the room for the cache that the case states, in the share that the engine has of the card."""
        room, share = self.inputs.number("available_kv_gib"), self.inputs.positive("gpu_memory_utilization")
        if room is None or share is None:
            raise Unusable("the record does not state the room for the cache and the engine's share")
        needs = self.with_pool().trace["accelerator.fixed_bytes"] + room * GIB
        share = min(share, 1.0)
        alone = {"deployment__runtime_bytes": 0, "deployment__memory_share": share}
        return self.case().sized(deployment__capacity_bytes=round(needs / share), **alone)

    def stated(self) -> Sizing:
        """The sizing, where the record says how the weights are stored."""
        case = self.case()
        if not case.weights_known:
            raise Unusable("the record does not say how the weights are stored")
        return case.sized()


#: What Ollama takes where a model is named without a tag, since the end of 2024 (docs: "default Q4_K_M").
OLLAMA_DEFAULT, OLLAMA_SINCE = "Q4_K_M", "2025"


def _of_ollama(record: Record) -> bool:
    """Is a question about Ollama, which has a format of its own choice?"""
    source = record.text("source").split("/")[0].lower()
    return (source == "ollama" or "ollama" in record.text("how_known").lower()) and record.text("date") >= OLLAMA_SINCE


def _weights(inputs: Record, log: Record, catalogue_model: Model) -> formats.Weights:
    """The format that the case or its thread's log states, or that is part of the model's name in it."""
    text = inputs.text("weights_format") or inputs.text("model")
    found = _read_weights(text)
    if not found.stated and log.text("weights_format"):
        found = _read_weights(log.text("weights_format"))
    own = shipped().published_formats(catalogue_model) if catalogue_model.id in shipped().models else ()
    return formats.Weights(own[0], stated=True) if not found.format_id and len(own) == 1 else found


def _read_weights(text: str) -> formats.Weights:
    for words in (text.rsplit(" ", 1)[-1], text):
        try:
            return formats.read_weights(words, shipped())
        except Unusable:
            continue
    return formats.Weights("", stated=False)
