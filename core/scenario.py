"""What the user chose. A scenario is frozen; an edit makes a new one. It goes to JSON and back without loss."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

SCHEMA_VERSION = 1

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
            raise ValueError("active parameters exceed all parameters")
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
            raise ValueError("give either a model or a number of parameters")
        return self


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


class Plan(Choice):
    """How a model is spread: tensor, pipeline, replicas. tp * pp * replicas = accelerators."""

    tensor: int = Field(default=1, ge=1, le=1024)
    pipeline: int = Field(default=1, ge=1, le=1024)
    replicas: int = Field(default=1, ge=1, le=1024)

    @property
    def ranks(self) -> int:
        return self.tensor * self.pipeline * self.replicas


class Deployment(Choice):
    device: str
    count: int = Field(default=1, ge=1, le=1024)
    nodes: int = Field(default=1, ge=1, le=256)
    link: str | None = None  # None: the best that joins the accelerators
    plan: Plan | None = None  # None: chosen by rule
    engine: str = "vllm"
    memory_share: float | None = Field(default=None, gt=0, le=1)  # None: the engine's default
    runtime_bytes: int | None = Field(default=None, ge=0, le=10**13)  # None: the engine's default
    prefill_chunk: int | None = Field(default=None, ge=16, le=1_000_000)
    capacity_bytes: int | None = Field(default=None, ge=1, le=10**15)  # replaces the first tier's size, per accelerator


class Economics(Choice):
    price: Decimal | None = Field(default=None, ge=0, le=10**12)  # of one device; None: the catalogue's range
    currency: str = Field(default="USD", pattern=r"^[A-Z]{3}$")


class Scenario(Choice):
    """Everything that `core.sizing.size` needs besides the catalogue."""

    schema_version: Literal[1] = 1
    name: Name = "Untitled"
    client: Name = ""
    mode: Mode = Mode.REAL
    model: ModelChoice
    weights: str
    kv_format: str = "fp16"
    companions: tuple[Companion, ...] = Field(default=(), max_length=8)
    workload: Workload = Workload()
    deployment: Deployment
    economics: Economics = Economics()

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
