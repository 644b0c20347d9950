"""An instance type that the catalog has no facts about."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find, names
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def check(spec: Spec) -> Iterator[Problem]:
    """Yield instance types that are not in the catalog, with the nearest name that is."""
    for group in spec.node_groups():
        for path, name in types_of(group):
            if find(name) is None:
                message = f"no facts about {name}, so rules about EFA, network cards and accelerators were not applied"
                yield _problem(path, name, message, "set efa yourself for this one")
    for path, name in _types_beside(spec):
        if find(name) is None:
            # Any CPU type will do here, and the catalog has only a few of them: a near name proves no mistake.
            message = f"no facts about {name}, so its accelerators were not looked at"
            yield _problem(path, name, message, "see whether EC2 has this one")._replace(severity="info")


def types_of(group: NodeGroup) -> Iterator[tuple[Path, str]]:
    """Yield the instance types of nodes, each with its place in the spec."""
    if group.settings.instance_types is None:
        yield (*group.path, "instance_type"), group.instance_type
    else:
        yield from (((*group.path, "instance_types", index), name) for index, name in enumerate(group.instance_types))


def _types_beside(spec: Spec) -> Iterator[tuple[Path, str]]:
    yield ("head_node", "instance_type"), spec.head_node.instance_type
    yield from (((*path, "instance_type"), pool.instance_type) for path, pool in spec.login_pools())
    if spec.monitoring.mode == "self-hosting":
        yield ("monitoring", "instance_type"), spec.monitoring.instance_type


def _problem(path: Path, name: str, message: str, advice: str) -> Problem:
    # Imported here because only an unknown type needs it, and every check imports this rule.
    from difflib import get_close_matches

    close = get_close_matches(name, names(), n=2, cutoff=0.85)
    meant = f"did you mean {' or '.join(sorted(close))}? " if close else ""
    remedy = f"{meant}`trainyard instances` lists the known types; {advice}"
    return Problem(path, message, remedy, None if close else "info")


RULE = Rule(
    severity="warning",
    confidence="likely",
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
