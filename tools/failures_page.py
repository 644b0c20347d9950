"""The page of everything that `trainyard diagnose` knows: docs/failures.md, which `make generate` writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from trainyard.diagnose.cause import CONFIDENCES, KINDS, SEVERITIES, Cause, causes, signatures


def failures_page() -> Iterator[str]:
    """Yield the lines of the page, below its heading."""
    known = causes()
    yield f"What `trainyard diagnose` knows: {len(known)} causes, by {len(signatures())} signatures."
    yield "`trainyard explain ID` prints the same of one; [diagnose.md](diagnose.md) says how they are put together."
    yield ""
    for heading, words in (("Severity", SEVERITIES), ("Kind", KINDS), ("Confidence of a signature", CONFIDENCES)):
        yield from _words(heading, words)
    harmful = [one for one in known.values() if one.severity != "harmless"]
    for subject, of_subject in groupby(harmful, lambda one: one.subject):
        yield f"## {_heading(subject)}"
        yield ""
        yield from _table(of_subject)
    yield "## What looks like trouble and is none"
    yield ""
    yield from _table(one for one in known.values() if one.severity == "harmless")


def _words(heading: str, words: Mapping[str, str]) -> Iterator[str]:
    yield f"| {heading} | Meaning |"
    yield "|---|---|"
    yield from (f"| {word} | {meaning} |" for word, meaning in words.items())
    yield ""


def _table(of: Iterable[Cause]) -> Iterator[str]:
    yield "| Failure | What happens | What to do | Kind |"
    yield "|---|---|---|---|"
    for one in of:
        name = f"{_cell(one.title)} (`{one.id}`)"
        what = f"{_cell(one.explanation)} [Source]({one.source})"
        kind = one.kind if one.severity != "warning" else f"{one.kind}, warning"
        yield f"| {name} | {what} | {_cell(one.remedy)} | {kind} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _heading(subject: str) -> str:
    return _SHORT.get(subject, subject.replace("-", " ").capitalize())


_SHORT = {"gpu": "GPU", "efa": "EFA", "nccl": "NCCL"}
