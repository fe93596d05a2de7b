"""The figures of a link between accelerators or machines."""

from typing import Any

from core.catalogue.records import LinkKind
from core.language import numbers
from core.language.messages import gettext as _
from core.language.messages import marked
from desktop.pages.catalogue.all_reduce_table import measured_group
from desktop.pages.catalogue.devices import families
from desktop.pages.catalogue.figures import Data, Figure, FigureGroup, figure, one_of, worded, words, yes_or_no
from desktop.widgets import quantity
from desktop.widgets.quantity import Quantity, Value

USUAL_RANKS = (2, 4, 8)


def link_groups(data: Data, catalogue: Any) -> list[FigureGroup]:
    known = data.get("all_reduce") or ()
    costs = tuple(one for at, cost in enumerate(known) for one in _cost(at, cost))
    told = {cost["ranks"] for cost in known if cost.get("family") is None}
    costs += tuple(one for ranks in USUAL_RANKS if ranks not in told for one in _missing_cost(ranks))
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
    measured = [measured_group(at, table, catalogue) for at, table in enumerate(data.get("tables") or ())]
    return [*groups, FigureGroup(_("Sums over all (all-reduce)"), costs), *measured]


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


#: The three figures of the cost of a sum, with their words.
_START, _SMALL, _BUS = (
    marked("Start, {ranks} ranks"),
    marked("Small messages, {ranks} ranks"),
    marked("Bus rate, {ranks} ranks"),
)


def _cost(at: int, cost: Data) -> tuple[Figure, ...]:
    ranks = numbers.current().count(cost["ranks"])
    family = families().get(cost.get("family") or "")

    def named(text: str) -> str:
        name = _(text).format(ranks=ranks)
        return _("{figure}, {family}").format(figure=name, family=family) if family else name

    return (
        figure(f"all_reduce.{at}.alpha_s", named(_START), quantity.microseconds(optional=False)),
        figure(f"all_reduce.{at}.beta_bytes_per_s", named(_SMALL), quantity.rate(optional=True)),
        figure(f"all_reduce.{at}.bus_bytes_per_s", named(_BUS), quantity.rate()),
    )


def _missing_cost(ranks: int) -> tuple[Figure, ...]:
    """Rows for a number of ranks about which the record says nothing yet: filled in, they are added to it."""
    count = numbers.current().count(ranks)
    return (
        _added(ranks, "alpha_s", _(_START).format(ranks=count), quantity.microseconds()),
        _added(ranks, "beta_bytes_per_s", _(_SMALL).format(ranks=count), quantity.rate(optional=True)),
        _added(ranks, "bus_bytes_per_s", _(_BUS).format(ranks=count), quantity.rate(optional=True)),
    )


def _added(ranks: int, field: str, text: str, kind: Quantity) -> Figure:
    def get(data: Data) -> Value:
        return next((one.get(field) for one in data.get("all_reduce") or () if _is_for(one, ranks)), None)

    def put(data: Data, value: Value) -> None:
        known = list(data.get("all_reduce") or ())
        mine = next((one for one in known if _is_for(one, ranks)), {"ranks": ranks})
        others = [one for one in known if not _is_for(one, ranks)]
        changed = {**mine, field: value}
        said = any(changed.get(one) is not None for one in ("alpha_s", "beta_bytes_per_s", "bus_bytes_per_s"))
        data["all_reduce"] = (*others, changed) if said else tuple(others)

    return Figure(f"all_reduce.{ranks}_ranks.{field}", text, kind, get, put)


def _is_for(cost: Data, ranks: int) -> bool:
    return cost["ranks"] == ranks and cost.get("family") is None
