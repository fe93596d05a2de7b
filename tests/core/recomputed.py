"""A recorded figure computed again, by the text of its formula."""

from typing import Any

from core.trace import EXPRESSION_NAMES, Computed, Trace, formula_of


def by_the_text(trace: Trace, entry: Computed) -> Any:
    """What the formula's text gives for the recorded inputs."""
    values = {
        name: trace[at] if isinstance(at, str) else [trace[key] for key in at] for name, at in entry.inputs.items()
    }
    return eval(formula_of(entry.function).expression, {"__builtins__": {}}, {**EXPRESSION_NAMES, **values})
