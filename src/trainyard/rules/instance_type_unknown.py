"""An instance type that the catalog has no facts about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.catalog.instances import find, names
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

# Letters of the series, generation and options, and what follows a hyphen; then the size.
# https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
_NAME = re.compile(
    r"(?P<series>[a-z]+)[0-9]+[a-z]*(-[a-z0-9]+)?\."
    r"(nano|micro|small|medium|large|[0-9]*xlarge|metal(-[0-9]+xl)?)"
)


def check(spec: Spec) -> Iterator[Problem]:
    """Yield instance types that are not in the catalog, with the nearest name that is.

    What is no name as EC2 gives them, and near one that is known, is mistyped. A new type may be near a known one too.
    """
    for group in spec.node_groups():
        for path, name in types_of(group):
            if find(name) is None:
                message = f"no facts about {name}, so rules about EFA, network cards and accelerators were not applied"
                yield _problem(path, name, message, "set efa yourself for this one")
    for path, name in _types_beside(spec):
        if find(name) is None:
            message = f"no facts about {name}, so its accelerators were not looked at"
            yield _problem(path, name, message, "see whether EC2 has this one")


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
    if close and not _may_exist(name):
        remedy = f"{meant}`trainyard instances` lists the known types"
        return Problem(path, f"{name} is no instance type of EC2", remedy, "error")
    remedy = f"{meant}`trainyard instances` lists the known types; {advice}"
    return Problem(path, message, remedy, None if close else "info")


def _may_exist(name: str) -> bool:
    """Return whether EC2 may give a type this name: of a series that it has, in a form of size that it has."""
    parts = _NAME.fullmatch(name)
    return parts is not None and any(re.match(rf"{parts['series']}[0-9]", known) for known in names())


RULE = Rule(
    severity="warning",
    confidence="likely",
    title="Unknown instance type",
    rationale=(
        "A mistyped name fails at launch. A real type without facts, newer than the catalog, passes rules unchecked, "
        "and EFA is not switched on by itself. A name that cannot be one of EC2's and is near to one is an error."
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
