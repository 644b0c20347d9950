"""On AWS Batch every field of the spec changes the bundle, or a rule refuses it there. Nothing is ignored."""

from __future__ import annotations

from typing import Any

from tests.each_case import each_case
from tests.render.changes import BASE, CHANGES, ON_BATCH, changed
from tests.render.test_every_field import bundle
from trainyard.checking.spec_file import rule_findings
from trainyard.document.write import yaml_text
from trainyard.spec.parsing import parse

# What else must be there for a field to count, where it is not what ParallelCluster needs besides.
OWN = {"name": "q", "instance_type": "p5.48xlarge", "nodes": {"min": 0, "max": 4}}
MEASURED = {"monitoring": {"mode": "amp-only"}, "image": {"ami": "ami-0123456789abcdef0"}}
BESIDES: dict[str, dict[str, Any]] = {
    "monitoring.mode": {"image": {"ami": "ami-0123456789abcdef0"}},
    "monitoring.alert_email": MEASURED,
    "monitoring.alert_receivers": MEASURED,
    "network.availability_zone": {"queues": [{**OWN, "availability_zone": "us-east-2b"}]},
    "network.existing.vpc": {},
    "queues[0].compute_resources": {"queues": [{"name": "q", "compute_resources": [{"instance_type": "m5.large"}]}]},
    "queues[0].compute_resources[0].instance_type": {
        "queues": [{"name": "q", "compute_resources": [{"instance_type": "m5.large"}]}]
    },
    "file_systems[0].lustre.id": {
        "file_systems": [{"mount": "/fsx", "lustre": {"id": "fs-0123456789abcdef9"}}],
    },
    "file_systems[2].openzfs.id": {
        "file_systems": [
            {"mount": "/fsx", "lustre": {"id": "fs-0123456789abcdef9"}},
            {"mount": "/home", "openzfs": {"id": "fsvol-0123456789abcdef9"}},
        ],
    },
}
# The list of file systems is shorter without an EBS volume.
MOVED = {"file_systems[2].openzfs": "file_systems[1].openzfs", "file_systems[3].efs": "file_systems[2].efs"}
# A name of kinds of nodes within a queue, which has one kind here and no name for it.
WITHOUT_NAME = {"queues[0].compute_resources[0].name"}


def before_and_after(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    value, besides = CHANGES[path]
    kept = {key: one for key, one in besides.items() if key not in ("login_nodes", "file_systems", "queues")}
    queues = besides.get("queues", BASE["queues"])
    own = ON_BATCH if ".ebs." not in path else {**ON_BATCH, "file_systems": BASE["file_systems"]}
    base = {**BASE, "queues": queues, **own, **kept}
    base |= {"file_systems": besides["file_systems"]} if "file_systems" in besides else {}
    base |= BESIDES.get(path, {})
    moved = base["file_systems"] in (ON_BATCH["file_systems"], BESIDES["file_systems[2].openzfs.id"]["file_systems"])
    place = next((path.replace(old, new) for old, new in MOVED.items() if moved and path.startswith(old)), path)
    return base, changed(base, place, value)


def refused(spec: dict[str, Any]) -> set[tuple[str, str]]:
    parsed = parse(yaml_text(spec), "cluster.yaml")
    return {
        (rule_finding.id, str(rule_finding.path))
        for rule_finding in rule_findings(parsed)
        if rule_finding.severity == "error"
    }


@each_case("path", [path for path in CHANGES if path not in WITHOUT_NAME])
def test_a_field_changes_the_bundle_or_is_refused(path: str):
    before, after = before_and_after(path)
    if refused(after) - refused(before):
        return
    if refused(before) & refused(after):
        # What it needs besides, or its section, is refused already.
        assert any(finding in ("key-not-for-platform", "spot-for-multi-node-jobs", "batch-queue-with-several-kinds")
                   for finding, _ in refused(after))  # fmt: skip
        return
    assert bundle(before) != bundle(after)
