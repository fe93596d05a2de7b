"""What the user chose. A scenario is frozen; an edit makes a new one. It goes to JSON and back without loss."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from core.day import Day
from core.errors import Phrase

SCHEMA_VERSION = 1

#: In one deployment: 1,024 racks in each of 256 places, with some room.
MOST_ACCELERATORS = 2**25

Name = Annotated[str, Field(max_length=200)]
Tokens = Annotated[int, Field(ge=1, le=1_000_000_000)]


class Choice(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Mode(StrEnum):
    """Reality, or the founding article's simplifications (shown as such wherever the scenario is shown)."""

    REAL = "real"
    ARTICLE = "article"  # label capacity, flat bits per weight, logical cache, no engine limit


class CatalogueModel(Choice):
    """A model of the catalogue, shipped or imported."""

    kind: Literal["catalogue"] = "catalogue"
    id: str


class TextbookModel(Choice):
    """A model given by the few numbers of the textbook formula."""

    kind: Literal["textbook"] = "textbook"
    name: Name
    parameters: int = Field(ge=1, le=10**15)
    active_parameters: int = Field(ge=1, le=10**15)
    layers: int = Field(ge=1, le=10_000)
    kv_heads: int = Field(ge=1, le=100_000)
    head_dim: int = Field(ge=1, le=100_000)
    query_heads: int | None = Field(default=None, ge=1, le=100_000)  # None: as many as KV heads
    trained_context: int = Field(default=0, ge=0)  # 0: not known

    @model_validator(mode="after")
    def _active_within_total(self) -> Self:
        if self.active_parameters > self.parameters:
            raise ValueError(Phrase("Active parameters cannot exceed all parameters."))
        return self


ModelChoice = Annotated[CatalogueModel | TextbookModel, Field(discriminator="kind")]


class CompanionRole(StrEnum):
    EMBEDDING = "embedding"
    RERANKER = "reranker"


class Placement(StrEnum):
    SAME_CARD = "same_card"
    SECOND_CARD = "second_card"  # a card of its own, not sized here
    CPU = "cpu"


class Companion(Choice):
    """An embedding model or reranker: from the catalogue, or a number of parameters."""

    role: CompanionRole
    model: str | None = None  # catalogue id
    parameters: int | None = Field(default=None, ge=1, le=10**13)
    weights: str = "fp8"
    placement: Placement = Placement.SAME_CARD

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.model is None) == (self.parameters is None):
            raise ValueError(Phrase("Give either a model or a number of parameters."))
        return self


class Use(StrEnum):
    """What the model is used for; each has a preset with sources in `core.sizing.presets`."""

    CHAT = "chat"
    RAG = "rag"
    CODE = "code"
    SUMMARY = "summary"
    AGENT = "agent"


class Demand(Choice):
    """How often the users ask. What is left open takes the figure that plans usually take, shown as an estimate."""

    daily_share: float | None = Field(default=None, gt=0, le=1)  # of the users who ask anything on a working day
    requests_per_day: float | None = Field(default=None, gt=0, le=100_000)  # of each of those
    days_per_year: float | None = Field(default=None, gt=0, le=366)
    busy_hour_share: float | None = Field(default=None, ge=1 / 24, le=1)  # of a day's requests in its busiest hour
    burst_factor: float | None = Field(default=None, ge=1, le=100)  # busiest minute against the busiest hour's mean


class Retrieval(Choice):
    """What every request asks of the embedding model and the reranker before the model reads."""

    question_tokens: int = Field(default=50, ge=1, le=100_000)
    passages: int = Field(default=20, ge=0, le=10_000)  # that the reranker puts in order
    passage_tokens: int = Field(default=450, ge=1, le=100_000)


class Workload(Choice):
    users: int = Field(default=1, ge=1, le=100_000_000)
    active_share: float = Field(default=1.0, gt=0, le=1)  # of the users, at the peak, with a request in flight
    requests_at_once: int | None = Field(default=None, ge=1, le=10_000_000)  # None: users * active_share, rounded up
    prompt_tokens: Tokens | None = None  # None: prompts fill the context
    output_tokens: Tokens = 512
    context_tokens: Tokens = 32_768  # the limit per request
    prefix_hit_share: float = Field(default=0.0, ge=0, le=1)
    start_together: bool = False  # all requests are sent at the same moment, as load tests do
    ttft_target_s: float | None = Field(default=None, gt=0, le=86_400)
    speed_target: float | None = Field(default=None, gt=0, le=1e6)  # [tok/s] per user
    reserve_share: float = Field(default=0.0, ge=0, le=10)  # growth reserve on requests at once
    use: Use | None = None  # the preset that the figures were taken from
    demand: Demand = Demand()
    prompt_tail_tokens: Tokens | None = None  # 99 of 100 prompts are shorter; the mean is `prompt_tokens`
    output_tail_tokens: Tokens | None = None
    retrieval: Retrieval | None = None  # None: no traffic of retrieval models is counted
    target_percentile: float = Field(default=0.5, ge=0.5, le=0.99)  # how sure it shall be that the targets are met


