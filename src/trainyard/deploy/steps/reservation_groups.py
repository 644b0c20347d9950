"""Groups of the reservations that the spec names together."""

from __future__ import annotations

from trainyard.catalog.partition import partition_of
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws.reservation_groups import (
    create_group,
    delete_group,
    find_group,
    groups_tagged,
    put_into_group,
)
from trainyard.errors import TrainyardError
from trainyard.launch.capacity import reservation_groups
from trainyard.render.reservation_groups import CONFIGURATION, group_name


class ReservationGroups:
    """Makes a resource group for each set of reservations: nodes target the group."""

    name = "reservations"
    title = "groups of capacity reservations"

    def probe(self, work: Work) -> Probe:
        """Say which groups are missing."""
        names = self._names(work)
        missing = [name for name in names if find_group(work.account, name) is None]
        return Probe("missing", ", ".join(missing)) if missing else Probe("there", ", ".join(names))

    def apply(self, work: Work) -> StepOutcome:
        """Make them, and put their reservations into them."""
        spec, tags = work.required_spec(), {work.tag: work.name}
        arns, created = [], []
        for name, reservations in zip(self._names(work), reservation_groups(spec), strict=True):
            group = find_group(work.account, name)
            if group is not None and group[1].get(work.tag) != work.name:
                raise TrainyardError(
                    f"resource group {name} was not made for {work.name}", where=name, hint="choose another name"
                )
            if group is None:
                created.append(name)
            arns.append(group[0] if group else create_group(work.account, name, CONFIGURATION, tags))
            put_into_group(work.account, name, reservations, partition_of(spec.region))
        outputs = {_output(number): arn for number, arn in enumerate(arns, 1)}
        return StepOutcome(changed=bool(created), detail=", ".join(created), outputs=outputs)

    def undo(self, work: Work) -> StepOutcome:
        """Delete the groups of this cluster. The reservations stay."""
        names = groups_tagged(work.account, work.tag, work.name)
        for name in names:
            delete_group(work.account, name)
        return StepOutcome(
            changed=bool(names), detail=", ".join(f"{name} deleted" for name in names) or "there is none"
        )

    def _names(self, work: Work) -> list[str]:
        spec = work.required_spec()
        return [group_name(spec, number) for number, _ in enumerate(reservation_groups(spec), 1)]


def known_groups(work: Work) -> dict[str, str]:
    """Return the ARNs of the groups that are there, by the names that templates give them."""
    spec = work.required_spec()
    groups = {
        number: find_group(work.account, group_name(spec, number))
        for number in range(1, len(reservation_groups(spec)) + 1)
    }
    return {_output(number): group[0] for number, group in groups.items() if group is not None}


def _output(number: int) -> str:
    return f"ReservationGroupArn{number if number > 1 else ''}"
