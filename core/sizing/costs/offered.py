"""Figures that an offer shows and nothing else needs: recorded in the trace when somebody first asks for them."""

from core.physics import demand as d
from core.physics import economics as e
from core.physics import purchase
from core.sizing.costs.report import Cost, Running
from core.trace import Trace


def answer_seconds(trace: Trace) -> float | None:
    """Time of a whole answer with the requests at once, the first word included; recorded under `answer_s` [s].

    None where the speed or the length of an answer is not known.
    """
    needs = {"first_token": "ttft_s", "output": "workload.output_tokens", "speed": "decode_tok_s"}
    if not all(key in trace for key in needs.values()):
        return None
    if "answer_s" not in trace:
        trace.compute("answer_s", d.seconds_in_system, **needs)
    return float(trace["answer_s"])


def of_term(cost: Cost, kind: Running) -> str:
    """The key of what a running cost comes to over the term; empty where it is not known."""
    yearly = next((one.amount for one in cost.running if one.kind is kind), None)
    if yearly is None or not yearly.known or "cost.term_years" not in cost.trace:
        return ""
    key = f"cost.of_term.{kind.value}"
    if key not in cost.trace:
        cost.trace.compute(key, purchase.line_amount, quantity="cost.term_years", price=yearly.key)
    return key


def per_user_and_month(cost: Cost) -> str:
    """The key of what a user costs in a month; empty where the cost of a year or the number of users is not known."""
    if not cost.yearly.known or "workload.users" not in cost.trace:
        return ""
    if "cost.per_user_month" not in cost.trace:
        cost.trace.compute("cost.per_user_month", e.per_user_and_month, cost="cost.yearly", users="workload.users")
    return "cost.per_user_month"
