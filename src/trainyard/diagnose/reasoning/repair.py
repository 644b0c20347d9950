"""Failures that are history: what failed worked later in the same log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from trainyard.diagnose.cause import Hit
from trainyard.diagnose.line_node import may_be_same
from trainyard.diagnose.reasoning.cause_evidence import Known, without_weaker
from trainyard.diagnose.success import Success, successes
from trainyard.diagnose.tried_again import is_tried_again


class RepairedHits(NamedTuple):
    """Lines, by whether a later line of their log says that what failed works."""

    left: list[Hit]
    repaired: list[Hit]


def repaired_hits(hits: Iterable[Hit], signature_table: Known) -> RepairedHits:
    """Part lines of failures; lines of successes are in neither."""
    lines_of_successes: dict[str, list[tuple[Success, Hit]]] = defaultdict(list)
    failures = []
    for hit in hits:
        if success := successes().get(hit.signature):
            lines_of_successes[hit.file].append((success, hit))
        else:
            failures.append(hit)
    result = RepairedHits([], [])
    # What tells most of a line decides whether the line is history.
    for hit in without_weaker(failures, signature_table):
        ended = any(
            line.line > hit.line
            and may_be_same(hit.node, line.node)
            and success.is_about(hit, line)
            and _ends(success, hit, signature_table)
            for success, line in lines_of_successes[hit.file]
        )
        (result.repaired if ended else result.left).append(hit)
    return result


def _ends(success: Success, hit: Hit, signature_table: Known) -> bool:
    cause = signature_table[hit.signature][1]
    return success.concerns(cause) and (success.ends(cause) or is_tried_again(f"{hit.text}\n{hit.behind}"))
