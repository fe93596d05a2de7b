"""The layers of a model as counted from its own file: what keeps a cache, what keeps a state, what works on a token."""

from collections.abc import Iterator

from core.architecture.blueprint import AttentionGroup, AttentionKind, Blueprint, RecurrentGroup
from core.language.figures import tensor_class
from core.language.messages import gettext as _
from core.language.messages import marked
from core.language.numbers import Formatter
from core.language.sentences import clauses
from core.proposal.values import Column, Row, Table

_KINDS = {
    AttentionKind.FULL: marked("full attention"),
    AttentionKind.WINDOW: marked("attention in a window"),
    AttentionKind.CHUNK: marked("attention in chunks"),
    AttentionKind.LATENT: marked("latent attention"),
    AttentionKind.SPARSE_LATENT: marked("sparse latent attention"),
    AttentionKind.COMPRESSED: marked("compressed attention"),
    AttentionKind.ENCODER: marked("attention without a cache"),
}


def layers(blueprint: Blueprint, write: Formatter) -> Table:
    """Groups of layers with their shape, then the parameters by what they do."""
    return Table(
        columns=(
            Column(_("Part of the model"), width="1fr"),
            Column(_("Layers"), "right"),
            Column(_("What it is made of"), width="2fr"),
        ),
        rows=(*_attention(blueprint, write), *_recurrent(blueprint, write), *_experts(blueprint, write),
              *_parameters(blueprint, write)),
        summary=_("Groups of layers with their shape, and the parameters of each part."),
    )  # fmt: skip


def _attention(blueprint: Blueprint, write: Formatter) -> Iterator[Row]:
    for group in blueprint.attention:
        yield Row((_(_KINDS[group.kind]), write.count(group.layers), _heads(group, write)))


def _heads(group: AttentionGroup, write: Formatter) -> str:
    text = _("{query} query heads, {kv} cached heads of {width}")
    heads = text.format(
        query=write.count(group.query_heads), kv=write.count(group.kv_heads), width=write.count(group.key_dim)
    )
    parts = [heads]
    if group.window:
        parts.append(_("window of {tokens} tokens").format(tokens=write.count(group.window)))
    if group.latent_dim:
        parts.append(_("one vector of {width} a token").format(width=write.count(group.latent_dim)))
    return clauses(parts)


def _recurrent(blueprint: Blueprint, write: Formatter) -> Iterator[Row]:
    for group in blueprint.recurrent:
        yield Row((_("recurrent state"), write.count(group.layers), _state(group, write)))


def _state(group: RecurrentGroup, write: Formatter) -> str:
    text = _("{heads} heads, {matrix} and {convolution} kept numbers a layer and request, whatever its length")
    return text.format(
        heads=write.count(group.heads),
        matrix=write.count(group.matrix_elements),
        convolution=write.count(group.convolution_elements),
    )


def _experts(blueprint: Blueprint, write: Formatter) -> Iterator[Row]:
    moe = blueprint.moe
    if moe is not None:
        text = _("{experts} experts, of which each token uses {used}; {parameters} parameters each")
        said = text.format(
            experts=write.count(moe.experts),
            used=write.count(moe.experts_per_token),
            parameters=write.count(moe.parameters_per_expert),
        )
        yield Row((_("mixture of experts"), write.count(moe.layers), said))


def _parameters(blueprint: Blueprint, write: Formatter) -> Iterator[Row]:
    for kind, number in blueprint.parameters.items():
        if number:
            yield Row((tensor_class(kind), "", _("{number} parameters").format(number=write.count(number))))