class Plan(Choice):
    """How a model is spread. tensor * attention_replicas * pipeline * replicas = accelerators.

    tensor               accelerators that share the attention of each layer (vLLM: --tensor-parallel-size)
    pipeline             stages of layers, one after another (llama.cpp: -sm layer)
    replicas             independent copies of the model
    attention_replicas   groups of one copy that each hold all attention and the cache of their own requests, and share
                         the experts (vLLM: --data-parallel-size; SGLang: --enable-dp-attention)
    expert               accelerators over which whole experts are spread (vLLM: --enable-expert-parallel); 1: each
                         expert is divided among all that share a layer
    """

    tensor: int = Field(default=1, ge=1, le=1024)
    pipeline: int = Field(default=1, ge=1, le=MOST_ACCELERATORS)
    replicas: int = Field(default=1, ge=1, le=MOST_ACCELERATORS)
    attention_replicas: int = Field(default=1, ge=1, le=1024)
    expert: int = Field(default=1, ge=1, le=1024)

    @model_validator(mode="after")
    def _experts_over_whole_groups(self) -> Self:
        if self.stage_ranks % self.expert:
            raise ValueError(
                Phrase(
                    "Experts cannot be spread over {expert} of the {ranks} accelerators that share a layer.",
                    {"expert": self.expert, "ranks": self.stage_ranks},
                )
            )
        return self

    @property
    def stage_ranks(self) -> int:
        """Accelerators that share a layer of one copy."""
        return self.tensor * self.attention_replicas

    @property
    def copy_ranks(self) -> int:
        """Accelerators that hold one copy."""
        return self.stage_ranks * self.pipeline

    @property
    def groups(self) -> int:
        """Groups that each hold the caches of their own requests."""
        return self.attention_replicas * self.replicas

    @property
    def ranks(self) -> int:
        return self.copy_ranks * self.replicas

    @property
    def spreads_experts(self) -> bool:
        """Do the experts lie otherwise than tensor parallelism alone would have them?"""
        return self.attention_replicas > 1 or self.expert > 1


class Host(Choice):
    """The memory beside the accelerator: of a CPU of the catalogue, or as given."""

    device: str | None = None
    bandwidth_bytes_per_s: float | None = Field(default=None, gt=0, le=1e14)
    capacity_bytes: int | None = Field(default=None, ge=1, le=10**15)

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.device is None and (self.bandwidth_bytes_per_s is None or self.capacity_bytes is None):
            raise ValueError(Phrase("Give a CPU of the catalogue, or bandwidth and capacity of the host memory."))
        return self


class Speculation(Choice):
    """Tokens guessed ahead and checked together: by a draft model, or by the model's own prediction layer."""

    acceptance: float = Field(ge=0, lt=1)  # chance that a guessed token is kept, each like the other
    draft_model: str | None = None  # of the catalogue; None: the model's own prediction layer
    draft_weights: str = "bf16"


