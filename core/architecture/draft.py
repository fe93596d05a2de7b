"""A blueprint in the making: readers add modules, layers and notes; `Draft.blueprint` adds them up.

Modules are kept by the name that checkpoints give them ("layers.3.mlp.down_proj"), because quantisation configs name
what they leave in 16 bit by module.
"""

from collections import Counter
from dataclasses import dataclass, field, replace

from core.architecture.blueprint import (
    AttentionGroup,
    Blueprint,
    MixtureOfExperts,
    NoteKind,
    Quantisation,
    ReadingNote,
    RecurrentGroup,
    TensorClass,
)
from core.architecture.fields import Fields
from core.errors import UnsupportedArchitecture

#: Of latent attention: what makes the latent vectors, which all heads share.
DOWN_PROJECTIONS = frozenset({"q_a_proj", "kv_a_proj_with_mqa", "wq_a", "wkv"})


@dataclass(frozen=True, slots=True)
class Core:
    """The numbers that every reader needs first."""

    layers: int
    hidden_size: int
    vocabulary: int
    tied: bool = False
    double_norms: bool = False


@dataclass
class Draft:
    """What a reader has found so far."""

    fields: Fields
    core: Core
    parameters: dict[tuple[TensorClass, str], int] = field(default_factory=dict)  # by class and module
    attention: Counter[AttentionGroup] = field(default_factory=Counter)  # groups of one layer, how often
    recurrent: Counter[RecurrentGroup] = field(default_factory=Counter)
    routed: Counter[MixtureOfExperts] = field(default_factory=Counter)
    notes: list[ReadingNote] = field(default_factory=list)

    def add(self, tensor_class: TensorClass, module: str, count: int) -> None:
        """Count parameters of a module."""
        key = (tensor_class, module)
        self.parameters[key] = self.parameters.get(key, 0) + count

    def linear(
        self, tensor_class: TensorClass, module: str, inputs: int, outputs: int, bias: bool = False, copies: int = 1
    ) -> None:
        """Count a projection; its bias is a vector and goes with the norms."""
        self.add(tensor_class, module, copies * inputs * outputs)
        if bias:
            self.vector(module, copies * outputs)

    def vector(self, module: str, count: int) -> None:
        """Count a norm, a bias or another small tensor that stays in 16 bit."""
        self.add(TensorClass.NORM, module, count)

    def attend(self, group: AttentionGroup, layers: int = 1) -> None:
        """Count attention layers of one shape; `group.layers` is ignored."""
        self.attention[replace(group, layers=1)] += layers

    def recur(self, group: RecurrentGroup) -> None:
        self.recurrent[replace(group, layers=1)] += 1

    def route(self, experts: int, per_token: int, parameters_per_expert: int) -> None:
        """Count one layer of routed experts."""
        self.routed[MixtureOfExperts(1, experts, per_token, parameters_per_expert)] += 1

    def start_prediction(self) -> "Draft":
        """A draft of the same core for layers that only speculative decoding loads."""
        return Draft(self.fields, self.core)

    def predict(self, prediction: "Draft") -> None:
        """Count all of a draft as multi-token prediction; such layers cache nothing unless they are loaded."""
        for (_, module), count in prediction.parameters.items():
            self.add(TensorClass.MTP, module, count)

    def note(self, kind: NoteKind, subject: str = "") -> None:
        self.notes.append(ReadingNote(kind, subject))

    def totals(self) -> dict[TensorClass, int]:
        """Parameters by class, the classes in their own order."""
        sums: Counter[TensorClass] = Counter()
        for (tensor_class, _), count in self.parameters.items():
            sums[tensor_class] += count
        return {tensor_class: sums[tensor_class] for tensor_class in TensorClass if sums[tensor_class]}

    def blueprint(self, name: str, family: str, context: int, quantisation: Quantisation | None = None) -> Blueprint:
        """Add everything up."""
        return Blueprint(
            name=name,
            family=family,
            layers=self.core.layers,
            hidden_size=self.core.hidden_size,
            vocabulary=self.core.vocabulary,
            parameters=self.totals(),
            whole_attention_parameters=sum(n for (kind, name), n in self.parameters.items() if _is_whole(kind, name)),
            attention=tuple(_joined(self.attention)),
            recurrent=tuple(replace(group, layers=n) for group, n in self.recurrent.items()),
            moe=self._experts(),
            tied_embedding=self.core.tied,
            double_norms=self.core.double_norms,
            trained_context=context,
            quantisation=quantisation,
            warnings=tuple(self.notes),
        )

    def _experts(self) -> MixtureOfExperts | None:
        if not self.routed:
            return None
        if len(self.routed) > 1:
            raise UnsupportedArchitecture("Tonnage cannot read models whose layers have different experts yet.")
        ((moe, layers),) = self.routed.items()
        return replace(moe, layers=layers)


def _is_whole(tensor_class: TensorClass, module: str) -> bool:
    """Does every tensor-parallel rank keep the whole matrix? vLLM: ReplicatedLinear in deepseek_v2.py, deepseek_v4."""
    if tensor_class is not TensorClass.ATTENTION:
        return False
    return module.rpartition(".")[2] in DOWN_PROJECTIONS or ".indexer." in module or ".compressor." in module


def _joined(groups: Counter[AttentionGroup]) -> list[AttentionGroup]:
    """One group per shape; layers with and without an indexer or a cache of their own are of one shape."""
    shapes: dict[AttentionGroup, AttentionGroup] = {}
    for group, n in groups.items():
        shape = replace(group, index_layers=0, caching_layers=-1)
        so_far = shapes.get(shape, replace(shape, layers=0, caching_layers=0))
        shapes[shape] = replace(
            so_far,
            layers=so_far.layers + n,
            index_layers=so_far.index_layers + n * group.index_layers,
            caching_layers=so_far.caching_layers + n * (1 if group.caching_layers < 0 else group.caching_layers),
        )
    return [replace(g, caching_layers=-1) if g.caching_layers == g.layers else g for g in shapes.values()]
