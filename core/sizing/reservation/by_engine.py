"""Which rules reserve for a request: those of the engine."""

from collections.abc import Callable

from core.catalogue.records import Allocator
from core.scenario import Mode
from core.sizing.reservation import blocks, llama_cpp, mlx, sglang, tensorrt_llm, vllm
from core.sizing.reservation.share import Reservation
from core.sizing.situation import Setup
from core.trace import Recipe

RESERVE: dict[Allocator, Callable[[Recipe, Setup], Reservation]] = {
    Allocator.BLOCKS: blocks.reserve,
    Allocator.VLLM: vllm.reserve,
    Allocator.SGLANG: sglang.reserve,
    Allocator.LLAMA_CPP: llama_cpp.reserve,
    Allocator.TENSORRT_LLM: tensorrt_llm.reserve,
    Allocator.MLX: mlx.reserve,
}


def reserve(trace: Recipe, s: Setup) -> Reservation:
    """Record what the engine reserves for one request; in article mode the logical cache, token by token."""
    allocator = Allocator.BLOCKS if s.mode is Mode.ARTICLE else s.engine.allocator
    return RESERVE[allocator](trace, s)
