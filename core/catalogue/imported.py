"""From a model that was read from files to a record of the user's own."""

from core.architecture.model_file import ImportedModel, ModelSource
from core.catalogue.catalogue import Catalogue
from core.catalogue.records import Checkpoint, Confidence, Model, ModelRole, Source, WeightFormat


def model_record(imported: ImportedModel, id: str, file: str, catalogue: Catalogue) -> Model:
    """The record of an imported model, small and whole enough to be kept and sent.

    A config.json alone is kept as it is. Where the weights were weighed, the blueprint is kept beside it, and a
    checkpoint whose bits per class give back the bytes of the files. No vocabulary is kept.

    Parameters
    ----------
    imported : what `core.architecture.model_file.read_model` returned
    id : of the record, which is free
    file : the name of the file or folder, for the source
    catalogue : where weight formats are looked up
    """
    blueprint, source = imported.blueprint, Source(title=file[:120] or id, confidence=Confidence.YOURS)
    weighed = imported.source is not ModelSource.CONFIG
    return Model(
        id=id,
        name=blueprint.name.strip()[:120] or file[:120] or id,
        role=ModelRole.EMBEDDING if blueprint.is_encoder else ModelRole.GENERATOR,
        config=imported.config,
        blueprint=blueprint if weighed else None,
        checkpoints=(_checkpoint(imported, source, catalogue),) if weighed else (),
        sources={"": source},
    )


def weight_format(imported: ImportedModel, catalogue: Catalogue) -> str:
    """The catalogue's weight format of an imported model; the nearest of its kind where its own is not listed.

    Empty where the files do not say, as a config.json without quantisation.
    """
    stated = imported.format_id
    if not stated or stated in catalogue.weight_formats:
        return stated
    container = "gguf" if imported.source is ModelSource.GGUF else "safetensors"
    wanted = _average_bits(imported)
    same_kind = [f for f in catalogue.weight_formats.values() if f.container == container and not f.flat]
    return min(same_kind, key=lambda one: _distance(one, wanted)).id if same_kind else ""


def _distance(one: WeightFormat, bits: float) -> tuple[float, str]:
    return abs(one.bits - bits), one.id


def _average_bits(imported: ImportedModel) -> float:
    parameters = sum(imported.blueprint.parameters.values())
    return sum((imported.weight_bytes or {}).values()) * 8 / max(parameters, 1)


def _checkpoint(imported: ImportedModel, source: Source, catalogue: Catalogue) -> Checkpoint:
    quantisation = imported.blueprint.quantisation
    return Checkpoint(
        weights=weight_format(imported, catalogue),
        repository=imported.repository[:200],
        bits=quantisation.bits if quantisation is not None else {},
        file_bytes=imported.file_bytes,
        source=source,
    )
