"""Every field of the spec changes the bundle. What does not yet is listed, and the list only shrinks."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from trainyard.bundle.assemble import assemble
from trainyard.document.write import yaml_text
from trainyard.finding import path_text
from trainyard.spec.cluster import Spec
from trainyard.spec.fields import field_hints, record_at
from trainyard.spec.parsing import parse

# Rendered by parts of trainyard that do not exist yet.
NOT_YET = {
    "network.internet": "the network's own template",
    "queues[0].setup": "what nodes install",
    "software.setup": "what nodes install",
    "software.containers": "what nodes install",
    "assets.bucket": "what nodes fetch",
}

BASE: dict[str, Any] = {
    "name": "base",
    "region": "us-east-2",
    "platform": "parallelcluster",
    "queues": [{"name": "q", "instance_type": "p5.48xlarge", "nodes": {"min": 1, "max": 4}}],
    "login_nodes": {},
    "file_systems": [
        {"mount": "/fsx", "lustre": {"size_gib": 4800, "throughput_mb_s_per_tib": 250}},
        {"mount": "/apps", "ebs": {"size_gib": 200}},
        {"mount": "/home", "openzfs": {"size_gib": 512}},
    ],
}
LONG = {"name": "q", "compute_resources": [{"instance_type": "m5.large"}]}
EXISTING = {"vpc": "vpc-0123456789abcdef0", "private_subnets": ["subnet-0123456789abcdef0"]}

# What every field is changed to, and what must be there besides for it to count.
CHANGES: dict[str, tuple[Any, dict[str, Any]]] = {
    "name": ("other", {}),
    "region": ("eu-west-1", {}),
    "network.availability_zone": (
        "us-east-2b",
        {"queues": [{"name": "q", "instance_type": "m5.large", "availability_zone": "us-east-2b"}]},
    ),
    "network.existing.vpc": ("vpc-0123456789abcdef9", {"network": {"existing": EXISTING}, "login_nodes": None}),
    "network.existing.public_subnets": (
        ["subnet-0123456789abcdef9"],
        {"network": {"existing": {**EXISTING, "public_subnets": ["subnet-0123456789abcdef8"]}}},
    ),
    "network.existing.private_subnets": (
        ["subnet-0123456789abcdef9"],
        {"network": {"existing": EXISTING}, "login_nodes": None},
    ),
    "network.existing.security_groups": (
        ["sg-0123456789abcdef9"],
        {"network": {"existing": EXISTING}, "login_nodes": None},
    ),
    "network.internet": ("none", {}),
    "access.ssh_key": ("key", {}),
    "access.allow_from": (["203.0.113.7/32"], {}),
    "iam.permissions_boundary": ("arn:aws:iam::123456789012:policy/b", {}),
    "iam.resource_prefix": ("/team/ml-", {}),
    "head_node.instance_type": ("m5.2xlarge", {}),
    "head_node.subnet": ("public", {}),
    "head_node.root_volume.size_gib": (501, {}),
    "login_nodes.count": (2, {}),
    "login_nodes.instance_type": ("m5.2xlarge", {}),
    "login_nodes.subnet": ("private", {}),
    "image.os": ("ubuntu2404", {}),
    "image.ami": ("ami-0123456789abcdef0", {}),
    "queues[0].name": ("r", {}),
    "queues[0].instance_type": ("p5en.48xlarge", {}),
    "queues[0].compute_resources": ([{"instance_type": "m5.2xlarge"}], {"queues": [LONG]}),
    "queues[0].availability_zone": ("us-east-2c", {}),
    "queues[0].subnet": ("public", {}),
    "queues[0].ami": ("ami-0123456789abcdef0", {}),
    "queues[0].root_volume.size_gib": (201, {}),
    "queues[0].setup": ("gpu", {}),
    "queues[0].nodes": (8, {}),
    "queues[0].nodes.min": (2, {}),
    "queues[0].nodes.max": (5, {}),
    "queues[0].capacity": ("spot", {}),
    "queues[0].capacity.reservation": ("cr-0123456789abcdef0", {}),
    "queues[0].capacity.reservation_group": ("arn:aws:resource-groups:us-east-2:123456789012:group/g", {}),
    "queues[0].capacity.capacity_block": ("cr-0123456789abcdef0", {}),
    "queues[0].efa": (False, {}),
    "queues[0].placement_group": (False, {}),
    "file_systems[0].mount": ("/data", {}),
    "file_systems[0].lustre.size_gib": (2400, {}),
    "file_systems[0].lustre.throughput_mb_s_per_tib": (500, {}),
    "file_systems[0].lustre.deployment": ("PERSISTENT_1", {}),
    "file_systems[0].lustre.data_repository": ("s3://other", {}),
    "file_systems[0].lustre.id": (
        "fs-0123456789abcdef0",
        {"file_systems": [{"mount": "/fsx", "lustre": {"id": "fs-0123456789abcdef9"}}]},
    ),
    "file_systems[1].ebs.size_gib": (300, {}),
    "file_systems[1].ebs.id": (
        "vol-0123456789abcdef0",
        {"file_systems": [*BASE["file_systems"][:1], {"mount": "/apps", "ebs": {"id": "vol-0123456789abcdef9"}}]},
    ),
    "file_systems[2].openzfs.size_gib": (1024, {}),
    "file_systems[2].openzfs.id": (
        "fsvol-0123456789abcdef0",
        {"file_systems": [*BASE["file_systems"][:2], {"mount": "/home", "openzfs": {"id": "fsvol-0123456789abcdef9"}}]},
    ),
    "scratch.mount": ("/local", {}),
    "software.setup": ("gpu", {}),
    "software.containers": (True, {}),
    "monitoring.mode": ("amp-only", {}),
    "monitoring.detailed": (True, {}),
    "monitoring.log_retention_days": (30, {}),
    "assets.bucket": ("my-bucket", {}),
    "timeouts.head_node_s": (3600, {}),
    "timeouts.compute_node_s": (2400, {}),
    "parallelcluster.version": ("3.15.1", {}),
    "parallelcluster.slurm.scaledown_idle_minutes": (60, {}),
    "parallelcluster.slurm.queue_update_strategy": ("TERMINATE", {}),
    "parallelcluster.slurm.job_exclusive": (True, {}),
    "tags": ({"team": "llm"}, {}),
    # platform is left out: another platform is another bundle altogether.
    "queues[0].compute_resources[0].name": ("n", {"queues": [LONG]}),
    "queues[0].compute_resources[0].instance_type": ("m5.2xlarge", {"queues": [LONG]}),
}


def bundle(spec: dict[str, Any]) -> dict[str, bytes]:
    files = assemble(parse(yaml_text(spec), "cluster.yaml").spec).files
    # To be listed as not rendered is not to be rendered.
    listed = rb"## In the spec, but not in this bundle\n.*?(?=## 1\.)"
    return files | {"README.md": re.sub(listed, b"", files["README.md"], flags=re.DOTALL)}


def changed(spec: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy of a spec with one value set."""
    copy = parse_path(path)
    result: dict[str, Any] = _copied(spec)
    node: Any = result
    for step, following in itertools.pairwise(copy):
        if isinstance(node, dict) and (node.get(step) is None or not isinstance(node[step], dict | list)):
            node[step] = [] if isinstance(following, int) else {}
        node = node[step]
    node[copy[-1]] = value
    return result


