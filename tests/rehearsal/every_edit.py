"""Every change of one field of a spec, of its mode of monitoring or of its list of file systems, there and back.

Each is made of every platform, and of environments. What a platform has no use for is left out of its specs, as its own
rule says; a change of that alone is none there.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache
from typing import Any, NamedTuple

from tests.render.changes import BASE, CHANGES, EXISTING, ON_EKS, SELF_HOSTED, before_and_after, changed
from trainyard.checking.spec_file import rule_findings
from trainyard.document.write import yaml_text
from trainyard.errors import TrainyardError
from trainyard.finding import Path
from trainyard.rules import all_rules
from trainyard.spec.parsing import parse

# What an environment has, of what specs of clusters have.
_OF_ENVIRONMENTS = ("name", "region", "network", "access", "file_systems", "monitoring", "iam", "assets", "tags")
_MANAGED = {"monitoring": {"mode": "amp+amg"}}
_MODES = ("none", "amp-only", "amp+amg", "self-hosting")
# They name another cluster.
ANOTHER = {"name", "region"}
# What a change needs besides, or goes with, before anybody can deploy it.
_IN_EXISTING = before_and_after("network.existing.private_subnets")[0]
# Two subnets, since the control plane of EKS has its interfaces in two zones.
_PRIVATE = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]
_IN_TWO_SUBNETS = {
    "network": {"existing": {**EXISTING, "private_subnets": _PRIVATE}},
    "queues": [{**BASE["queues"][0], "subnet": _PRIVATE[0]}],
    "login_nodes": None,
}
_ANOTHER_NETWORK = {"vpc": "vpc-0123456789abcdef9", "private_subnets": ["subnet-0123456789abcdef9"]}
_PUBLIC_HEAD = {**BASE, "head_node": {"subnet": "public"}}
_OF_OLD_VERSION = {**BASE, "parallelcluster": {"version": "3.14.2"}}
_READING = {**BASE, "iam": {"policies": ["arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"]}}
_FORMER_LUSTRE = {"size_gib": 4800, "throughput_mb_s_per_tib": 200, "deployment": "PERSISTENT_1"}
# EFA goes with the sizes of this throughput that others have without it.
_FAST_LUSTRE = changed(BASE, "file_systems[0].lustre.throughput_mb_s_per_tib", 1000)
_WITH_NEEDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "network.existing.vpc": (_IN_EXISTING, {**_IN_EXISTING, "network": {"existing": _ANOTHER_NETWORK}}),
    "file_systems[0].lustre.deployment": (BASE, changed(BASE, "file_systems[0].lustre", _FORMER_LUSTRE)),
    "file_systems[0].lustre.efa": (_FAST_LUSTRE, changed(_FAST_LUSTRE, "file_systems[0].lustre.efa", value=True)),
    "head_node.elastic_ip": (_PUBLIC_HEAD, changed(_PUBLIC_HEAD, "head_node.elastic_ip", value=True)),
    "login_nodes.ssh_key": (_OF_OLD_VERSION, changed(_OF_OLD_VERSION, "login_nodes.ssh_key", "key")),
    **{
        path: (_READING, changed(_READING, path, CHANGES[path][0]))
        for path in CHANGES
        if path.startswith("login_nodes.custom_actions")
    },
    # What exists is in no network that is yet to be made.
    **{
        path: (before | _IN_TWO_SUBNETS, after | _IN_TWO_SUBNETS)
        for path in ("file_systems[0].lustre.id", "file_systems[2].openzfs.id")
        for before, after in [before_and_after(path)]
    },
}
PLATFORMS = ("environment", "batch", "eks", "parallelcluster")


class Edit(NamedTuple):
    """A spec as it is deployed, and as it is then."""

    name: str
    before: str
    after: str


@cache
def edits(platform: str) -> tuple[Edit, ...]:
    """Return every edit between specs that can be deployed: those that begin with the same spec side by side.

    Behind each is the way back, which begins where the edit has led.
    """
    there = _edits(platform)
    order = list(dict.fromkeys(edit.before for edit in there))
    by_start = sorted(there, key=lambda edit: order.index(edit.before))
    return tuple(each for edit in by_start for each in (edit, Edit(f"{edit.name} back", edit.after, edit.before)))


def part(platform: str, number: int, parts: int) -> tuple[Edit, ...]:
    """Return one of so many parts of them, each in one piece and with the ways back."""
    every = edits(platform)
    pairs = len(every) // 2
    return every[number * pairs // parts * 2 : (number + 1) * pairs // parts * 2]


def _edits(platform: str) -> list[Edit]:
    return [
        Edit(name, before, after)
        for name, *specs in _pairs()
        for before, after in [(_text(platform, spec) for spec in specs)]
        if before and after and before != after
    ]


def _pairs() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield specs that differ in a field, in the mode of their monitoring, or by a whole file system."""
    for path in CHANGES:
        if path not in ANOTHER:
            yield (path, *(_WITH_NEEDS.get(path) or before_and_after(path)))
    for former, new in itertools.combinations(_MODES, 2):
        with_network = {**BASE, "network": SELF_HOSTED["network"]}
        specs = [{**with_network, "monitoring": {"mode": mode}} for mode in (former, new)]
        yield (f"monitoring {former} to {new}", specs[0], specs[1])
    for index, entry in enumerate(BASE["file_systems"]):
        rest = [other for other in BASE["file_systems"] if other is not entry]
        yield f"without file system {index}", BASE, {**BASE, "file_systems": rest}
        if {"lustre", "openzfs"} & set(entry):
            yield from _orders(entry)