class Deployment(Choice):
    device: str
    count: int = Field(default=1, ge=1, le=1024)
    nodes: int = Field(default=1, ge=1, le=256)
    link: str | None = None  # None: the best that joins the accelerators
    plan: Plan | None = None  # None: chosen by rule
    engine: str = "vllm"
    release: str | None = Field(
        default=None, pattern=r"^\d{1,4}(\.\d{1,4}){1,2}$"
    )  # of the engine, or its year.month; None: the catalogue's
    memory_share: float | None = Field(default=None, gt=0, le=1)  # None: the engine's default
    runtime_bytes: int | None = Field(default=None, ge=0, le=10**13)  # None: the engine's default
    prefill_chunk: int | None = Field(default=None, ge=16, le=1_000_000)
    capacity_bytes: int | None = Field(default=None, ge=1, le=10**15)  # replaces the first tier's size, per accelerator
    # how the engine keeps its cache; None: its own default for the model
    kv_block_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    prefix_caching: bool | None = None
    state_bits: Literal[16, 32] | None = None  # of matrices of recurrent states (mamba_ssm_cache_dtype)
    states_kept: Literal["align", "all"] | None = None  # of a prefix: at its end, or of every block (mamba_cache_mode)
    max_requests: int | None = Field(default=None, ge=1, le=1_000_000)  # that it prepares for (vLLM: max_num_seqs)
    batches_in_flight: int | None = Field(default=None, ge=1, le=64)  # prompt chunks under way at the same time
    admission_steps: int = Field(default=1, ge=1, le=1000)  # between two looks for new requests (SGLang: recv-interval)
    graphs: bool = True  # CUDA graphs are recorded, and counted in the engine's share
    full_windows: bool = False  # layers with a window keep every token (llama.cpp: --swa-full)
    full_latents: bool | None = None  # latent attention kept head by head; None: as the release of llama.cpp does
    shared_slots: bool = False  # llama.cpp: one cache for all requests (--kv-unified) in place of one for each
    context_parallel: int = Field(default=1, ge=1, le=1024)  # ranks that share out a context (vLLM: dcp)
    draft_tokens: int = Field(default=0, ge=0, le=64)  # guessed ahead per step by the model's own prediction layer
    speculation: Speculation | None = None  # what `draft_tokens` gain and cost
    # where weights lie beside the accelerators; None and zeros: what does not fit spills, as far as the engine can
    host: Host | None = None
    host_layers: int = Field(default=0, ge=0, le=10_000)  # llama.cpp: layers + 1 - ngl, the head being the last
    host_expert_layers: int = Field(default=0, ge=0, le=10_000)  # layers whose experts lie there (--n-cpu-moe)
    all_to_all: bool | None = None  # tokens to experts by direct exchange (DeepEP); None: the engine's default

    @model_validator(mode="after")
    def _placed_somewhere(self) -> Self:
        if self.host is None and (self.host_layers or self.host_expert_layers):
            raise ValueError(Phrase("Layers in host memory need a host: give its bandwidth and capacity, or a CPU."))
        if self.speculation is not None and not self.draft_tokens:
            raise ValueError(Phrase("Speculative decoding needs the number of tokens guessed ahead."))
        return self


class Measured(StrEnum):
    """What a measurement of the user's own is a measurement of."""

    DECODE = "decode"  # tokens/s of one user
    PREFILL = "prefill"  # prompt tokens/s of one request alone
    FIRST_TOKEN = "first_token"  # [s]
    THROUGHPUT = "throughput"  # tokens/s of all users together


class Measurement(Choice):
    """A speed that was measured on the user's own machine, with the conditions; None means: as in the scenario."""

    figure: Measured
    value: float = Field(gt=0, le=1e12)
    device: str | None = None
    count: int | None = Field(default=None, ge=1, le=1024)
    engine: str | None = None
    model: str | None = None  # catalogue id
    weights: str | None = None
    prompt_tokens: Tokens | None = None  # those in the cache already included
    cached_tokens: int = Field(default=0, ge=0, le=1_000_000_000)
    output_tokens: Tokens | None = None
    requests_at_once: int = Field(default=1, ge=1, le=10_000_000)
    title: Name = ""  # what it was measured with
    date: str = Field(default="", max_length=40)

    @model_validator(mode="after")
    def _cached_within_prompt(self) -> Self:
        if self.cached_tokens and self.cached_tokens > (self.prompt_tokens or 0):
            raise ValueError(Phrase("More tokens are in the cache than the prompt has."))
        return self


Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
Money = Annotated[Decimal, Field(ge=0, le=10**12)]
Share = Annotated[Decimal, Field(ge=0, le=10)]


class LineKind(StrEnum):
    """What a line of the bill of materials buys."""

    CARDS = "cards"
    HOST = "host"
    MEMORY = "memory"
    STORAGE = "storage"
    NETWORK = "network"
    RACK = "rack"
    POWER = "power"
    COOLING = "cooling"
    SERVICES = "services"
    SOFTWARE = "software"
    OTHER = "other"


class CostLine(Choice):
    """A line of the bill of materials, or with `yearly` of the running cost.

    The price is the one typed in, else that of a fact of the catalogue; a line with neither is open.
    """

    kind: LineKind
    name: Name = ""
    quantity: Decimal = Field(default=Decimal(1), ge=0, le=10**6)
    price: Money | None = None  # of one, net
    currency: Currency | None = None  # None: the scenario's
    dated: Day = ""
    fact: str | None = None  # id of a price in the catalogue
    yearly: bool = False


class ExchangeRate(Choice):
    """What one euro costs in a currency, and when."""

    currency: Currency
    per_euro: Decimal = Field(gt=0, le=10**9)
    dated: Day = ""


