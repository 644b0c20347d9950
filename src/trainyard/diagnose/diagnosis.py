"""The answer: causes, the first of which is the root, with what proves them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from trainyard.diagnose.cause import Cause, Hit
from trainyard.diagnose.log_file import Unread
from trainyard.diagnose.reasoning.node_share import NodeShare
from trainyard.diagnose.stated_versions import StatedVersion, VersionsInConflict


@dataclass(frozen=True, slots=True)
class DiagnosedCause:
    """A cause that logs tell of."""

    cause: Cause
    confidence: str
    """One of cause.CONFIDENCES, by the lines found and by what else was seen."""
    count: int
    """Of lines, also of those that are not among the evidence."""
    by_node: dict[str, int]
    """How many of them each node has; lines of no node are in none."""
    first_seen: dt.datetime | None
    last_seen: dt.datetime | None
    evidence: tuple[Hit, ...]
    """Some of the lines, the most telling first."""
    consequences: tuple[DiagnosedCause, ...] = ()
    """What it brought about, in the order of time."""
    facts: tuple[str, ...] = ()
    """Sentences that its lines bear out together."""
    share: NodeShare | None = None
    """On how many of the nodes it is; None where logs do not tell."""


@dataclass(frozen=True, slots=True)
class UnusualLine:
    """A line that looks like trouble, is rare, and that no signature knows."""

    file: str
    line: int
    text: str
    count: int
    """How many lines look like it, apart from their numbers."""
    is_error: bool = False
    """Whether it is of level error, or worse, by its words."""


@dataclass(frozen=True, slots=True)
class FilteredLines:
    """Lines that tell of something known, and were not asked for."""

    by_period: int
    """How many are of another time."""
    oldest: dt.datetime | None
    newest: dt.datetime | None
    by_node: int
    """How many of the period are of another node."""
    nodes: tuple[str, ...]
    """Those that the logs name."""
    asked_nodes: tuple[str, ...] = ()
    since: dt.datetime | None = None
    """From when on lines were asked for; None where from the beginning."""
    until: dt.datetime | None = None
    logs_by_period: int = 0
    """How many logs hold no line of the period, whatever it says."""
    logs_by_node: int = 0
    """How many logs of a cluster were not read because they are of other nodes."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong, as far as the logs tell."""

    source: str
    causes: tuple[DiagnosedCause, ...]
    """Those that nothing else explains; the root cause first."""
    harmless: tuple[DiagnosedCause, ...]
    unrecognised: tuple[UnusualLine, ...]
    unread: tuple[Unread, ...]
    """Some of what was not read."""
    files: int
    size_bytes: int
    unread_count: int
    """How much was not read, also of what is not listed."""
    not_asked: FilteredLines | None = None
    """None where no node and no time was asked for."""
    repaired: tuple[DiagnosedCause, ...] = ()
    """What failed, and worked later in the same log."""
    versions: tuple[StatedVersion, ...] = ()
    """What logs state of what runs on nodes."""
    version_conflicts: tuple[VersionsInConflict, ...] = ()
    """Those of one log that must not meet."""
