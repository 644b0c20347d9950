"""What lines tell besides their cause, by what stands in them and in their neighbours of other ranks and nodes."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from trainyard.diagnose.cause import Cause, Hit
from trainyard.diagnose.reasoning.cause_evidence import thresholds
from trainyard.diagnose.reasoning.collective_ranks import rank_sentences
from trainyard.diagnose.reasoning.node_share import AT_ONCE, FEWEST_NODES, NodeShare

_FILE = Path(__file__).with_name("facts.yaml")
_XID = re.compile(r"\bXid \([^)]{0,40}\): ([0-9]{1,6})\b")
_MOST_XIDS = 3
_MOST_FACTS = 6
# What breaks above these is seen on all nodes of a job anyway.
_DEEP = 6


class Fact(NamedTuple):
    """A value that a line can have."""

    pattern: re.Pattern[str]
    says: Mapping[str, str]
    """What each value tells, in a sentence."""


def facts(cause: Cause, hits: Sequence[Hit], *, is_complete: bool, share: NodeShare | None = None) -> tuple[str, ...]:
    """Return sentences about lines of a cause, in the order of time.

    is_complete: whether these are all its lines; share: on how many of the nodes it is.
    """
    if cause.severity == "harmless":
        return ()
    texts = [hit.text for hit in hits]
    ranks = rank_sentences(texts, is_complete=is_complete)
    sentences = chain(_nodes(cause, hits, share), _asked(cause, hits), _xids(cause, texts), ranks)
    return tuple(islice(sentences, _MOST_FACTS))


@cache
def vocabulary() -> Mapping[str, Fact]:
    """Return what a cause can ask its lines for."""
    content: dict[str, dict[str, Any]] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)
    return {id_: Fact(re.compile(entry["pattern"]), entry["says"]) for id_, entry in content.items()}


def _asked(cause: Cause, hits: Iterable[Hit]) -> Iterator[str]:
    """Yield what values tell that a cause asks for: those of its lines, or else of what stands around."""
    for id_ in cause.facts:
        fact = vocabulary()[id_]
        values = (_value(fact, hit) for hit in hits)
        yield from dict.fromkeys(fact.says[value] for value in values if value in fact.says)


def meant_cause(cause: Cause, hits: Iterable[Hit]) -> str | None:
    """Return the cause that lines are of by a value that all of them have; None where they leave it open."""
    if not (cause.means and cause.facts):
        return None
    meant = {
        next(filter(None, (cause.means.get(_value(vocabulary()[id_], hit)) for id_ in cause.facts)), None)
        for hit in hits
    }
    return meant.pop() if len(meant) == 1 else None


def _value(fact: Fact, hit: Hit) -> str:
    found = (fact.pattern.search(text) for text in (hit.text, hit.behind))
    if first := next(filter(None, found), None):
        return first[1]
    nearest = deque(fact.pattern.finditer(hit.before), maxlen=1)
    return nearest[0][1] if nearest else ""


def _xids(cause: Cause, texts: Iterable[str]) -> Iterator[str]:
    """Yield what NVIDIA's catalogue says of each Xid; a cause of one number says it itself."""
    numbers = dict.fromkeys(int(found[1]) for text in texts if (found := _XID.search(text)))
    known = {number: xid for number in numbers if (xid := _catalogue().get(number))}
    for number, (name, remedy) in list(known.items())[:_MOST_XIDS] if cause.subject == "frames" else ():
        yield f"Xid {number} is {name!r} in NVIDIA's catalogue; what to do: {remedy}."


@cache
def _catalogue() -> Mapping[int, tuple[str, str]]:
    """Return name and remedy of Xids, by their numbers. The package that holds them is for nodes, and not imported."""
    spec = find_spec("trainyard_node")
    assert spec is not None  # noqa: S101  both packages are in one wheel
    (folder,) = map(Path, spec.submodule_search_locations or ())
    content: dict[str, Any] = json.loads((folder / "health" / "xid.json").read_bytes())
    return {xid["number"]: (xid["name"], content["remedies"][xid["remedy"]]) for xid in content["xids"]}


def _nodes(cause: Cause, hits: Iterable[Hit], share: NodeShare | None) -> Iterator[str]:
    """Yield on which nodes a cause is and since when, or, where logs do not tell, that it began on several at once."""
    layer = thresholds().layers.get(cause.subject, _DEEP)
    if share is not None and layer <= _DEEP and cause.kind != "symptom":
        yield share.sentence
    if share is not None or layer >= _DEEP:
        return
    firsts: dict[str, dt.datetime] = {}
    for hit in hits:
        if hit.node is not None and hit.time is not None:
            firsts[hit.node] = min(hit.time, firsts.get(hit.node, hit.time))
    if len(firsts) >= FEWEST_NODES and max(firsts.values()) - min(firsts.values()) <= AT_ONCE:
        yield (
            f"It began on {len(firsts)} nodes within {AT_ONCE.seconds} seconds: look first at what they share, such"
            " as an image, a role, a network or a file system."
        )
