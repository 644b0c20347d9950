"""Explains an id that a finding carries: what it means, why it matters, what to do, and who says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from trainyard.checking import load_errors
from trainyard.checking.suppression import suppression_kinds
from trainyard.errors import InputError
from trainyard.finding_kinds import FindingKind
from trainyard.platform_table import all_entries
from trainyard.rules import all_document_rules, all_rules


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is to be said about an id. Examples are None where the id is not a rule's."""

    id: str
    kind: str
    severity: str
    title: str
    rationale: str
    remedy: str
    source: str
    bad: str | None = None
    good: str | None = None
    confidence: str | None = None
    """How often what a check notices is wrong; None where no check is meant."""
    applies_to: tuple[str, ...] | None = None
    """The platforms, and `environment`, where it is looked for; None where that is everywhere."""

    @property
    def qualities(self) -> tuple[str, ...]:
        """What stands behind its title: which kind of thing, how bad, and how sure where that is not certain."""
        return (self.kind, self.severity, *((self.confidence,) if self.confidence not in (None, "certain") else ()))


def explain_id(id_: str) -> Explanation:
    """Return the explanation of an id that checking knows. Raises InputError where there is none."""
    return explanation_among(explanations(), id_)


def explanation_among(explained: Iterable[Explanation], id_: str) -> Explanation:
    """Return the explanation of an id. Raises InputError with the nearest id where there is none."""
    by_id = {explanation.id: explanation for explanation in explained}
    if id_ not in by_id:
        close = get_close_matches(id_, by_id, n=1)
        hint = f"did you mean {close[0]}?" if close else "`trainyard explain --list` prints every id"
        raise InputError(f"nothing is called {id_!r}", where="ID", hint=hint)
    return by_id[id_]


def explanation_of(kind: FindingKind, word: str) -> Explanation:
    """Return what is to be said about a kind of findings, which explanations call by a word of their own."""
    return Explanation(
        kind.id, word, kind.severity, kind.title, kind.rationale, kind.remedy, kind.source, kind.bad, kind.good,
        kind.confidence, None if kind.applies_to is None else platforms_of(kind),
    )  # fmt: skip


def platforms_of(kind: FindingKind) -> tuple[str, ...]:
    """Return the names of the platforms where a kind of findings is looked for."""
    return tuple(platform.name for platform in all_entries() if kind.applies_on(platform))


def explanations() -> Iterator[Explanation]:
    """Yield what checking knows: rules about specs and other files, then unreadable input, and comments."""
    yield from (explanation_of(rule, "rule") for rule in (*all_rules(), *all_document_rules()))
    yield from (explanation_of(kind, "load error") for kind in load_errors().values())
    yield from (explanation_of(kind, "suppression") for kind in suppression_kinds().values())
