"""What the fields of a scenario are called on screen, for sentences about files, which name them otherwise."""

from core.errors import Phrase

_NAMES = {
    "name": Phrase("Name of the scenario"),
    "model": Phrase("Model"),
    "weights": Phrase("Weights"),
    "kv_format": Phrase("KV cache"),
    "companions": Phrase("Companions"),
    "measurements": Phrase("Measurements of this scenario"),
    "workload": Phrase("Workload"),
    "workload.users": Phrase("Users"),
    "workload.active_share": Phrase("Active at once"),
    "workload.requests_at_once": Phrase("Requests at once"),
    "workload.prompt_tokens": Phrase("Prompt"),
    "workload.output_tokens": Phrase("Answer"),
    "workload.context_tokens": Phrase("Context limit"),
    "workload.prefix_hit_share": Phrase("Prefix cache hits"),
    "workload.ttft_target_s": Phrase("First token within"),
    "workload.speed_target": Phrase("Speed per user"),
    "workload.reserve_share": Phrase("Growth reserve"),
    "deployment": Phrase("Deployment"),
    "deployment.device": Phrase("Device"),
    "deployment.count": Phrase("Count"),
    "deployment.nodes": Phrase("Machines"),
    "deployment.link": Phrase("Link"),
    "deployment.plan": Phrase("Plan"),
    "deployment.engine": Phrase("Engine"),
    "deployment.memory_share": Phrase("Memory share"),
    "economics": Phrase("Economics"),
    "economics.price": Phrase("Price of one"),
    "economics.currency": Phrase("Currency"),
    "economics.region": Phrase("Region"),
    "economics.priced_on": Phrase("Day of the offer"),
    "economics.lines": Phrase("Bill of materials"),
    "economics.further_lines": Phrase("Bill of materials"),
}


def named_field(path: str) -> Phrase:
    """A field as its file calls it and, where people know it by a name, as the screen does.

    >>> str(named_field("economics.lines.0.dated")), str(named_field("unheard_of")), str(named_field(""))
    ('“economics.lines.0.dated” (Bill of materials)', '“unheard_of”', '“scenario”')
    """
    parts = path.split(".")
    around = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    name = next((_NAMES[one] for one in around if one in _NAMES), None)
    if name is None:
        return Phrase("“{field}”", {"field": path or "scenario"})
    return Phrase("“{field}” ({name})", {"field": path, "name": name})
