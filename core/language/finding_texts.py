"""What findings say: a heading of a few words and a sentence for each kind, with places for their numbers."""

from collections.abc import Callable

from core.language.messages import marked, ngettext
from core.sizing.report import FindingKind

TITLES = {
    FindingKind.SINGLE_GPU: marked("One card is enough"),
    FindingKind.LATENCY_SXM_TP: marked("Split inside one machine, for speed"),
    FindingKind.THROUGHPUT_REPLICAS_PIPELINE: marked("Many users: copies or a pipeline"),
    FindingKind.LONG_CONTEXT_BANDWIDTH: marked("Long context asks for bandwidth"),
    FindingKind.CAPACITY_UNIFIED_MEMORY: marked("Most memory for the money"),
    FindingKind.TP_INSIDE_PP_BETWEEN: marked("Layers split inside, machines in a row"),
    FindingKind.CO_LOCATE: marked("Retrieval shares the card"),
    FindingKind.SPLIT_RETRIEVAL: marked("Retrieval needs a card of its own"),
    FindingKind.ENGINE_WITHOUT_DEVICE: marked("Engine and hardware do not go together"),
    FindingKind.ENGINE_WITHOUT_FORMAT: marked("Engine and format do not go together"),
    FindingKind.HEADS_NOT_DIVISIBLE: marked("The heads cannot be shared out evenly"),
    FindingKind.SECOND_TIER: marked("Part of it lies in slow memory"),
    FindingKind.CAPACITY_WITHOUT_BANDWIDTH: marked("Much memory, slowly read"),
    FindingKind.PCIE_TENSOR_PARALLEL: marked("The exchange over PCIe costs time"),
    FindingKind.TP_WITHOUT_NEED: marked("Split without need"),
    FindingKind.SXM_MESH_UNUSED: marked("The fast mesh is not used"),
    FindingKind.SPARK_CLUSTER: marked("More machines bring room, not speed"),
    FindingKind.KV_HEADS_REPLICATED: marked("Cache heads are kept more than once"),
    FindingKind.MLA_REPLICATED: marked("Every accelerator keeps the whole cache"),
    FindingKind.WEIGHT_ONLY_FORMAT: marked("The format saves memory, not time"),
    FindingKind.BEYOND_TRAINED_CONTEXT: marked("Longer than the model has learnt"),
    FindingKind.MOE_ACTIVE_RESIDENT: marked("All experts must be in memory"),
    FindingKind.HYBRID_HOLDS_LESS: marked("Few layers keep a cache"),
    FindingKind.WINDOWS_HOLD_LESS: marked("Windows keep the cache small"),
    FindingKind.LATENT_HOLDS_LESS: marked("One vector stands for all heads"),
    FindingKind.RECURRENT_STATE: marked("Each request costs a fixed state"),
    FindingKind.SPARSE_FLOPS: marked("The data sheet counts twice"),
    FindingKind.BIDIRECTIONAL_LINK: marked("The link is sold by both directions"),
    FindingKind.CARD_LABEL: marked("One card, three sizes"),
    FindingKind.ENGINE_SHARE: marked("The engine may not use all of it"),
    FindingKind.STATE_BLOCKS: marked("The engine must prepare for fewer requests"),
    FindingKind.CACHE_OF_CHECKPOINT: marked("The checkpoint asks for a smaller cache"),
    FindingKind.QUEUE: marked("Beyond this, requests wait"),
    FindingKind.DENSE_READS_ALL: marked("Every token reads all weights"),
    FindingKind.MOE_READS_FEW: marked("A token reads few of the experts"),
    FindingKind.KV_QUANTISED: marked("The cache is quantised"),
    FindingKind.GROUPED_HEADS: marked("Heads in groups share the cache"),
    FindingKind.CACHE_KEEPS_ITS_FORMAT: marked("Weights and cache have formats of their own"),
    FindingKind.CONTEXT_IN_USE: marked("Sized for the context in use"),
    FindingKind.STATE_CHECKPOINTS: marked("Reuse of prompts keeps more states"),
    FindingKind.ACTIVATION_PEAK: marked("Reading prompts needs room of its own"),
    FindingKind.WORKSPACE_GROWS: marked("Long prompts need more room than their cache"),
    FindingKind.ENGINE_TAKES_ITS_SHARE: marked("The card will look full"),
    FindingKind.PIPELINE_SAME_LATENCY: marked("A pipeline makes no answer faster"),
    FindingKind.MACHINES_SHARE_READS: marked("Machines share the reading"),
    FindingKind.COLLECTIVE_FALLBACK: marked("The engine falls back to a slower exchange"),
    FindingKind.NO_DIRECT_EXCHANGE: marked("Tokens take the long way to their experts"),
    FindingKind.EXPERTS_UNEVEN: marked("The experts cannot be shared out evenly"),
    FindingKind.BUSIEST_ACCELERATOR: marked("The busiest accelerator sets the pace"),
    FindingKind.HOST_MEMORY: marked("Part of it lies in host memory"),
    FindingKind.PREDICTION_LAYERS: marked("The file holds more than is loaded"),
    FindingKind.IMAGES_LEFT_OUT: marked("The image tower is not loaded"),
    FindingKind.NGRAMS_ON_HOST: marked("Tables of n-grams lie in host memory"),
    FindingKind.SPECULATION_UNCALIBRATED: marked("Guessing ahead is computed, not measured"),
    FindingKind.OWN_MEASUREMENT: marked("Your measurement counts"),
    FindingKind.SPEED_UNKNOWN: marked("The speed is unknown"),
    FindingKind.GUARD: marked("Held at what physics allows"),
    FindingKind.ATTENTION_REPLICAS_FULL_CACHE: marked("Each group keeps whole caches"),
    FindingKind.EVIDENCE_GENERIC: marked("No measurement of anything alike"),
    FindingKind.MODEL_READ_WITH_WARNING: marked("The model was read with a reservation"),
    FindingKind.PRICE_RANGE_WIDE: marked("Quotes lie far apart"),
    FindingKind.PRICE_UNKNOWN: marked("The price is unknown"),
    FindingKind.ARTICLE_MODE: marked("Simplified as in the article"),
    FindingKind.CLOSE_TO_LIMIT: marked("Little room is left"),
    FindingKind.RESERVED_BEYOND: marked("The engine sets more aside than is held"),
    FindingKind.TEXTBOOK_KV: marked("Why a rule of thumb gives another cache"),
    FindingKind.TEXTBOOK_WEIGHTS: marked("Why a rule of thumb gives other weights"),
    FindingKind.CHECKPOINT_JUST_MISSES: marked("The published checkpoint just misses"),
}

