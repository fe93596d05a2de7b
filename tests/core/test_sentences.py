"""What is said about a sizing: whole sentences, with its numbers, in three languages."""

from enum import StrEnum

import pytest

from core.architecture.blueprint import NoteKind
from core.architecture.fields import Fields
from core.catalogue.records import Confidence
from core.errors import InvalidInput
from core.language import sentences
from core.language.findings import finding_sentence, finding_title
from core.language.messages import LANGUAGES, in_language
from core.scenario import CompanionRole, Mode, Placement
from core.sizing.memory import SEARCH
from core.sizing.report import Cause, Evidence, Finding, FindingKind, Limit, MemoryKind, Verdict, Weight
from core.trace import Origin, OriginKind
from core.units import Unit
from tests.desktop.fixed_sizing import Card, close, fixed_sizing, huge, second_tier, speed_unknown, too_much


def said(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u202f", " ")


@pytest.mark.parametrize(
    ("language", "fits", "does_not"),
    [
        (
            "en",
            "Fits: 21 requests at once at 256K context",
            "Does not fit: room for 10 of 12 requests at 512K context",
        ),
        (
            "de",
            "Passt: 21 Anfragen gleichzeitig bei 256K Kontext",
            "Passt nicht: Platz für 10 von 12 Anfragen bei 512K Kontext",
        ),
        (
            "fr",
            "Tient : 21 requêtes à la fois à 256K de contexte",
            "Ne tient pas : place pour 10 requêtes sur 12 à 512K de contexte",
        ),
    ],
)
def test_verdict(language: str, fits: str, does_not: str) -> None:
    with in_language(language):
        assert said(sentences.verdict(fixed_sizing())) == fits
        assert said(sentences.verdict(too_much())) == does_not


def test_verdict_of_the_other_cases() -> None:
    assert said(sentences.verdict(close())) == "Just fits: 21 requests at once at 256K context"
    assert said(sentences.verdict(huge())) == "Does not fit: 1,082.3 TB too much"
    one = fixed_sizing()
    one.trace.given("max_concurrency", 1, one.trace.entry("max_concurrency").unit)
    assert said(sentences.verdict(one)) == "Fits: 1 request at once at 256K context"


def test_second_sentence() -> None:
    fits, not_at_all = sentences.verdict_reason(fixed_sizing()), sentences.verdict_reason(too_much())
    assert said(fits) == "You need 12 requests; 25.2 GB stay free. Speed is set by: memory bandwidth."
    assert said(not_at_all) == "7.0 GB short: 12 requests need 99.4 GB, the engine may use 92.4 GB."
    with in_language("de"):
        text = said(sentences.verdict_reason(fixed_sizing()))
    assert text == "Sie brauchen 12 Anfragen; 25,2 GB bleiben frei. Was das Tempo begrenzt: Speicherbandbreite."


@pytest.mark.parametrize(
    ("language", "one", "many"),
    [
        ("en", "You need 1 request; ", "You need 2 requests; "),
        ("de", "Sie brauchen 1 Anfrage; ", "Sie brauchen 2 Anfragen; "),
        ("fr", "Il vous faut 1 requête ; ", "Il vous faut 2 requêtes ; "),
    ],
)
def test_numbers_and_verbs_agree(language: str, one: str, many: str) -> None:
    with in_language(language):
        for users, start in ((1, one), (2, many)):
            assert said(sentences.verdict_reason(fixed_sizing(Card(users=users, active=1.0)))).startswith(start)


@pytest.mark.parametrize(
    ("language", "one", "many"),
    [
        ("en", "1 request needs 4", "2 requests need 4"),
        ("de", "1 Anfrage braucht 4", "2 Anfragen brauchen 4"),
        ("fr", "1 requête demande 4", "2 requêtes demandent 4"),
    ],
)
def test_what_is_too_much_for_one_request_and_for_several(language: str, one: str, many: str) -> None:
    with in_language(language):
        for users, part in ((1, one), (2, many)):
            sizing = fixed_sizing(Card(weights=480e9, users=users, active=1.0, embedding=0, reranker=0))
            assert part in said(sentences.verdict_reason(sizing))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", [FindingKind.QUEUE, FindingKind.KV_HEADS_REPLICATED, FindingKind.HEADS_NOT_DIVISIBLE])
def test_findings_about_one_thing_and_about_several(kind: FindingKind, language: str) -> None:
    sizing, texts = fixed_sizing(), []
    for number in (1, 2, 21):
        sizing.trace.given("max_concurrency", number, Unit.REQUEST)
        sizing.trace.given("heads", number, Unit.COUNT)
        with in_language(language):
            texts.append(said(finding_sentence(Finding(kind, Weight.NOTE, ("heads",)), sizing)))
    assert all(text.startswith(f"{number} ") for text, number in zip(texts, (1, 2, 21), strict=True))
    one, two, many = (text.split(" ", 1)[1] for text in texts)
    assert two == many != one


@pytest.mark.parametrize(
    ("language", "short", "long"),
    [
        ("en", "Fits; speed unknown", "Room for 21 requests at 256K, you need 12. Its computing rate is not in"),
        ("de", "Passt; Tempo unbekannt", "Platz für 21 Anfragen zu 256K, Sie brauchen 12. Die Rechenleistung steht"),
        (
            "fr",
            "Tient ; vitesse inconnue",
            "Place pour 21 requêtes de 256K, il vous en faut 12. La puissance de calcul",
        ),
    ],
)
def test_an_unknown_speed_is_said_with_what_is_known(language: str, short: str, long: str) -> None:
    with in_language(language):
        assert said(sentences.verdict(speed_unknown())) == short
        assert said(sentences.verdict_reason(speed_unknown())).startswith(long)
        assert "112 tok/s" in said(sentences.verdict_reason(speed_unknown()))
    full = fixed_sizing(Card(speed_unknown=True, context=524_288))
    assert sentences.verdict(full).startswith("Does not fit")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", FindingKind)
def test_every_finding_has_a_title_and_a_sentence(kind: FindingKind, language: str) -> None:
    sizing = second_tier()
    figures = ("kv_bytes_per_request", "textbook.kv_bytes_per_request")
    subject = "vision_not_counted:siglip" if kind is FindingKind.MODEL_READ_WITH_WARNING else "NVFP4"
    with in_language(language):
        sentence = finding_sentence(Finding(kind, Weight.NOTE, figures, subject), sizing)
        assert finding_title(kind)
    assert "{" not in sentence
    assert sentence.endswith(".")


def test_findings_carry_their_numbers() -> None:
    sizing = fixed_sizing()
    textbook = Finding(FindingKind.TEXTBOOK_KV, Weight.NOTE, ("kv_bytes_per_request", "textbook.kv_bytes_per_request"))
    assert said(finding_sentence(textbook, sizing)) == (
        "The rule of thumb, a full cache in every layer, gives 12.9 GB for one request; "
        "Qwen3.6-35B-A3B is built otherwise and takes 2.7 GB."
    )
    spilled = said(finding_sentence(Finding(FindingKind.SECOND_TIER, Weight.WARNING), second_tier()))
    assert "112.0 GB do not fit" in spilled
    assert "396 GB/s instead of 8,000 GB/s" in spilled


def test_missing_number_is_a_word() -> None:
    unpriced = finding_sentence(Finding(FindingKind.PRICE_RANGE_WIDE, Weight.NOTE), fixed_sizing())
    assert "from unknown to unknown" in unpriced
    unweighed = finding_sentence(Finding(FindingKind.TEXTBOOK_WEIGHTS, Weight.NOTE), fixed_sizing())
    assert "give unknown" in unweighed
    assert "take unknown" in unweighed


NAMES = {
    Verdict: sentences.verdict_word,
    MemoryKind: sentences.memory_kind,
    Cause: sentences.cause,
    Limit: sentences.limit,
    Evidence: sentences.evidence,
    Confidence: sentences.confidence,
    OriginKind: sentences.origin,
    Placement: sentences.placement,
    CompanionRole: sentences.companion_role,
    Mode: sentences.mode,
}


@pytest.mark.parametrize("kind", NAMES)
def test_every_member_has_its_own_word(kind: type[StrEnum]) -> None:
    words = [NAMES[kind](member) for member in kind]  # type: ignore[operator]
    assert len(set(words)) == len(words)
    assert all(words)


def test_causes_and_evidence_are_explained() -> None:
    assert len({sentences.cause_reason(kind) for kind in Cause}) == len(Cause)
    assert all(sentences.evidence_meaning(level).endswith(".") for level in Evidence)


def test_reading_notes_are_translated() -> None:
    assert sentences.reading_note(NoteKind.VISION_NOT_COUNTED, "siglip") == "The image tower (siglip) is not counted."
    with in_language("de"):
        note = sentences.reading_note(NoteKind.VISION_NOT_COUNTED, "siglip")
    assert note == "Der Bildteil (siglip) ist nicht mitgezählt."


def test_a_refused_file_is_named_with_its_reason() -> None:
    text = sentences.import_failed("config.json", InvalidInput("“hidden_size” is missing.", "hidden_size"))
    assert text == "“config.json” was not imported: “hidden_size” is missing. The scenario is unchanged."


def test_hardware_with_its_count() -> None:
    assert sentences.device_with_count("DGX Spark", 2) == "2 × DGX Spark"
    assert sentences.device_with_count("DGX Spark", 1) == "DGX Spark"


def test_confidence_in_the_users_own_words_stays() -> None:
    assert sentences.confidence("two_sources") == "two sources"
    assert sentences.confidence("asked the dealer") == "asked the dealer"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "config.json holds more than 1,000 entries; no config.json does."),
        ("de", "config.json enthält mehr als 1.000 Einträge; das tut kein config.json."),
        ("fr", "config.json contient plus de 1\u202f000 entrées\u00a0; aucun config.json n’en a autant."),
    ],
)
def test_errors_speak_the_language_in_force(code: str, said: str) -> None:
    text = "{file} holds more than {most_entries:,} entries; no config.json does."
    with in_language(code):
        assert sentences.error(InvalidInput(text, file="config.json", most_entries=1000)) == said


def test_an_error_inside_an_error_is_translated_too() -> None:
    wrong = Fields({}, "config.json").wrong("num_hidden_layers", "is below {least:,}", least=1)
    assert str(wrong) == '"num_hidden_layers" in config.json is below 1.'
    with in_language("de"):
        assert sentences.error(wrong) == '"num_hidden_layers" in config.json liegt unter 1.'


def test_words_of_ours_in_place_of_a_document_are_translated() -> None:
    with in_language("de"):
        assert sentences.source_title(SEARCH) == "Durch Halbieren gesucht, bei jeder Länge neu bemessen"
        assert sentences.source_title(Origin(OriginKind.METHOD, "vLLM, vllm/envs.py")) == "vLLM, vllm/envs.py"
        assert sentences.source_title(Origin(OriginKind.CHOICE)) == sentences.origin(OriginKind.CHOICE)