class CloudChoice(Choice):
    """The same accelerators, rented by the hour."""

    name: Name = ""
    price: Money | None = None  # of one accelerator and hour
    currency: Currency | None = None
    fact: str | None = None
    hours: Decimal = Field(default=Decimal(8760), gt=0, le=8784)  # of the year
    extra_share: Share = Decimal("0.3")  # storage, egress, idle time


class ApiChoice(Choice):
    """A hosted model, paid by the token."""

    name: Name = ""
    input_price: Money | None = None  # of a million tokens
    output_price: Money | None = None
    cached_price: Money | None = None  # None: as any other input
    currency: Currency | None = None
    offer: str | None = None  # "llama-3.3-70b.ovhcloud"
    cached_share: float = Field(default=0.0, ge=0, le=1)  # of the prompt that the provider bills as cached


class Economics(Choice):
    """Prices and terms. What is left open is taken from the catalogue, with its source, date and age."""

    price: Decimal | None = Field(default=None, ge=0, le=10**12)  # of one device; None: the catalogue's range
    currency: str = Field(default="USD", pattern=r"^[A-Z]{3}$")
    region: str = Field(default="", pattern=r"^([A-Z]{2}|world)?$")  # of the client: "FR", "EU"; empty: not said
    priced_on: Day = ""  # the day of the offer, from which the age of prices counts
    lines: tuple[CostLine, ...] | None = Field(default=None, max_length=200)  # None: proposed by rule
    further_lines: tuple[CostLine, ...] = Field(default=(), max_length=200)  # beside those: services, software
    sites: int = Field(default=1, ge=1, le=10)  # places that each get everything that is proposed
    exchange: tuple[ExchangeRate, ...] = Field(default=(), max_length=50)
    contingency_share: Share = Decimal(0)
    installation_share: Share | None = None  # of the hardware
    term_years: Decimal | None = Field(default=None, ge=1, le=30)
    capital_cost: Share | None = None  # a year
    residual_share: Share = Decimal(0)  # of the hardware, at the end of the term
    maintenance_share: Share | None = None  # of the hardware, a year
    electricity_price: Money | None = None  # of a kilowatt-hour
    pue: float | None = Field(default=None, ge=1, le=5)
    idle_power_w: float | None = Field(default=None, ge=0, le=10**8)  # of everything, at the wall
    busy_power_w: float | None = Field(default=None, ge=0, le=10**8)
    colocation_price: Money | None = None  # of a kilowatt and month; None: at the client's
    staff_posts: Decimal | None = Field(default=None, ge=0, le=1000)
    staff_salary: Money | None = None  # of a post and year
    margin_share: Share = Decimal(0)  # on the price of what is bought
    vat_share: Share | None = None  # None: the region's rate, where it is known
    validity_days: int | None = Field(default=None, ge=0, le=3650)
    cloud: tuple[CloudChoice, ...] | None = Field(default=None, max_length=50)  # None: by rule, from the catalogue
    api: tuple[ApiChoice, ...] | None = Field(default=None, max_length=50)  # None: whoever serves this model
    grid_carbon_g: float | None = Field(default=None, ge=0, le=5000)  # of CO2e per kilowatt-hour
    embodied_kg: float | None = Field(default=None, ge=0, le=10**8)  # of CO2e, everything


class Scenario(Choice):
    """Everything that `core.sizing.size` needs besides the catalogue."""

    schema_version: Literal[1] = 1
    name: Name = "Untitled"
    client: Name = ""
    mode: Mode = Mode.REAL
    model: ModelChoice
    weights: str
    kv_format: str = "fp16"
    kv_value_format: str | None = None  # of the values where they differ from the keys (llama.cpp)
    companions: tuple[Companion, ...] = Field(default=(), max_length=8)
    workload: Workload = Workload()
    deployment: Deployment
    economics: Economics = Economics()
    measurements: tuple[Measurement, ...] = Field(default=(), max_length=64)

    def edited(self, **changes: Any) -> "Scenario":
        """A new, validated scenario with `section__field` or `field` replaced.

        >>> s = Scenario(model=CatalogueModel(id="m"), weights="fp8", deployment=Deployment(device="d"))
        >>> s.edited(workload__users=40, kv_format="fp8").workload.users
        40
        """
        data = self.model_dump()
        for path, value in changes.items():
            target = data
            *parents, last = path.split("__")
            for parent in parents:
                target = target[parent]
            target[last] = value.model_dump() if isinstance(value, BaseModel) else value
        return Scenario.model_validate(data)
