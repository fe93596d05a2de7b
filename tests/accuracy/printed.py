"""What recorders call the figures that llama.cpp prints, and the flags of a start: one name for each.

Figures may stand as a list of accelerators, or by the names of devices. What lies on several is one figure: caches,
states and weights together, of compute buffers the largest.
"""

from collections.abc import Mapping
from typing import Any

from tests.accuracy.records import Record, is_number

#: Other names of a figure, without what says that it stands for each device.
_FIGURES = {
    "kv_mib": ("kv_size_mib", "kv_self_mib", "kv_self_size_mib", "kv_total_mib", "kv_cache_mib", "kv_buffer_mib"),
    "kv_k_mib": ("k_mib", "kv_key_mib", "k_cache_mib"),
    "kv_v_mib": ("v_mib", "kv_value_mib", "v_cache_mib"),
    "kv_full_mib": ("kv_non_swa_mib", "kv_base_mib", "non_swa_kv_mib", "full_kv_mib"),
    "kv_swa_mib": ("swa_kv_mib", "kv_window_mib"),
    "full_cells": ("kv_cells", "cells", "non_swa_cells", "kv_size_cells", "n_cells"),
    "recurrent_state_mib": ("rs_mib", "rs_buffer_mib", "state_mib", "rs_total_mib", "recurrent_mib", "rs_size_mib"),
    "r_state_mib": ("r_mib", "rs_r_mib", "recurrent_r_mib", "conv_state_mib"),
    "s_state_mib": ("s_mib", "rs_s_mib", "recurrent_s_mib", "ssm_state_mib"),
    "model_buffer_mib": ("gpu_model_buffer_mib", "gpu_buffer_mib", "weights_mib", "gpu_weights_mib", "model_mib"),
    "cpu_buffer_mib": ("cpu_model_buffer_mib", "cpu_mapped_mib", "cpu_mapped_buffer_mib", "cpu_weights_mib"),
    "compute_buffer_mib": ("compute_mib", "gpu_compute_buffer_mib", "gpu_compute_mib"),
    "host_compute_buffer_mib": ("host_compute_mib", "cuda_host_compute_buffer_mib", "cpu_compute_buffer_mib"),
    "total_mib": ("self_mib", "vram_mib", "gpu_total_mib", "vram_total_mib", "device_total_mib", "projected_mib"),
    "context_mib": ("gpu_context_mib", "context_buffer_mib"),
    "indexer_kv_mib": ("kv_indexer_mib", "kv_lid_mib"),
    "mtp_kv_mib": ("draft_kv_mib", "kv_mtp_mib"),
    "file_size_gib": ("model_size_gib", "file_gib", "gguf_gib"),
    "n_seqs": ("n_seq", "seqs", "n_seq_max"),
    "kv_layers": ("layers", "n_kv_layers", "cached_layers"),
}
_FLAGS = {
    "flash_attn": ("fa", "flash_attention"),
    "ubatch": ("ub", "n_ubatch", "ubatch_size", "micro_batch"),
    "n_seq_max": ("np", "parallel", "n_parallel", "slots", "n_slots", "num_parallel"),
    "kv_unified": ("unified_kv", "kvu"),
    "n_gpu_layers": ("ngl", "num_gpu", "gpu_layers", "offloaded_layers"),
    "experts_on_cpu": ("cpu_moe", "ot_exps_cpu", "moe_on_cpu"),
    "n_cpu_moe": ("ncmoe",),
    "mla": ("mla_attn",),
    "swa_full": ("full_swa",),
    "split_mode": ("sm",),
}
_FIGURE = {other: name for name, others in _FIGURES.items() for other in others}
_FLAG = {other: name for name, others in _FLAGS.items() for other in others}
_EACH = ("_per_device", "_per_gpu", "_by_device", "_by_gpu")
_ON, _OFF = ("on", "enabled", "true", "auto", "yes"), ("off", "disabled", "false", "no")
_HOST = ("cpu", "host")


def figure_name(name: str, value: Any = None) -> str:
    """The one name of a figure; a single number for each accelerator is a figure of its own.

    >>> figure_name("rs_mib"), figure_name("kv_mib_per_device", [1.0, 2.0])
    ('recurrent_state_mib', 'kv_mib')
    >>> figure_name("model_buffer_mib_per_gpu", 3.0)
    'model_buffer_mib_per_gpu'
    """
    if isinstance(value, list | Mapping):
        for ending in _EACH:
            name = name.removesuffix(ending)
    return _FIGURE.get(name, name)


def figure_value(name: str, value: Any) -> Any:
    """One number for what stands by accelerator: the largest compute buffer, else all together, without the host's.

    >>> figure_value("kv_mib", [1.0, 2.5]), figure_value("compute_buffer_mib", {"CUDA0": 3, "CUDA1": 4, "CUDA_Host": 9})
    (3.5, 4)
    """
    if isinstance(value, Mapping):
        hosts = name.startswith("kv_")  # what the processor keeps of a cache is part of it
        value = [v for k, v in value.items() if hosts or not any(host in str(k).lower() for host in _HOST)]
    if not isinstance(value, list) or not value or not all(is_number(v) for v in value):
        return value
    return max(value) if "compute" in name else sum(value)


def with_usual_names(record: Record) -> Record:
    """The record with one name for each flag and figure."""
    fields = dict(record.fields)
    flags, observed = fields.get("flags"), fields.get("observed")
    if isinstance(flags, Mapping):
        fields["flags"] = {_FLAG.get(str(k), k): v for k, v in flags.items()}
        attention = fields["flags"].get("flash_attn")
        if isinstance(attention, str):
            known = {**dict.fromkeys(_ON, 1), **dict.fromkeys(_OFF, 0)}
            fields["flags"]["flash_attn"] = known.get(attention.lower())
    if isinstance(observed, Mapping):
        named: dict[Any, Any] = {}
        for key, value in observed.items():
            name = figure_name(str(key), value)
            if name not in named or not isinstance(value, list | Mapping):  # a printed sum goes before parts
                named[name] = figure_value(name, value)
        fields["observed"] = named
    return Record(record.id, fields)
