"""The sentences for what a reader was not certain of, as message ids; the language layer translates them.

`_(SENTENCES[note.kind]).format(subject=note.subject)` is the text for people.
"""

from collections.abc import Mapping

from core.architecture.blueprint import NoteKind, ReadingNote


def N_(message: str) -> str:  # noqa: N802 - the name that collects messages
    """Mark a message for the catalogue of translations without translating it here."""
    return message


SENTENCES: Mapping[NoteKind, str] = {
    NoteKind.UNKNOWN_ARCHITECTURE: N_("Tonnage does not know {subject}; it was read as a conventional decoder."),
    NoteKind.UNKNOWN_WRAPPER: N_("Tonnage does not know {subject}; only the language model inside it was read."),
    NoteKind.VISION_NOT_COUNTED: N_("The image tower ({subject}) is not counted."),
    NoteKind.AUDIO_NOT_COUNTED: N_("The audio tower ({subject}) is not counted."),
    NoteKind.UNKNOWN_QUANTISATION: N_("The quantisation “{subject}” is not known; choose the weight format yourself."),
    NoteKind.CONTEXT_NOT_STATED: N_("The file does not say which context the model was trained for."),
    NoteKind.ASSUMED_FIELD: N_("The file does not state {subject}; the usual value was taken."),
    NoteKind.LATENT_AS_FULL: N_(
        "The file is too old for llama.cpp to keep latents: its cache holds full heads. A newer file needs far less."
    ),
    NoteKind.STORED_TWICE: N_(
        "The files hold {subject}, which the model shares with the embedding; engines do not load it."
    ),
    NoteKind.UNKNOWN_TENSORS: N_("Tensors of unknown purpose are counted with the feed-forward blocks: {subject}."),
    NoteKind.FULL_PRECISION: N_("The weights are stored in 32 bit; engines load them in 16."),
    NoteKind.FILES_DISAGREE: N_("The weight files and config.json count different numbers of parameters: {subject}."),
    NoteKind.TEXTBOOK: N_(
        "A textbook model: every layer keeps a full cache, embedding and norms are not counted apart, and parameters "
        "that a token does not use are taken as experts, of which it uses eight."
    ),
}


def sentence(note: ReadingNote) -> str:
    """The note in English.

    >>> sentence(ReadingNote(NoteKind.VISION_NOT_COUNTED, "siglip"))
    'The image tower (siglip) is not counted.'
    """
    return SENTENCES[note.kind].format(subject=note.subject)
