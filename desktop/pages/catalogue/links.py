"""The figures of a link between accelerators or machines."""

from typing import Any

from core.catalogue.records import LinkKind
from core.language import numbers
from core.language.messages import gettext as _
from desktop.pages.catalogue.figures import Data, Figure, FigureGroup, figure, one_of, worded, words, yes_or_no
from desktop.widgets import quantity


def link_groups(data: Data, _catalogue: Any) -> list[FigureGroup]:
    costs = tuple(one for at, cost in enumerate(data.get("all_reduce") or ()) for one in _cost(at, cost))
    groups = [
        FigureGroup(
            _("Identity"),
            (
                worded("name", _("Name"), words("NVLink 5", optional=False, most=120)),
                figure("kind", _("Kind"), one_of(link_kinds())),
                figure("per", _("Counted per"), one_of(counted_per())),
            ),
        ),
        FigureGroup(
            _("Rates"),
            (
                figure("bytes_per_s_per_direction", _("Each way"), quantity.rate()),
                figure("bytes_per_s_bidirectional", _("Both ways added"), quantity.rate()),
                figure("peer_bytes_per_s_per_direction", _("Between two of a mesh"), quantity.rate(optional=True)),
                figure("latency_s", _("Time of one message"), quantity.microseconds()),
            ),
        ),
        FigureGroup(
            _("Reach"),
            (
                figure("max_domain", _("Joins at most"), quantity.count(high=100_000, example="8", optional=True)),
                figure("switched", _("Through a switch"), yes_or_no()),
            ),
        ),
    ]
    return [*groups, FigureGroup(_("Sums over all (all-reduce)"), costs)] if costs else groups


def link_kinds() -> dict[str, str]:
    return {
        LinkKind.NVLINK: "NVLink",
        LinkKind.C2C: _("Inside a package"),
        LinkKind.PCIE: "PCIe",
        LinkKind.FABRIC: _("Fabric in a box"),
        LinkKind.NETWORK: _("Network"),
        LinkKind.THUNDERBOLT: "Thunderbolt",
    }


def counted_per() -> dict[str, str]:
    return {"gpu": _("accelerator"), "port": _("port"), "node": _("machine"), "superchip": _("superchip")}


def blank_link() -> Data:
    return {
        "kind": LinkKind.NETWORK.value,
        "per": "gpu",
        "bytes_per_s_per_direction": None,
        "bytes_per_s_bidirectional": None,
        "switched": False,
    }


def _cost(at: int, cost: Data) -> tuple[Figure, ...]:
    ranks = numbers.current().count(cost["ranks"])
    return (
        figure(
            f"all_reduce.{at}.alpha_s",
            _("Start, {ranks} ranks").format(ranks=ranks),
            quantity.microseconds(optional=False),
        ),
        figure(f"all_reduce.{at}.bus_bytes_per_s", _("Bus rate, {ranks} ranks").format(ranks=ranks), quantity.rate()),
    )
