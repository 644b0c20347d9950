"""What can have gone wrong, and the lines that tell of it, as data: signatures/<subject>.yaml."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from trainyard.diagnose.wording import widened

FOLDER = Path(__file__).with_name("signatures")
SEVERITIES = {
    "error": "something failed, or is about to",
    "warning": "it works, though not as it should",
    "harmless": "it looks like trouble, and is none",
}
KINDS = {
    "root": "explains other lines, and only a cause that it names explains it",
    "consequence": "something else may have brought it about; where nothing such is seen, it is the best answer",
    "symptom": "says that something failed and not what; the answer only where nothing else is known",
}
_OPTIONAL = ("after", "facts", "means")
CONFIDENCES = {
    "certain": "the line says what is wrong",
    "likely": "the line nearly always means this",
    "possible": "the line often means this, and sometimes another thing",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """What a line looks like that tells of a cause."""

    id: str
    pattern: str
    """In RE2's syntax, searched for anywhere in a line: https://github.com/google/re2/wiki/Syntax

    It finds the same in other words, too: see `expression`."""
    confidence: str
    matches: tuple[str, ...]
    """Lines as programs print them, that it must find."""
    resembles: tuple[str, ...]
    """Lines that look like it and mean something else, which it must not find."""
    logs: tuple[str, ...] = ()
    """The kinds of logs (log_kinds.yaml) where it means this; empty where it does in any."""

    def __post_init__(self) -> None:
        """Refuse what cannot be right. Raises ValueError: an error in our own data is a bug, which a test finds."""
        if not (self.pattern and self.matches and self.resembles and self.confidence in CONFIDENCES):
            raise ValueError(f"{self.id}: it needs a pattern, lines on both sides, and a confidence that is known")

    @property
    def expression(self) -> str:
        """Return the pattern that lines are searched for with: that of the data, in any wording."""
        return widened(self.pattern)


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that goes wrong, or only looks like it."""

    id: str
    subject: str
    """The name of its file."""
    title: str
    severity: str
    kind: str
    explanation: str
    remedy: str
    """What to do next, in full sentences; commands in backquotes."""
    source: str
    read: dt.date
    """When the source was read."""
    signatures: tuple[Signature, ...]
    after: tuple[str, ...] = ()
    """Causes and subjects that bring it about beside those of deeper layers, of which none is named."""
    facts: tuple[str, ...] = ()
    """What its lines are asked for, as they leave open what is wrong: reasoning/facts.yaml has the words."""
    means: Mapping[str, str] = field(default_factory=dict, hash=False)
    """By a value that all of its lines have, or by the nodes that it is on (reasoning/node_share.py), the cause that
    they are then of, which is at most likely."""

    def __post_init__(self) -> None:
        """Refuse what cannot be right. Raises ValueError."""
        empty = [own.name for own in fields(self) if own.name not in _OPTIONAL and not getattr(self, own.name)]
        if empty:
            raise ValueError(f"{self.id}: {', '.join(empty)} must not be empty")
        if self.severity not in SEVERITIES or self.kind not in KINDS or not self.source.startswith("https://"):
            raise ValueError(f"{self.id}: severity {self.severity!r}, kind {self.kind!r} or the source is wrong")


@cache
def causes() -> Mapping[str, Cause]:
    """Return all causes by id, in the order of their files."""
    all_causes = [cause for file in sorted(FOLDER.glob("*.yaml")) for cause in _of_file(file)]
    return {cause.id: cause for cause in all_causes}


@cache
def signatures() -> Mapping[str, tuple[Signature, Cause]]:
    """Return all signatures by id, each with its cause."""
    return {signature.id: (signature, cause) for cause in causes().values() for signature in cause.signatures}


def cause_of(subject: str, content: dict[str, Any]) -> Cause:
    """Return a cause of what its file says of it. An unknown or missing key is a TypeError."""
    own: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in content.items() if key != "signatures"
    }
    return Cause(subject=subject, signatures=tuple(map(_signature, content["signatures"])), **own)


def _signature(content: dict[str, Any]) -> Signature:
    named: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}
    return Signature(**named)


def _of_file(file: Path) -> list[Cause]:
    content: dict[str, list[dict[str, Any]]] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return [cause_of(file.stem, cause) for cause in content["causes"]]


class Hit(NamedTuple):
    """A line that a signature found, and where and when."""

    signature: str
    """Its id."""
    file: str
    line: int
    """From 1."""
    text: str
    """The line without its end, decoded, and cut where it is very long; what a terminal would obey is still in it."""
    time: dt.datetime | None
    """With its zone; that of the line itself, or of the nearest line before it that has one."""
    node: str | None
    """The host of the log, from its name or from the line; None where neither tells."""
    behind: str = ""
    """Some of what stands directly behind it in its log, where a program can say that it tries again."""
    before: str = ""
    """The line before it, or its end, where a program can say why."""