SENTENCES = {
    FindingKind.SINGLE_GPU: marked(
        "{first} fit the {second} that one accelerator offers: nothing is exchanged, the simplest way and the best "
        "cost per token."
    ),
    FindingKind.LATENCY_SXM_TP: marked(
        "{weights} of weights are too much for one accelerator. Split over {tensor} that {link} joins, they are read "
        "together; the exchange takes {exchange} of the time."
    ),
    FindingKind.THROUGHPUT_REPLICAS_PIPELINE: marked(
        "Copies: {replicas}; stages of each: {pipeline}. No layer is split, so a token takes {messages} exchanges, for "
        "which PCIe is enough, and every accelerator has work."
    ),
    FindingKind.LONG_CONTEXT_BANDWIDTH: marked(
        "Reading the cache takes longer than reading the weights. Bandwidth helps first, then a model with few KV "
        "heads and a smaller cache format."
    ),
    FindingKind.CAPACITY_UNIFIED_MEMORY: marked(
        "{first} of unified memory: no card that holds this work costs as little. Capacity comes first here, "
        "throughput does not."
    ),
    FindingKind.TP_INSIDE_PP_BETWEEN: marked(
        "Each layer is split over {tensor} accelerators of a machine that {link} joins; between the machines only "
        "{pipeline} stages hand over, for which the network is enough."
    ),
    FindingKind.CO_LOCATE: marked(
        "Embedding model ({first}) and reranker ({second}) leave room for {fits} requests: one card does it all."
    ),
    FindingKind.SPLIT_RETRIEVAL: marked(
        "{first} requests fit beside the retrieval models, {second} without them: give those a card of their own."
    ),
    FindingKind.ENGINE_WITHOUT_DEVICE: marked("{engine} does not run on {device}: choose another engine."),
    FindingKind.ENGINE_WITHOUT_FORMAT: marked("{engine} does not load {subject}: choose another engine or format."),
    FindingKind.SECOND_TIER: marked(
        "{spilled} do not fit into {first_tier} and lie in {second_tier}, which is read at {second_rate} "
        "instead of {first_rate}; every token waits for it."
    ),
    FindingKind.CAPACITY_WITHOUT_BANDWIDTH: marked(
        "{device} holds {capacity} but reads only {first_rate}: large models fit, and write slowly."
    ),
    FindingKind.PCIE_TENSOR_PARALLEL: marked(
        "Tensor parallelism over {link} spends {exchange} of each token on exchange; replicas or a pipeline "
        "exchange far less."
    ),
    FindingKind.TP_WITHOUT_NEED: marked(
        "One accelerator holds the model. {tensor} copies of it would exchange nothing and serve more users than one "
        "model split over {tensor}."
    ),
    FindingKind.SXM_MESH_UNUSED: marked(
        "No layer is split, so the mesh between the accelerators of {device} is idle: price and power pay for it all "
        "the same."
    ),
    FindingKind.SPARK_CLUSTER: marked(
        "{accelerators} machines hold a larger model together, but one answer is written no faster than on one."
    ),
    FindingKind.MLA_REPLICATED: marked(
        "Latent attention has no heads to share out: each of {tensor} accelerators keeps the whole cache, {second} "
        "per request in all."
    ),
    FindingKind.WEIGHT_ONLY_FORMAT: marked(
        "{device} does not compute in {subject}: memory and writing gain from it, reading prompts does not."
    ),
    FindingKind.BEYOND_TRAINED_CONTEXT: marked(
        "The context of {context} is longer than the {trained} that {model} was trained for: it may fit, "
        "but answers get worse."
    ),
    FindingKind.MOE_ACTIVE_RESIDENT: marked(
        "{active} of {total} parameters work on each token, but all of them must lie in memory."
    ),
    FindingKind.HYBRID_HOLDS_LESS: marked(
        "{caching_layers} of {layers} layers keep a cache that grows: {first} per request, where the textbook formula "
        "says {second}."
    ),
    FindingKind.WINDOWS_HOLD_LESS: marked(
        "Layers with a window keep {third} at most: {first} per request, where the textbook formula says {second}."
    ),
    FindingKind.LATENT_HOLDS_LESS: marked(
        "One latent vector per token and layer: {first} per request; keys and values of all heads would take {second}."
    ),
    FindingKind.RECURRENT_STATE: marked(
        "Each request keeps {first} of state, however short it is: {second} for all of them."
    ),
    FindingKind.SPARSE_FLOPS: marked(
        "The data sheet’s {first} leave out half of the numbers; language models compute at {second}."
    ),
    FindingKind.BIDIRECTIONAL_LINK: marked(
        "{subject} is sold as {first}, both directions added; an exchange gets {second} in one."
    ),
    FindingKind.CARD_LABEL: marked(
        "{first} on the label, {second} that software can allocate, {third} that {engine} may use."
    ),
    FindingKind.ENGINE_SHARE: marked(
        "{engine} may use {first} of {second}; weights, the peak of a prompt and the cache must fit that share."
    ),
    FindingKind.STATE_BLOCKS: marked(
        "{engine} prepares for {second} requests, each of which takes a block for its states, but its pool has {first} "
        "blocks: it will not start until it is told to serve {first} at most (--max-num-seqs)."
    ),
    FindingKind.CACHE_OF_CHECKPOINT: marked(
        "The config of this checkpoint asks for a cache in {subject}, which {engine} follows unless it is told "
        "otherwise (--kv-cache-dtype). Here the cache is counted in 16 bit, {first}."
    ),
    FindingKind.DENSE_READS_ALL: marked(
        "{first} of weights are read for every token at {second}: at most {third} for one user."
    ),
    FindingKind.MOE_READS_FEW: marked(
        "A token reads {first} of the {second}, so a mixture may write faster than a smaller dense model."
    ),
    FindingKind.KV_QUANTISED: marked(
        "In {subject} a cached value takes {second}, scales included: {third} in all layers together."
    ),
    FindingKind.GROUPED_HEADS: marked(
        "{second} query heads share {third} KV heads: the cache is {first} times smaller than with a pair for each."
    ),
    FindingKind.CACHE_KEEPS_ITS_FORMAT: marked(
        "Weights in {subject} do not make the cache smaller: it stays at 16 bit, {first}, until it is given a format "
        "of its own."
    ),
    FindingKind.CONTEXT_IN_USE: marked(
        "The cache is sized for {context}, not for the {trained} that {model} allows at most."
    ),
    FindingKind.STATE_CHECKPOINTS: marked(
        "To reuse prompts the engine keeps {first} states per layer and request, from the same pool as the cache."
    ),
    FindingKind.ACTIVATION_PEAK: marked(
        "A chunk of {second} takes {first} while it is read; that room is lost to the cache. A smaller chunk frees it."
    ),
    FindingKind.WORKSPACE_GROWS: marked(
        "While the last {third} of a prompt are read, scores of attention take {first}, the cache only {second}; both "
        "grow with the context. A smaller chunk frees memory."
    ),
    FindingKind.ENGINE_TAKES_ITS_SHARE: marked(
        "{engine} reserves {first} at start-up although {second} are needed: what the card shows is not the need."
    ),
    FindingKind.PIPELINE_SAME_LATENCY: marked(
        "{pipeline} stages hold more and serve more at once, but a token passes through all of them in turn."
    ),
    FindingKind.MACHINES_SHARE_READS: marked(
        "Each of {tensor} accelerators reads its part of {second}, so one answer is written faster, as far as the "
        "exchange over the network allows."
    ),
    FindingKind.COLLECTIVE_FALLBACK: marked(
        "{engine} has a fast exchange of its own for NVLink, and for two accelerators; {second} over {subject} "
        "fall back to NCCL, at {first} and more for each exchange."
    ),
    FindingKind.NO_DIRECT_EXCHANGE: marked(
        "{engine} has no direct way to the experts over {subject}: it brings all tokens together on every accelerator, "
        "which takes {first} a step."
    ),
    FindingKind.EXPERTS_UNEVEN: marked(
        "{first} experts a layer do not go evenly into {second} accelerators: the fullest one holds one more."
    ),
    FindingKind.BUSIEST_ACCELERATOR: marked(
        "Experts are chosen by chance: the busiest of {second} accelerators works {first} times as much as the "
        "average, and the others wait."
    ),
    FindingKind.HOST_MEMORY: marked(
        "{first} of the weights of each accelerator lie in host memory, as you chose; they are read there at {second}."
    ),
    FindingKind.PREDICTION_LAYERS: marked(
        "The file of {second} holds prediction layers that {engine} loads for guessing ahead only: {first} are in "
        "memory."
    ),
    FindingKind.IMAGES_LEFT_OUT: marked(
        "{engine} runs the language model alone: the image tower of {first} stays in the file."
    ),
    FindingKind.NGRAMS_ON_HOST: marked(
        "{engine} looks its tables of n-grams up in host memory by itself: each copy of the model needs {first} there, "
        "and none of it on the accelerators."
    ),
    FindingKind.SPECULATION_UNCALIBRATED: marked(
        "{first} tokens a step follow from your chance of {second} that a guess is kept; no measurement stands behind "
        "this, and the chance differs from text to text."
    ),
    FindingKind.OWN_MEASUREMENT: marked(
        "By your measurements of this machine a user gets {second} rather than the {first} predicted without them."
    ),
    FindingKind.SPEED_UNKNOWN: marked(
        "The catalogue has no computing rate for {device}: only the bound of its memory is known, at most {first} for "
        "one request alone. Measure before you promise."
    ),
    FindingKind.GUARD: marked(
        "More than {first} would follow from what was entered, but {device} cannot do more: bytes over full bandwidth, "
        "operations over full rate. Check the measurement and the rates of the device."
    ),
    FindingKind.ATTENTION_REPLICAS_FULL_CACHE: marked(
        "Attention stands whole in {first} groups: each holds the whole cache of its own requests, {second} for one."
    ),
    FindingKind.EVIDENCE_GENERIC: marked(
        "Neither this device family nor this engine was measured: expect {speed_range}, and measure before you promise."
    ),
    FindingKind.MODEL_READ_WITH_WARNING: marked("{model}: {subject}"),
    FindingKind.PRICE_RANGE_WIDE: marked("Quotes for {device} run from {price_low} to {price_high}: ask for an offer."),
    FindingKind.PRICE_UNKNOWN: marked("The catalogue has no price for {device}; enter yours."),
    FindingKind.ARTICLE_MODE: marked(
        "Computed as in the founding article: capacity as on the label, flat bits per weight, plain cache, "
        "no limit set by the engine."
    ),
    FindingKind.CLOSE_TO_LIMIT: marked(
        "Only {free} stay free below the limit: a longer context or one more companion may no longer fit."
    ),
    FindingKind.RESERVED_BEYOND: marked(
        "{engine} sets {first} aside for a request of {context} that holds {second}: whole blocks, room for prompts "
        "under way, and pages of one size for all layers."
    ),
    FindingKind.TEXTBOOK_KV: marked(
        "The rule of thumb, a full cache in every layer, gives {second} for one request; {model} is built otherwise "
        "and takes {first}."
    ),
    FindingKind.TEXTBOOK_WEIGHTS: marked(
        "Parameters times bits give {second}; with scales, and with the parts kept in higher precision, "
        "the weights take {first}."
    ),
    FindingKind.CHECKPOINT_JUST_MISSES: marked(
        "The checkpoint in {subject}, as it is published, takes {first}: just more than the {second} that can be used."
    ),
}