def parse_path(path: str) -> list[str | int]:
    return [int(step) if step.isdigit() else step for step in path.replace("[", ".").replace("]", "").split(".")]


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(member) for key, member in value.items()}
    return [_copied(member) for member in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", CHANGES)
def test_changing_a_field_changes_the_bundle(path: str):
    value, besides = CHANGES[path]
    base = {**BASE, **besides}
    same = bundle(base) == bundle(changed(base, path, value))
    assert same == (path in NOT_YET)


def test_every_field_of_the_spec_is_changed_by_one_of_these_tests():
    fields = {
        (record_at(Spec, steps[:-1]), steps[-1])
        for path in CHANGES
        if (steps := tuple(step for step in parse_path(path) if isinstance(step, str)))
    }
    written = {(record.__name__ if record else "", str(name)) for record, name in fields}
    missing = {one for one in _all_fields(Spec) if one not in written}
    assert missing == {("Spec", "platform")}


def _all_fields(record: type[Any]) -> set[tuple[str, str]]:
    from trainyard.spec.fields import records_in  # noqa: PLC0415  only this test walks the records

    found: set[tuple[str, str]] = set()
    for name, hint in field_hints(record).items():
        inner = list(dict.fromkeys(records_in(hint)))
        if not inner or name in ("nodes", "capacity", "compute_resources"):
            found.add((record.__name__, name))
        for one in inner:
            found |= _all_fields(one)
    # Fields that compute resources share with queues are changed in the flat form.
    shared = {"nodes", "capacity", "efa", "placement_group"}
    return {(name, field) for name, field in found if not (name == "ComputeResource" and field in shared)}


def test_the_path_text_of_findings_reads_like_the_paths_here():
    assert path_text(("queues", 0, "capacity", "reservation")) in CHANGES
