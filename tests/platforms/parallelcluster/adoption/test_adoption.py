"""Configurations become specs that render them again, exactly."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from tests.each_case import each_case
from tests.oracles import PUBLISHED_CONFIGS, needs
from trainyard.api.adopt import Adoption, adopt_file
from trainyard.checking.spec_file import check_text
from trainyard.errors import FindingsError, InputError
from trainyard.render.overlay import differences, with_lists
from trainyard.render.rendering import render
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

TESTS = Path(__file__).parents[3]
RENDERED = sorted(
    [
        *TESTS.glob("bundle/golden/[dp]*/cluster.yaml"),
        TESTS / "oracle/configs/small.yaml",
        TESTS / "oracle/configs/ultraserver.yaml",
    ]
)
PUBLISHED = sorted(PUBLISHED_CONFIGS.glob("p*/cluster*.yaml"))
LEAST = """\
Region: us-east-2
Image: {Os: ubuntu2204}
HeadNode:
  InstanceType: m5.large
  Networking: {SubnetId: subnet-0123456789abcdef0}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: train
      ComputeResources: [{Name: big, InstanceType: p5.48xlarge}]
      Networking: {SubnetIds: [subnet-0123456789abcdef0]}
"""


def adopted(text: str, **options: Any) -> Adoption:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "config.yaml"
        file.write_text(text, encoding="utf-8")
        return adopt_file(str(file), **options)


def spec_of(adoption: Adoption) -> Spec:
    return parse(adoption.spec, "spec.yaml").spec


def rendered(adoption: Adoption) -> Any:
    return with_lists(render(spec_of(adoption), {}).documents["cluster.yaml"])


def only(spec: Spec) -> Any:
    """Return the one compute resource."""
    (resource,) = spec.queues[0].compute_resources or (None,)
    return resource


def changed(**sections: Any) -> str:
    """Return the least configuration with further keys, each at a path such as HeadNode__Ssh__KeyName."""
    config = yaml.safe_load(LEAST)
    queue = config["Scheduling"]["SlurmQueues"][0]
    starts = {"QUEUE": queue, "RESOURCE": queue["ComputeResources"][0]}
    for path, value in sections.items():
        *above, last = path.split("__")
        holder = starts[above.pop(0)] if above and above[0] in starts else config
        for step in above:
            holder = holder.setdefault(step, {})
        holder[last] = value
    return yaml.safe_dump(config, sort_keys=False)


@pytest.mark.parametrize("file", RENDERED, ids=lambda file: file.parent.name if file.stem == "cluster" else file.stem)
def test_what_trainyard_itself_renders_is_adopted_without_a_difference(file):
    adoption = adopt_file(str(file))
    assert adoption.differences == ()
    assert list(differences(yaml.safe_load(file.read_text()), rendered(adoption))) == []


@needs(PUBLISHED_CONFIGS)
def test_published_configurations_are_adopted_without_a_difference():
    refused = []
    for file in PUBLISHED:
        names_region = any(line.startswith("Region: us") for line in file.read_text().splitlines())
        try:
            adoption = adopt_file(str(file), "published", None if names_region else "us-east-2")
        except InputError:
            refused.append(file.parent.name)
            continue
        assert adoption.differences == (), file
    # The two that name no instance type: by mistake, and by a placeholder.
    assert refused == ["p11-adai-vanilla", "p30-instance-type-missing-reservation-at-queue"]


CASES: dict[str, dict[str, Any]] = {
    "range of SSH": {"HeadNode__Ssh__AllowedIps": "203.0.113.0/24"},
    "default that is written out": {"HeadNode__Ssh__AllowedIps": "0.0.0.0/0", "RESOURCE__Efa__Enabled": False},
    "prefix list": {"HeadNode__Ssh__AllowedIps": "pl-0123456789abcdef0"},
    "numbers of nodes": {"RESOURCE__MinCount": 2, "RESOURCE__MaxCount": 2},
    "reservation of the queue": {
        "QUEUE__CapacityReservationTarget__CapacityReservationId": "cr-0123456789abcdef0",
        "QUEUE__CapacityType": "ONDEMAND",
    },
    "reservation of the nodes": {"RESOURCE__CapacityReservationTarget__CapacityReservationId": "cr-0123456789abcdef0"},
    "spot": {"QUEUE__CapacityType": "SPOT", "RESOURCE__SpotPrice": 12},
    "Capacity Block without one": {"QUEUE__CapacityType": "CAPACITY_BLOCK"},
    "placement group of the queue": {"QUEUE__Networking__PlacementGroup": {"Enabled": True}},
    "placement group by name": {"QUEUE__Networking__PlacementGroup": {"Name": "mine"}},
    "one script": {"HeadNode__CustomActions__OnNodeConfigured": {"Script": "s3://bucket/setup.sh", "Args": ["a", 1]}},
    "list of one script": {"QUEUE__CustomActions__OnNodeStart": {"Sequence": [{"Script": "s3://bucket/setup.sh"}]}},
    "lines of slurm.conf": {
        "Scheduling__SlurmSettings__CustomSlurmSettings": [{"DebugFlags": "Power"}, {"KillWait": 60}, {"A": 1, "B": 2}]
    },
    "database without a port": {"Scheduling__SlurmSettings__Database": {"Uri": "db.example.com"}},
    "file systems": {
        "SharedStorage": [
            {"Name": "own", "MountDir": "/own", "StorageType": "FsxLustre",
             "FsxLustreSettings": {"StorageCapacity": 1200}},
            {"Name": "fsx", "MountDir": "/fsx", "StorageType": "FsxLustre",
             "FsxLustreSettings": {"FileSystemId": "fs-0123456789abcdef0"}},
            {"Name": "disk", "MountDir": "/disk", "StorageType": "Ebs",
             "EbsSettings": {"Size": 100, "SnapshotId": "snap-1"}},
            {"Name": "cache", "MountDir": "cache", "StorageType": "FileCache",
             "FileCacheSettings": {"FileCacheId": "fc-1"}},
        ]
    },
    "other subnets": {
        "HeadNode__Networking__SubnetId": "subnet-3333aaaa", "QUEUE__Networking__SubnetIds": ["subnet-1111aaaa"]
    },
    "several subnets": {
        "QUEUE__Networking__SubnetIds": ["subnet-1111aaaa", "subnet-2222aaaa"],
        "QUEUE__ComputeResources": [{"Name": "any", "Instances": [{"InstanceType": "c5.large"}]}],
    },
    "public addresses": {"QUEUE__Networking__AssignPublicIp": True},
    "several types": {"RESOURCE__InstanceType": None, "RESOURCE__Instances": [{"InstanceType": "c5.large"}]},
    "keys that nobody knows": {"HeadNode__Emabled": True, "Novelty": {"Deep": [1, {"er": None}]}},
    "tags": {"Tags": [{"Key": "a", "Value": "b"}], "QUEUE__Tags": [{"Key": "a", "Value": "b"}]},
    "unencrypted": {"QUEUE__ComputeSettings__LocalStorage__RootVolume__Encrypted": False},
    "login nodes": {
        "LoginNodes__Pools": [
            {"Name": "one", "Count": 1, "InstanceType": "m5.large", "Networking": {"SubnetIds": ["subnet-1111aaaa"]}},
            {"Name": "two", "Count": 2, "InstanceType": "m5.xlarge", "Networking": {"SubnetIds": ["subnet-1111aaaa"]},
             "Ssh": {"AllowedIps": "10.0.0.0/8"}},
        ]
    },
    "directory": {"DirectoryService": {"DomainName": "corp.example.com", "DomainAddr": "ldap.example.com"}},
    "timeouts": {"DevSettings__Timeouts__HeadNodeBootstrapTimeout": 1800},
    "no image": {"Image": {"Os": "alinux2023", "CustomAmi": "ami-00000000"}},
    "remote desktop": {"HeadNode__Dcv": {"Enabled": True}},
    "settings that no spec takes": {
        "RESOURCE__CustomSlurmSettings": {"Weight": 3, "Odd": [1, 2]},
        "QUEUE__CustomSlurmSettings": {"A": None, "B": "c"},
    },
    "versions of metadata": {"HeadNode__Imds": {"Secured": True}, "Imds": {"ImdsSupport": "v1.0"}},
}  # fmt: skip


@each_case(("name", "sections"), CASES.items(), ids=list(CASES))
def test_whatever_is_written_is_rendered_again(name, sections):
    text = changed(**sections)
    config = yaml.safe_load(text)
    adoption = adopted(text)
    assert adoption.differences == ()
    assert list(differences(config, rendered(adoption))) == []


@each_case(
    ("sections", "value_of", "value"),
    [
        ({}, lambda spec: only(spec).efa, False),
        ({"RESOURCE__Efa__Enabled": True}, lambda spec: only(spec).placement_group, False),
        ({}, lambda spec: spec.access.allow_from, ("0.0.0.0/0",)),
        ({}, lambda spec: spec.parallelcluster.slurm.queue_update_strategy, "COMPUTE_FLEET_STOP"),
        ({}, lambda spec: only(spec).nodes.max, 10),
        ({"RESOURCE__Name": "p5-48xlarge"}, lambda spec: spec.queues[0].instance_type, "p5.48xlarge"),
        (CASES["reservation of the queue"], lambda spec: only(spec).capacity.key, "reservation"),
        (CASES["file systems"], lambda spec: [one.mount for one in spec.file_systems], ["/fsx", "/disk"]),
        (CASES["one script"], lambda spec: spec.parallelcluster.overlay["HeadNode"]["CustomActions"] is not None, True),
    ],
)  # fmt: skip
def test_the_spec_says_what_parallelcluster_does(sections, value_of, value):
    assert value_of(spec_of(adopted(changed(**sections)))) == value


def test_its_own_check_finds_no_error_and_no_key_of_the_overlay_out_of_place():
    for sections in (CASES["file systems"], CASES["other subnets"], CASES["login nodes"]):
        findings = check_text(adopted(changed(**sections)).spec, "spec.yaml").findings
        assert [finding.message for finding in findings if finding.severity == "error"] == []


def test_a_configuration_without_a_region_renders_none():
    text = LEAST.removeprefix("Region: us-east-2\n")
    adoption = adopted(text, region="eu-west-1")
    assert (spec_of(adoption).region, adoption.differences) == ("eu-west-1", ())
    assert "Region" not in rendered(adoption)


def test_placeholders_are_named_and_stand_where_they_stood():
    text = LEAST.replace("[subnet-0123456789abcdef0]", "['${NODES}']") + "Tags: [{Key: team, Value: '${TEAM}'}]\n"
    adoption = adopted(text)
    assert [(item.name, item.path) for item in adoption.placeholders] == [
        ("${NODES}", "Scheduling.SlurmQueues[0].Networking.SubnetIds[0]"),
        ("${TEAM}", "Tags[0].Value"),
    ]
    assert "# subnet-00000001 stands for ${NODES}." in adoption.spec
    assert rendered(adoption)["Tags"] == [{"Key": "team", "Value": "${TEAM}"}]


@each_case(
    ("text", "problem"),
    [
        (LEAST.replace("slurm", "awsbatch", 1), "awsbatch"),
        (LEAST.replace("InstanceType: p5.48xlarge", "InstanceType: '${TYPE}'"), "instance_type"),
        (LEAST.replace("Region: us-east-2", "Region: Ohio"), "region"),
        ("name: a\nregion: us-east-2\nplatform: batch\nqueues: [{name: a, instance_type: m5.large}]", "a spec"),
        ("AWSTemplateFormatVersion: '2010-09-09'\nResources: {}\n", "cloudformation"),
        ("a: &a [*a]", "no configuration that can be adopted"),
        ("\0", "no configuration that can be adopted"),
        (LEAST + LEAST, "a second time"),
        (LEAST.replace("train", "Train Queue"), "queues[0].name"),
        ("[" * 5000, "no configuration that can be adopted"),
    ],
)  # fmt: skip
def test_what_cannot_be_adopted_is_refused_with_the_reason(text, problem):
    with pytest.raises((InputError, FindingsError)) as raised:
        adopted(text)
    assert problem in str(raised.value)
