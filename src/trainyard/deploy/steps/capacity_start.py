"""Waits for reservations and Capacity Blocks that have still to begin, once all else is there."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from trainyard.deploy.account_state.reservations import COMING
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws.ec2 import Described, capacity_reservations
from trainyard.errors import TrainyardError
from trainyard.launch.capacity import named_reservations

_POLL_S = 60.0
_TOLD_EVERY_S = 600.0


class CapacityStart:
    """Lets a deployment go on when the capacity that its spec names has begun.

    Only where the options say how long to wait: preflights refuse what would fail otherwise. Nothing has to be
    remembered: a deployment that is called again waits for what has not begun by then.
    """

    name = "capacity-start"
    title = "capacity that begins later"

    def probe(self, work: Work) -> Probe:
        """Say what has still to begin."""
        coming = list(_coming(work))
        return Probe("missing", "; ".join(coming)) if coming else Probe("there", "all of it has begun")

    def apply(self, work: Work) -> StepOutcome:
        """Wait. Raises TrainyardError where it has not begun after the time that the options say."""
        clock, wait_s = work.account.clock, work.options.wait_for_capacity_s
        began = clock.now()
        since, told = _date(began), began - _TOLD_EVERY_S
        if not wait_s or not (coming := list(_coming(work))):
            return StepOutcome(changed=False, detail="nothing to wait for")
        while coming:
            if clock.now() - began >= wait_s:
                raise TrainyardError(
                    f"{'; '.join(coming)}, and this deployment waits since {since}",
                    where=work.name,
                    hint="run the same command again to go on waiting; what it has made stays",
                )
            if clock.now() - told >= _TOLD_EVERY_S:
                work.tell(f"waits since {since}: {'; '.join(coming)}")
                told = clock.now()
            clock.sleep(_POLL_S)
            coming = list(_coming(work))
        return StepOutcome(changed=False, detail=f"has begun; waited since {since}")

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: reservations belong to whoever made or bought them."""
        del work
        return StepOutcome(changed=False)


def _coming(work: Work) -> Iterator[str]:
    """Yield what has still to begin, in words. What is over or not there is a matter of preflights."""
    named = named_reservations(work.required_spec())
    listed = capacity_reservations(work.account) if named else {}
    for id_ in named:
        if id_ in listed and listed[id_]["State"] in COMING:
            yield f"{id_} is {listed[id_]['State']}{_start(listed[id_])}"


def _start(reservation: Described) -> str:
    start = reservation.get("StartDate")
    return "" if start is None else f" and begins at {_date(start.timestamp())}"


def _date(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M UTC")
