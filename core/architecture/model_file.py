"""Reading a model from whatever a person opens or drops: a config.json, a GGUF file, a folder of either kind.

What a file is decides its content, not its name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

from core.architecture.blueprint import Blueprint, ReadingNote, TensorClass
from core.architecture.config import name_of, read_config, read_json
from core.architecture.folder import CONFIG, read_folder_config, weigh_folder, with_weights
from core.architecture.gguf import is_gguf, part_names, plain_metadata, read_gguf
from core.architecture.gguf_blueprint import read_gguf_blueprint
from core.architecture.header_stream import listed
from core.architecture.plausible import impossible
from core.architecture.safetensors import is_safetensors
from core.errors import InvalidInput, Phrase, UnsupportedArchitecture, reason_of

MOST_ENTRIES = 100_000  # of a folder that are looked at


class ModelSource(StrEnum):
    """What a model was read from."""

    CONFIG = "config"  # config.json alone: bytes follow from the weight format that is chosen
    FOLDER = "folder"  # config.json with the weights beside it
    GGUF = "gguf"


@dataclass(frozen=True, slots=True)
class ImportedModel:
    """A model that was read from files, and what they say about its weights."""

    source: ModelSource
    blueprint: Blueprint  # with its quantisation: the bits of each class come out of the exact bytes
    config: Mapping[str, Any]  # config.json; empty for GGUF
    metadata: Mapping[str, Any] = field(default_factory=dict)  # GGUF fields without vocabulary and prompts
    weight_bytes: Mapping[TensorClass, int] | None = None  # of the tensors; None: the files do not hold them
    file_bytes: int | None = None  # of all weight files, headers included
    repository: str = ""  # where the file says that it comes from

    @property
    def format_id(self) -> str:
        """The catalogue's weight format that fits; empty where the files do not say."""
        return self.blueprint.quantisation.format_id if self.blueprint.quantisation else ""

    @property
    def notes(self) -> tuple[ReadingNote, ...]:
        """What was read with less than full certainty."""
        return self.blueprint.warnings


def read_model(path: Path | str, *, assume_conventional: bool = True) -> ImportedModel:
    """Read a model from a file or a folder.

    An unknown architecture in a config.json is read as a conventional decoder, with a note, unless
    `assume_conventional` is off.
    Raises `InvalidInput` or `UnsupportedArchitecture`, with a sentence that names the file and, where there is one,
    the field.
    """
    path = Path(path)
    imported = _read(path, assume_conventional)
    wrong = impossible(imported.blueprint)
    if wrong:  # each field is possible by itself, not what follows from all of them
        raise InvalidInput("{path} describes no model that can be: {wrong}.", path=path.name, wrong=wrong)
    return imported


def _read(path: Path, assume_conventional: bool) -> ImportedModel:
    try:
        if path.is_dir():
            return _read_folder(path, assume_conventional)
        start = _start(path)
    except OSError as error:
        raise InvalidInput("{file} cannot be read: {reason}.", file=path.name, reason=reason_of(error)) from error
    except ValueError as error:  # a zero byte in the name
        raise InvalidInput("This is not the name of a file.") from error
    if is_gguf(start):
        return _read_gguf(path)
    if is_safetensors(start):
        return _beside_weights(path, assume_conventional)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" or (start and path.suffix.lower() == ".json"):
        return _read_json_file(path, assume_conventional)
    raise InvalidInput("{path} {what_else}", path=path.name, what_else=_what_else(start))


def _start(path: Path) -> bytes:
    if not path.exists():
        raise InvalidInput("{file} does not exist.", file=path.name or path)
    if not path.is_file():
        raise InvalidInput("{file} is not a file.", file=path.name or path)
    with path.open("rb") as stream:
        return stream.read(256)


