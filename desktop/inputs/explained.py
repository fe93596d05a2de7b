"""What F1 in an input explains: the figure that the input is, else the one that it decides."""

from collections.abc import Container

from PySide6.QtWidgets import QWidget

#: By the field of the scenario; a field that is itself a figure, such as the users, needs no line here.
DECIDES = {
    "model": "memory_item.weights",
    "weights": "memory_item.weights",
    "kv_format": "kv_bytes_per_token",
    "companions": "memory.fixed_bytes",
    "workload__requests_at_once": "requests_at_once",
    "workload__prefix_hit_share": "prompt.cached_tokens",
    "workload__ttft_target_s": "ttft_s",
    "workload__speed_target": "decode_tok_s",
    "workload__target_percentile": "decode_tok_s.p10",
    "workload__prompt_tail_tokens": "workload.prompt_tokens",
    "workload__output_tail_tokens": "workload.output_tokens",
    "deployment__device": "memory.limit_bytes",
    "deployment__count": "deployment.accelerators",
    "deployment__machines": "deployment.accelerators",
    "deployment__plan": "plan.tensor",
    "deployment__link": "messages_per_token",
    "deployment__engine": "decode_step_s.engine",
    "deployment__memory_share": "engine.memory_share",
    "deployment__runtime_bytes": "memory_item.framework",
    "deployment__prefill_chunk": "engine.prefill_chunk",
    "deployment__usable_bytes": "tier.0.usable_bytes",
    "deployment__prefix_caching": "prompt.cached_tokens",
}
FIELD = "scenario_field"  # the property of a widget that names its field


def explains(widget: QWidget, field: str) -> None:
    """Say which field of the scenario a widget edits."""
    widget.setProperty(FIELD, field)


def figure_of(widget: QWidget | None, known: Container[str]) -> str:
    """The figure for the input that a widget belongs to; empty where there is none."""
    while widget is not None:
        field = widget.property(FIELD)
        if field:
            found = (str(field).replace("__", "."), DECIDES.get(str(field), ""))
            return next((key for key in found if key in known), "")
        widget = widget.parentWidget()
    return ""
