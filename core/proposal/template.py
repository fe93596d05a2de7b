"""The typst files that lay a proposal out: the shipped folder, or a copy that a consultant has changed.

A template is read before it is compiled: what would ask the network for a package is refused with its line.
"""

import re
import shutil
from pathlib import Path

from core import RESOURCES
from core.errors import ProposalError, reason_of

SHIPPED = RESOURCES / "proposal"
MAIN = "proposal.typ"
#: More than this is no template: a folder was chosen by mistake.
MOST_FILES, MOST_BYTES = 200, 5_000_000

_PACKAGE = re.compile(r"@\s*[\"']?\s*\+?\s*[\"']?\s*preview|[\"']@[\"']|[\"']preview/")
#: What loads a file names it in quotes, as it is: a name that is put together while compiling could be a package's.
_LOADING = re.compile(r"(?:^|[#;{(\[=,\s])(?:import|include)\b(?![ \t]*\"[^\"\\@]*\.typ\")[ \t]*[\"\w(#{\[]|\beval\b")


def main_file(folder: Path | None) -> Path:
    """The file that typst begins with.

    Raises
    ------
    ProposalError : the folder holds no template, or one that asks for a package of the network
    """
    if folder is None:
        return SHIPPED / MAIN
    main = folder / MAIN
    if not main.is_file():
        raise ProposalError("“{folder}” is no template: it has no {main}.", folder=folder.name, main=MAIN)
    try:
        files = sorted(folder.rglob("*.typ"))[: MOST_FILES + 1]
        if len(files) > MOST_FILES or sum(file.stat().st_size for file in files) > MOST_BYTES:
            raise ProposalError(
                "“{folder}” holds more than a template needs. Choose its own folder.", folder=folder.name
            )
        for file in files:
            _refuse_packages(file.relative_to(folder).as_posix(), file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as failure:
        raise ProposalError("“{folder}” holds a .typ file that is not UTF-8 text.", folder=folder.name) from failure
    except OSError as failure:
        raise ProposalError(
            "“{folder}” cannot be read: {strerror}.", folder=folder.name, strerror=reason_of(failure)
        ) from failure
    return main


def _without_notes(text: str) -> str:
    """A template with blanks for its notes on lines of their own, which may speak of what they like.

    >>> _without_notes('// import\\n#import "a.typ": b')
    '         \\n#import "a.typ": b'
    """
    return re.sub(r"^[ \t]*//.*$", lambda note: " " * len(note[0]), text, flags=re.MULTILINE)


def _refuse_packages(name: str, text: str) -> None:
    found = _PACKAGE.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise ProposalError(
            "{name}, line {line}: a template must not load packages (@preview). Copy their files into its folder.",
            name=name,
            line=line,
        )
    found = _LOADING.search(_without_notes(text))
    if found:
        line = text.count("\n", 0, found.end() - 1) + 1
        raise ProposalError(
            "{name}, line {line}: a template loads only .typ files of its folder, each named in quotes as it is.",
            name=name,
            line=line,
        )


def copy_shipped(folder: Path) -> None:
    """Copy the shipped template into an empty folder, to be changed there.

    Raises
    ------
    ProposalError : the folder holds something already, or cannot be written
    """
    try:
        if any(folder.iterdir()):
            raise ProposalError("“{folder}” is not empty. Choose an empty folder.", folder=folder.name)
        shutil.copytree(SHIPPED, folder, dirs_exist_ok=True)
    except OSError as failure:
        raise ProposalError(
            "“{folder}” could not be written: {strerror}.", folder=folder.name, strerror=reason_of(failure)
        ) from failure
