"""On Amazon EKS every field of the spec changes the bundle, or a rule refuses it there. Nothing is ignored."""

from __future__ import annotations

from typing import Any

from tests.each_case import each_case
from tests.render.changes import BASE, CHANGES, ON_EKS, changed, parse_path
from tests.render.test_every_field import bundle
from trainyard.checking.spec_file import rule_findings
from trainyard.document.write import yaml_text
from trainyard.spec.parsing import parse

REFUSED_SECTIONS = ("login_nodes", "head_node", "parallelcluster", "batch")
LARGE = {"name": "q", "instance_type": "p5.48xlarge"}
# What else must be there for a field to count, where it is not what ParallelCluster needs besides.
BESIDES: dict[str, dict[str, Any]] = {
    "network.availability_zone": {"queues": [{**LARGE, "availability_zone": "us-east-2a"}]},
    "network.existing.vpc": {},
    "network.existing.public_subnets": {"queues": [{**LARGE, "subnet": "public"}]},
}


def before_and_after(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    value, besides = CHANGES[path]
    steps = parse_path(path)
    kept = {key: one for key, one in besides.items() if key not in REFUSED_SECTIONS or key == steps[0]}
    base = {**BASE, **ON_EKS, **kept, "platform": "eks", **BESIDES.get(path, {})}
    if steps[0] == "file_systems" and "file_systems" not in besides:
        base["file_systems"] = BASE["file_systems"][: int(steps[1]) + 1]
    base = {key: one for key, one in base.items() if one is not None}
    return base, changed(base, path, value)


def refused(spec: dict[str, Any]) -> set[tuple[str, str]]:
    parsed = parse(yaml_text(spec), "cluster.yaml")
    return {(one.id, str(one.path)) for one in rule_findings(parsed) if one.severity == "error"}


@each_case("path", CHANGES)
def test_a_field_changes_the_bundle_or_is_refused(path: str):
    before, after = before_and_after(path)
    found = refused(after)
    if found - refused(before):
        return
    # What a refused section holds is refused with it: no other refusal excuses a field.
    if any(path.startswith(place) for _, place in found):
        return
    assert bundle(before) != bundle(after), found
