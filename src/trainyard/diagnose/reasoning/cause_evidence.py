"""The lines that were found, by cause."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from trainyard.diagnose.cause import CONFIDENCES, KINDS, Cause, Hit, Signature

Counts = Mapping[tuple[str, str | None], int]
"""How many lines there are of each signature and node, also of those that were not kept."""
Known = Mapping[str, tuple[Signature, Cause]]
"""Signatures by their ids, each with its cause."""
KIND_ORDER = {kind: place for place, kind in enumerate(KINDS)}
CONFIDENCE_ORDER = {confidence: place for place, confidence in enumerate(CONFIDENCES)}
"""The surest first."""
_FILE = Path(__file__).with_name("link_weights.yaml")
_CERTAIN, _LIKELY, *_ = CONFIDENCES
_GUESS = re.compile(
    r"\b(?:may|might|could) (?:also )?(?:be|have been|indicate|mean)\b|\b(?:possible|possibly|perhaps|probably)\b"
    r"|\b(?:usually|often|typically) (?:means|indicates|happens|caused)\b|\bmost (?:often|frequently)\b"
    r"|\bcan be caused by\b|\bor\b",
    re.IGNORECASE,
)
# What has the same words and says one thing: errno and getaddrinfo, counts, what is in brackets, and advice.
_ONE_THING = re.compile(
    r"No such file or directory|Name or service not known|\bone or more\b|\bthan or equal\b|\bunknown or invalid\b"
    r"|\bplease\b(?:[^.]|\.(?=\S))*|\bin [^.]{0,60} or in\b|\([^()]* or [^()]*\)|\bor (?:later|greater)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CauseHits:
    """A cause, and the lines that tell of it, in the order of time."""

    cause: Cause
    hits: tuple[Hit, ...]

    @property
    def first(self) -> dt.datetime | None:
        """Return when it was first seen, None where no line has a time."""
        return min((hit.time for hit in self.hits if hit.time is not None), default=None)

    @property
    def last(self) -> dt.datetime | None:
        """Return when it was last seen, None where no line has a time."""
        return max((hit.time for hit in self.hits if hit.time is not None), default=None)


def causes_of_hits(hits: Iterable[Hit], signature_table: Known) -> list[CauseHits]:
    """Return the causes that lines tell of, each with its lines, the first seen first."""
    by_cause: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        by_cause[signature_table[hit.signature][1].id].append(hit)
    all_hits = [
        CauseHits(signature_table[own[0].signature][1], tuple(sorted(own, key=in_time))) for own in by_cause.values()
    ]
    return sorted(all_hits, key=lambda cause_hits: (in_time(cause_hits.hits[0]), cause_hits.cause.id))


def sureness(cause: Cause, hit: Hit) -> str:
    """Return how sure a line makes a cause of it: the confidence of the signature that found it.

    A line that only guesses, or gives several reasons, makes nothing certain.
    """
    confidence = next(signature.confidence for signature in cause.signatures if signature.id == hit.signature)
    return at_most_likely(confidence) if _guesses(hit.text) else confidence


def at_most_likely(confidence: str) -> str:
    """Return a confidence that is not certain."""
    return _LIKELY if confidence == _CERTAIN else confidence


@lru_cache(maxsize=10_000)
def _guesses(text: str) -> bool:
    return _GUESS.search(_ONE_THING.sub("", text)) is not None


def in_time(hit: Hit) -> tuple[float, str, int]:
    """Return where a line stands among others; one without a time stands first."""
    return (hit.time.timestamp() if hit.time is not None else 0.0, hit.file, hit.line)


def lines_by_node(part: Iterable[Hit], kept_hits: Iterable[Hit], counts: Counts) -> Counter[str | None]:
    """Return how many lines of each node a part of the kept lines stands for, where of many only some were kept.

    A line that several signatures found is one line.
    """
    own = list(part)
    of_kept, of_part = (Counter((hit.signature, hit.node) for hit in hits) for hits in (kept_hits, own))
    lines: Counter[str | None] = Counter()
    for key, some in of_part.items():
        lines[key[1]] += round(max(counts.get(key, 0), of_kept[key]) * some / of_kept[key])
    found_more_than_once = Counter(hit.node for hit in own) - Counter(
        node for _, _, node in {(hit.file, hit.line, hit.node) for hit in own}
    )
    return lines - found_more_than_once


def without_weaker(hits: Sequence[Hit], signature_table: Known) -> list[Hit]:
    """Return the hits without those that another cause explains better on the same line.

    That cause has a surer signature there, and its kind is as near to the root or nearer. A generic cause counts only
    where no other explains the line. Of two generic ones that counts whose subject says more, the one that the other
    comes after, or the surer one.
    """
    by_line: dict[tuple[str, int], list[Hit]] = defaultdict(list)
    for hit in hits:
        by_line[hit.file, hit.line].append(hit)
    return [
        hit for hit in hits if not any(_gives_way(hit, other, signature_table) for other in by_line[hit.file, hit.line])
    ]


def _gives_way(hit: Hit, other: Hit, signature_table: Known) -> bool:
    (own_signature, own), (signature, another) = signature_table[hit.signature], signature_table[other.signature]
    generic = thresholds().generic
    if another.subject in generic and own.subject not in generic:
        return False
    if own.subject != another.subject and own.subject in generic:
        return another.subject not in generic or generic.index(another.subject) < generic.index(own.subject)
    if own.subject in generic and another.id in own.after:
        return True
    surer = CONFIDENCE_ORDER[signature.confidence] < CONFIDENCE_ORDER[own_signature.confidence]
    return own.id != another.id and surer and KIND_ORDER[another.kind] <= KIND_ORDER[own.kind]


class LinkKind(NamedTuple):
    """How far a kind of link reaches, and what it counts for."""

    reach: dt.timedelta
    weight: float
    slack: dt.timedelta = dt.timedelta(0)
    """How much later a cause may be written down than what it brought about."""
    slack_lines: int = 0
    """The same of lines of one log."""
    is_tied: bool = False
    """Whether both have to be of one log or name the same, such as a node or a job."""
    is_dated: bool = False
    """Whether what names nothing of the kind has to be of a log that tells times."""


class Thresholds(NamedTuple):
    """What link_weights.yaml says."""

    links: dict[str, LinkKind]
    over_after: dt.timedelta
    one_node: frozenset[str]
    generic: tuple[str, ...]
    confidence: dict[str, int]
    layers: dict[str, int]
    """How deep each subject lies: 0 is the deepest."""
    seen_in: dict[str, frozenset[str]]
    """Of subjects, the deeper ones whose errors are seen there without a name in common."""


@cache
def thresholds() -> Thresholds:
    """Return the numbers."""
    content: dict[str, Any] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)
    return Thresholds(
        {kind: _link_kind(link, content) for kind, link in content["links"].items()},
        dt.timedelta(seconds=content["over_after_s"]),
        frozenset(content["one_node"]),
        tuple(content["generic"]),
        content["confidence"],
        {subject: depth for depth, subjects in enumerate(content["layers"]) for subject in subjects},
        {subject: frozenset(row["of"]) for row in content["seen_in"] for subject in row["subjects"]},
    )


def _link_kind(link: dict[str, Any], content: dict[str, Any]) -> LinkKind:
    slack = dt.timedelta(seconds=link.get("slack_s", content["slack_s"]))
    slack_lines = link.get("slack_lines", content["slack_lines"])
    reach = dt.timedelta(seconds=link["reach_s"])
    return LinkKind(reach, link["weight"], slack, slack_lines, link.get("tied", False), link.get("dated", False))