def _what_else(start: bytes) -> Phrase:
    """What a file is that is no model file."""
    if not start:
        return Phrase("is empty.")
    if start.startswith(b"version https://git-lfs"):
        return Phrase("is only a Git LFS pointer to the file; download the file itself.")
    if start.startswith((b"PK\x03\x04", b"\x80\x02")):
        return Phrase("is a PyTorch or ZIP file; Tonnage reads config.json, safetensors and GGUF.")
    if start.startswith((b"ggml", b"lmgg", b"fmgg", b"tjgg")):
        return Phrase("is of a GGML format from before GGUF, which no engine loads any more.")
    return Phrase("is not a model file: Tonnage reads config.json, safetensors and GGUF.")


# ------------------------------------------------------------------------------------------------------------ GGUF


def _read_gguf(path: Path) -> ImportedModel:
    file = read_gguf(path)
    blueprint = read_gguf_blueprint(file)
    metadata = dict(plain_metadata(file.metadata))
    repository = metadata.get("general.repo_url") or metadata.get("general.source.repo_url") or ""
    return ImportedModel(
        source=ModelSource.GGUF,
        blueprint=blueprint,
        config={},
        metadata=metadata,
        weight_bytes=_bytes(blueprint),
        file_bytes=file.file_bytes,
        repository=repository if isinstance(repository, str) else "",
    )


def _bytes(blueprint: Blueprint) -> dict[TensorClass, int]:
    """Bytes of each class: parameters * bits / 8, which is exact for what was read from weight files."""
    if blueprint.quantisation is None:
        return {}
    bits = blueprint.quantisation.bits
    return {kind: round(count * bits[kind] / 8) for kind, count in blueprint.parameters.items()}


# ---------------------------------------------------------------------------------------------------- Hugging Face


def _read_json_file(path: Path, assume_conventional: bool) -> ImportedModel:
    if path.name.endswith(".index.json"):  # of a sharded model: larger than any config
        return _beside_weights(path, assume_conventional)
    config = read_json(path)
    if path.name == CONFIG:
        config = read_folder_config(path.parent)
    blueprint = read_config(config, name_of(path), file=path.name, assume_conventional=assume_conventional)
    return ImportedModel(ModelSource.CONFIG, blueprint, config)


def _beside_weights(path: Path, assume_conventional: bool) -> ImportedModel:
    """The model that a weight file or an index belongs to."""
    if path.name.startswith("adapter_"):
        raise UnsupportedArchitecture("{path} is an adapter, not a model; open the model's own folder.", path=path.name)
    if not (path.parent / CONFIG).is_file():
        raise InvalidInput(
            "{path} holds weights only; Tonnage also needs the {config} that belongs beside it.",
            path=path.name,
            config=CONFIG,
        )
    return _read_folder(path.parent, assume_conventional)


def _read_folder(folder: Path, assume_conventional: bool) -> ImportedModel:
    if not (folder / CONFIG).is_file():
        return _read_gguf(_only_gguf(folder))
    config = read_folder_config(folder)
    blueprint = read_config(config, name_of(folder / CONFIG), assume_conventional=assume_conventional)
    weights = weigh_folder(folder, config, blueprint)
    if weights is None:
        return ImportedModel(ModelSource.CONFIG, blueprint, config)
    blueprint = with_weights(blueprint, weights)
    stored = {kind: weights.bytes[kind] for kind in TensorClass if weights.bytes[kind]}
    return ImportedModel(ModelSource.FOLDER, blueprint, config, weight_bytes=stored, file_bytes=weights.bytes.total())


def _only_gguf(folder: Path) -> Path:
    """The one GGUF model in a folder; the image parts that lie beside models are none."""
    entries = islice(folder.iterdir(), MOST_ENTRIES)
    found = sorted(e.name for e in entries if e.name.lower().endswith(".gguf") and "mmproj" not in e.name.lower())
    models = {part_names(name)[0]: name for name in reversed(found)}
    if not models:
        raise InvalidInput("{folder} holds neither a {config} nor a GGUF model.", folder=folder.name, config=CONFIG)
    if len(models) > 1:
        raise InvalidInput(
            "{folder} holds {count} GGUF models: {listed}. Open one of them.",
            folder=folder.name,
            count=len(models),
            listed=listed(sorted(models), 4),
        )
    return folder / next(iter(models.values()))
