"""Explains an id that a finding carries: what it means, why it matters, what to do, and who says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path as FilePath

import yaml

from trainyard.errors import InputError
from trainyard.rules import NamedRule, all_rules
from trainyard.rules.documents import NamedDocumentRule, all_document_rules


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


def explain_id(id_: str) -> Explanation:
    """Return the explanation of an id that checking knows. Raises InputError where there is none."""
    return explanation_among(explanations(), id_)


def explanation_among(explained: Iterable[Explanation], id_: str) -> Explanation:
    """Return the explanation of an id. Raises InputError with the nearest id where there is none."""
    known = {explanation.id: explanation for explanation in explained}
    if id_ not in known:
        close = get_close_matches(id_, known, n=1)
        hint = f"did you mean {close[0]}?" if close else "`trainyard explain --list` prints every id"
        raise InputError(f"nothing is called {id_!r}", where="ID", hint=hint)
    return known[id_]


def explanations() -> Iterator[Explanation]:
    """Yield what checking knows: rules about specs, rules about other files, then findings about unreadable input."""
    yield from (_of_rule(named) for named in all_rules())
    yield from (_of_rule(named) for named in all_document_rules())
    text = FilePath(__file__).with_name("load_findings.yaml").read_bytes()
    for id_, facts in yaml.load(text, Loader=yaml.CSafeLoader).items():
        yield Explanation(id=id_, kind="load error", severity="error", **facts)


def _of_rule(named: NamedRule | NamedDocumentRule) -> Explanation:
    rule = named.rule
    return Explanation(
        named.id, "rule", rule.severity, rule.title, rule.rationale, rule.remedy, rule.source, rule.bad, rule.good
    )
