"""What it means to use a record in the scenario on screen."""

from typing import Any

from core.catalogue.records import ModelRole
from core.language.messages import gettext as _
from core.scenario import CatalogueModel


def changes_to_use(table: str, record: Any) -> tuple[str, dict[str, Any]] | None:
    """The words and the changes of the scenario; None where a record of this kind is not chosen by itself."""
    if table == "devices":
        return _("Device"), {
            "deployment__device": record.id,
            "deployment__plan": None,
            "deployment__link": None,
            "deployment__capacity_bytes": None,
            "economics__price": None,
        }
    if table == "models" and record.role is ModelRole.GENERATOR:
        return _("Model"), {"model": CatalogueModel(id=record.id)}
    single = {
        "links": (_("Link"), "deployment__link"),
        "engines": (_("Engine"), "deployment__engine"),
        "weight_formats": (_("Weight format"), "weights"),
        "kv_formats": (_("KV cache format"), "kv_format"),
    }
    if table not in single:
        return None
    text, path = single[table]
    return text, {path: record.id}
