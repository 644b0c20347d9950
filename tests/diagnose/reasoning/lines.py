"""Made-up causes and lines: as little as a test of reasoning needs."""

from __future__ import annotations

import datetime as dt
from itertools import count

from trainyard.diagnose.cause import Cause, Hit, Signature
from trainyard.diagnose.diagnosis import DiagnosedCause
from trainyard.diagnose.reasoning.root_causes import RootCauses, root_causes

NOON = dt.datetime(2026, 5, 6, 12, 0, tzinfo=dt.UTC)
_LINES = count(1)


def made_up(  # noqa: PLR0913  what a cause can be
    id_: str,
    *,
    kind: str = "root",
    after: tuple[str, ...] = (),
    subject: str = "network",
    severity: str = "error",
    confidences: tuple[str, ...] = ("certain",),
) -> Cause:
    signatures = tuple(
        Signature(f"{id_}-line-{number}", "pattern", confidence, ("yes",), ("no",))
        for number, confidence in enumerate(confidences)
    )
    return Cause(
        id_, subject, f"The title of {id_}", severity, kind, "It happens.", "Do this.", "https://example.com/",
        dt.date(2026, 5, 6), signatures, after,
    )  # fmt: skip


def at(cause: Cause, minute: float | None, node: str | None = None, *, signature: int = 0, place: str = "log") -> Hit:
    """Return a line of a cause, some minutes after noon."""
    time = None if minute is None else NOON + dt.timedelta(minutes=minute)
    return Hit(cause.signatures[signature].id, place, next(_LINES), f"a line of {cause.id}", time, node)


def reasoned(*causes: Cause, lines: list[Hit], counts: dict[tuple[str, str | None], int] | None = None) -> RootCauses:
    known = {signature.id: (signature, cause) for cause in causes for signature in cause.signatures}
    return root_causes(lines, counts, known)


def ids(found: tuple[DiagnosedCause, ...]) -> list[str]:
    return [diagnosed_cause.cause.id for diagnosed_cause in found]


def tree(found: RootCauses) -> dict[str, list[str]]:
    """Return the roots in their order, each with what follows from it."""
    return {cause.cause.id: ids(cause.consequences) for cause in found.causes}