def _orders(entry: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield specs in which file systems of one kind stand in another order."""
    kind, second = list(entry)[1], {**deepcopy(entry), "mount": "/second"}
    single, before, behind = ({**BASE, "file_systems": files} for files in ([entry], [second, entry], [entry, second]))
    yield f"{kind} before another", single, before
    yield f"{kind} behind another", single, behind
    yield f"{kind} exchanged", behind, before


def _text(platform: str, spec: Mapping[str, Any]) -> str | None:
    """Return a spec of a platform as text; None for one that nobody could deploy."""
    adapted = _of_environment(spec) if platform == "environment" else _of_platform(platform, spec)
    try:
        parsed = parse(yaml_text(adapted), "cluster.yaml")
        unusable = list(_UNUSABLE.problems(parsed.spec))
        for problem in sorted(unusable, key=lambda one: str(one.path), reverse=True):
            _leave_out(adapted, problem.path)
        parsed = parse(yaml_text(adapted), "cluster.yaml")
    except TrainyardError:
        return None
    return None if any(finding.severity == "error" for finding in rule_findings(parsed)) else yaml_text(adapted)


_UNUSABLE = next(rule for rule in all_rules() if rule.id == "key-not-for-platform")


def _of_environment(spec: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in deepcopy({**_MANAGED, **spec}).items() if key in _OF_ENVIRONMENTS}
    files = [entry for entry in kept.get("file_systems") or [] if {"lustre", "openzfs"} & set(entry)]
    return {"kind": "environment", **kept, "file_systems": files}


def _of_platform(platform: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    needed = {"network": ON_EKS["network"]} if platform == "eks" else {}
    adapted = deepcopy({**needed, **spec, "platform": platform})
    return {key: value for key, value in adapted.items() if value is not None}


def _leave_out(spec: dict[str, Any], path: Path) -> None:
    """Leave out a key, with the whole file system where it says the kind of one, and with what is empty without it."""
    if path[0] == "file_systems":
        path = path[:2]
    *above, key = path
    place: Any = spec
    for step in above:
        place = place[step]
    del place[key]
    if above and place == {}:
        _leave_out(spec, tuple(above))
