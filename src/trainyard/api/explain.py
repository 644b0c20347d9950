"""Explaining ids: those of rules and load errors, which checking knows, and those of preflights, which deploy knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.checking.explanation import Explanation, explanation_among
from trainyard.checking.explanation import explanations as of_checking
from trainyard.deploy.preflights import NamedPreflight, all_preflights
from trainyard.deploy.preflights.running import NOT_RUN

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Explanation", "explain_id", "explanations"]


def explain_id(id_: str) -> Explanation:
    """Return the explanation of an id. Raises InputError with the nearest id where there is none."""
    return explanation_among(explanations(), id_)


def explanations() -> Iterator[Explanation]:
    """Yield every explanation: rules first, then preflights, then findings about unreadable input."""
    for one in of_checking():
        if one.kind == "rule":
            yield one
    yield from map(_of_preflight, (*all_preflights(), NOT_RUN))
    yield from (one for one in of_checking() if one.kind != "rule")


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
