"""The names of figures, by area; `core.language.figures` looks them up.

| keys that begin with, or are about | module |
|---|---|
| `cost`, `demand`, `capacity`, `energy`, `retrieval`, offers | `cost` |
| `model`, `textbook`, formats, widths | `model` |
| `memory`, `memory_item`, `kv_…`, `state_…`, what fits | `memory` |
| `engine`, `kv_pool`, `runtime`: blocks, pools, buffers | `reserved` |
| `decode`, `prefill`, `ttft`, `bandwidth`, `serving`, exchanges | `speed` |
| `fit`, `own`, `spread` | `fitted` |
| `workload`, `plan`, `deployment`, `device`, prices of devices | `deployment` |
| with several parts | `families` |
| in few letters | `short` |

`LABELS` names whole keys, `PARTS` the last words of keys with several parts.
"""
