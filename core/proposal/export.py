"""Writes a proposal's file: whole, or not at all."""

import glob
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from core.errors import ProposalError, reason_of
from core.proposal.composition import proposal
from core.proposal.offer import Offer
from core.proposal.options import ProposalOptions
from core.proposal.typst_document import pdf

LEFT_S = 3600


def write_proposal(offers: Sequence[Offer], options: ProposalOptions, path: Path) -> Path:
    """Compose, typeset and write a proposal; an older file at `path` is replaced only by a complete new one."""
    write_whole(path, pdf(proposal(offers, options), options.date, options.template))
    return path


def write_whole(path: Path, content: bytes) -> None:
    """Write beside the target, bring it to disk, then rename: a crash or a full disk leaves what was there before."""
    temporary: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".part", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        os.replace(temporary, path)
        _clear_up(path)
    except OSError as failure:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        reason = reason_of(failure)
        raise ProposalError("“{path}” could not be written: {reason}.", path=path, reason=reason) from failure


def _clear_up(path: Path) -> None:
    """Take away what earlier writings of this file left that were killed: an hour older, so nobody is at work on it."""
    written = path.stat().st_mtime
    for left in path.parent.glob(f".{glob.escape(path.name[:40])}.*.part"):
        if left.stat().st_mtime < written - LEFT_S:
            left.unlink(missing_ok=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