#: Sentences that say more where a further figure or name is known.
SXM_AGAINST_CARD = marked(
    "No layer is split, so the mesh between the accelerators of {device} is idle. {subject} does without it, at "
    "{third} instead of {second}."
)
SXM_AGAINST_PRICED_CARD = marked(
    "No layer is split, so the mesh between the accelerators of {device} is idle. {subject} does without it, at "
    "{third} instead of {second} and {mesh_card_price} instead of {mesh_price} for each accelerator."
)
UNIFIED_AGAINST_CARD = marked(
    "{first} of unified memory for {own_price}; {subject}, the cheapest card that holds this work, costs {card_price}. "
    "Capacity comes first here, throughput does not."
)
SPARKS_SHARING = marked(
    "{accelerators} machines pool their memory over a link {first} times slower than it: {exchange} of each token is "
    "spent on exchange."
)

#: Sentences about a number of things, with the figure that counts them ("" for the first of the finding).
COUNTED: dict[FindingKind, tuple[str, Callable[[int], str]]] = {
    FindingKind.KV_HEADS_REPLICATED: (
        "",
        lambda number: ngettext(
            "{first} KV head on {tensor} accelerators: it is copied, so the cache takes more memory in all.",
            "{first} KV heads on {tensor} accelerators: heads are copied, so the cache takes more memory in all.",
            number,
        ),
    ),
    FindingKind.HEADS_NOT_DIVISIBLE: (
        "",
        lambda number: ngettext(
            "{first} head cannot be divided among {tensor} accelerators: choose another tensor parallel width.",
            "{first} heads cannot be divided among {tensor} accelerators: choose another tensor parallel width.",
            number,
        ),
    ),
    FindingKind.QUEUE: (
        "max_concurrency",
        lambda number: ngettext(
            "{fits} request of {context} fits at once; a further one waits until it has finished.",
            "{fits} requests of {context} fit at once; a further one waits until another has finished.",
            number,
        ),
    ),
}

#: Where the founding article speaks of this very model, its own figure is named.
ARTICLE_KEY = "article.kv_bytes_per_request"
ARTICLE_KV = marked(
    "The article’s {article_binary} ({article}) for one request do not apply: its example keeps a cache in "
    "{article_layers} layers, {model} in {caching_layers} of its {layers}, which takes {first}."
)
