"""The scenario of the pictures and of the usual proposal."""

from core.scenario import Scenario
from core.sizing.examples import worked_example_in_reality


def scenario() -> Scenario:
    """A small firm's question: forty people, documents of 32K tokens, one card."""
    return worked_example_in_reality().edited(
        name="RAG platform, one card",
        client="Client A",
        workload__requests_at_once=None,
        workload__users=40,
        workload__active_share=0.3,
        workload__prompt_tokens=32_768,
        workload__output_tokens=600,
        workload__speed_target=15.0,
        workload__ttft_target_s=5.0,
    )
