"""An instance type that the catalog has no facts about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.catalog.instances import find, names
from trainyard.rules import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.finding import Path
    from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield instance types of compute nodes that are not in the catalog, with the nearest name that is."""
    for group in spec.node_groups():
        if find(group.instance_type) is None:
            yield _problem((*group.path, "instance_type"), group.instance_type)


def _problem(path: Path, name: str) -> Problem:
    # Imported here because only an unknown type needs it, and every check imports this rule.
    from difflib import get_close_matches

    close = get_close_matches(name, names(), n=2, cutoff=0.85)
    meant = f"did you mean {' or '.join(sorted(close))}? " if close else ""
    return Problem(
        path,
        f"no facts about {name}, so rules about EFA, network cards and accelerators were not applied",
        f"{meant}`trainyard instances` lists the known types; set efa yourself for this one",
        None if close else "info",
    )


RULE = Rule(
    severity="warning",
    title="Unknown instance type",
    rationale=(
        "A mistyped name fails at launch. A real type without facts passes rules unchecked, and EFA is not "
        "switched on by itself."
    ),
    remedy="correct the name, or write efa: true or false",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-types.html",
    bad="""\
queues:
  - name: compute-gpu
    instance_type: p5.49xlarge
""",
    good="""\
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
""",
    check=check,
)
