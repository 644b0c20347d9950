"""What a check says: one line about the node or about one of its devices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from trainyard_node.record import one_line

# The worse, the later. absent: the node has no such hardware, which is no failure. unknown: the check could not tell,
# which keeps no node from jobs: a fault of ours would take the whole cluster away.
STATUSES = ("absent", "ok", "warning", "unknown", "failed")


class Outcome(NamedTuple):
    """What a check found."""

    check: str
    """Its name, such as gpu-count."""
    status: str
    """One of STATUSES."""
    message: str
    """What is wrong, with numbers, or what was found."""
    device: str = ""
    """Such as gpu 3, rdmap0s6 or /fsx, where it is about one."""
    remedy: str = ""
    """What to do next, where something is wrong."""
    source: str = ""
    """Where that is written."""
    code: str = ""
    """The number of an error that people look up, such as that of an Xid."""
    text: str = ""
    """What the number means, in a few words of a table: never what a program wrote."""

    def on_one_line(self) -> Outcome:
        """Return it without what devices and programs may have put into its texts."""
        return self._replace(message=one_line(self.message), device=one_line(self.device)[:80])

    def in_words(self) -> str:
        """Return it as a reason, such as gpu-ecc: gpu 3: 2 uncorrectable errors."""
        return ": ".join(part for part in (self.check, self.device, self.message) if part)


def is_healthy(outcomes: Iterable[Outcome]) -> bool:
    """Return whether the node may take jobs."""
    return not failures(outcomes)


def failures(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return what keeps the node from jobs."""
    return [outcome for outcome in outcomes if outcome.status == "failed"]


def worst_by_check(outcomes: Iterable[Outcome]) -> dict[str, str]:
    """Return for each check the worst that it said."""
    worst: dict[str, str] = {}
    for outcome in outcomes:
        worst[outcome.check] = max(worst.get(outcome.check, STATUSES[0]), outcome.status, key=STATUSES.index)
    return worst
