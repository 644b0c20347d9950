"""Explaining ids: of rules and load errors, which checking knows, of preflights and of what is wrong with nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from trainyard.checking.explanation import Explanation, explanation_among
from trainyard.checking.explanation import explanations as of_checking
from trainyard.deploy.preflights import NamedPreflight, all_preflights
from trainyard.deploy.preflights.running import NOT_RUN
from trainyard.deploy.told import kinds as of_told
from trainyard.operate.nodes.explained import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.finding import Severity

__all__ = ["Explanation", "explain_id", "explanations"]


def explain_id(id_: str) -> Explanation:
    """Return the explanation of an id. Raises InputError with the nearest id where there is none."""
    return explanation_among(explanations(), id_)


def explanations() -> Iterator[Explanation]:
    """Yield every explanation: rules first, then preflights, nodes, and findings about unreadable input."""
    for one in of_checking():
        if one.kind == "rule":
            yield one
    yield from map(_of_preflight, (*all_preflights(), NOT_RUN))
    yield from (_of_nodes(id_, dict(kind)) for id_, kind in (*kinds().items(), *of_told().items()))
    yield from (one for one in of_checking() if one.kind != "rule")


def _of_nodes(id_: str, kind: dict[str, str]) -> Explanation:
    severity = cast("Severity", kind.pop("severity"))
    return Explanation(id_, "node finding", severity, **kind)


def _of_preflight(named: NamedPreflight) -> Explanation:
    preflight = named.preflight
    rationale = preflight.rationale
    if preflight.permissions:
        rationale += f" It asks for {_listed(preflight.permissions)}."
    return Explanation(
        named.id, "preflight", preflight.severity, preflight.title, rationale, preflight.remedy, preflight.source
    )


def _listed(permissions: tuple[str, ...]) -> str:
    *most, last = permissions
    return f"{', '.join(most)} and {last}" if most else last
