"""Files of eksctl become specs that render them again, exactly."""

from __future__ import annotations

import json
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

RENDERED = sorted(Path(__file__).parents[3].glob("bundle/golden/eks*/cluster.yaml"))
PUBLISHED = sorted(PUBLISHED_CONFIGS.glob("e*/cluster*.yaml"))
LEAST = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: llm, region: us-east-2}
managedNodeGroups:
  - {name: train, instanceType: p5.48xlarge}
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


def changed(nodes: dict[str, Any] | None = None, *, managed: bool = True, **sections: Any) -> str:
    """Return the least file with further keys of its node group, and further sections."""
    config = yaml.safe_load(LEAST)
    (group,) = config.pop("managedNodeGroups")
    config["managedNodeGroups" if managed else "nodeGroups"] = [{**group, **(nodes or {})}]
    for key, value in sections.items():
        config[key] = {**config.get(key, {}), **value} if isinstance(value, dict) else value
    return yaml.safe_dump(config, sort_keys=False)


@pytest.mark.parametrize("file", RENDERED, ids=lambda file: file.parent.name)
def test_what_trainyard_itself_renders_is_adopted_without_a_difference(file):
    adoption = adopt_file(str(file))
    assert adoption.differences == ()
    assert list(differences(yaml.safe_load(file.read_text()), rendered(adoption))) == []


@needs(PUBLISHED_CONFIGS)
def test_published_files_are_adopted_without_a_difference():
    refused = []
    for file in PUBLISHED:
        names_region = any(
            line.strip().startswith(("region: us", "region: eu")) for line in file.read_text().splitlines()
        )
        try:
            adoption = adopt_file(str(file), None, None if names_region else "us-east-2")
        except (InputError, FindingsError):
            refused.append(file.parent.name)
            continue
        assert adoption.differences == (), file
    # One is no YAML, one has no node groups, and one leaves the instance types to EC2 Auto Scaling.
    assert refused == ["e03-p4d-cr-arn-case", "e05-az-not-a-list", "e06-instances-distribution-managed"]


RESERVED = {"capacityReservation": {"capacityReservationTarget": {"capacityReservationID": "cr-0123456789abcdef0"}}}
BLOCK = {**RESERVED, "instanceMarketOptions": {"marketType": "capacity-block"}}
GROUP_ARN = "arn:aws:resource-groups:us-east-2:123456789012:group/mine"
CASES: dict[str, str] = {
    "least": LEAST,
    "counts": changed({"minSize": 1, "desiredCapacity": 2, "maxSize": 3}),
    "one count": changed({"desiredCapacity": 4}),
    "no nodes yet": changed({"desiredCapacity": 0}),
    "least and most": changed({"minSize": 0, "maxSize": 3}),
    "most alone": changed({"maxSize": 3}),
    "first and most": changed({"desiredCapacity": 1, "maxSize": 3}),
    "not managed": changed({"efaEnabled": True, "desiredCapacity": 2}, managed=False),
    "not managed, and nothing else": changed({"desiredCapacity": 2}, managed=False),
    "reservation": changed({**RESERVED, "efaEnabled": True, "availabilityZones": ["us-east-2a"]}),
    "reservation without an id": changed({"capacityReservation": {"capacityReservationPreference": "none"}}),
    "Capacity Block": changed({**BLOCK, "privateNetworking": True}),
    "group of reservations": changed(
        {"capacityReservation": {"capacityReservationTarget": {"capacityReservationResourceGroupARN": GROUP_ARN}}}
    ),
    "placeholder for a reservation": changed(
        {"capacityReservation": {"capacityReservationTarget": {"capacityReservationID": "cr-xxxxxxxxxx"}}}
    ),
    "misspelt key": changed({"capacityReservation": {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}}),
    "spot": changed({"spot": True}),
    "several types": changed({"instanceType": None, "instanceTypes": ["g5.8xlarge", "g5.16xlarge"]}),
    "no type": changed({"instanceType": None}),
    "volume": changed({"volumeSize": 500, "volumeType": "io2", "volumeIOPS": 4000, "volumeEncrypted": False}),
    "EFA switched off": changed({"efaEnabled": False}),
    "labels and taints": changed({"labels": {"a": "b"}, "taints": [{"key": "a", "effect": "NoSchedule"}]}),
    "launch template": changed({"launchTemplate": {"id": "lt-0123456789abcdef0", "version": "3"}}),
    "existing network": changed(
        {"subnets": ["subnet-0123456789abcdef0"]},
        vpc={"id": "vpc-0123456789abcdef0", "subnets": {"private": {"one": {"id": "subnet-0123456789abcdef0"}}}},
    ),
    "named subnet": changed(
        {"subnets": ["one"], "efaEnabled": True, "privateNetworking": True},
        vpc={"id": "vpc-0123456789abcdef0", "subnets": {"private": {"one": {"id": "subnet-0123456789abcdef0"}}}},
    ),
    "ranges and logs": changed(
        vpc={"publicAccessCIDRs": ["203.0.113.0/24"], "clusterEndpoints": {"privateAccess": True}},
        cloudWatch={"clusterLogging": {"enableTypes": ["audit", "*"], "logRetentionInDays": 17}},
    ),
    "number for a version": changed(metadata={"version": 1.3}),
    "version": changed(metadata={"version": "1.33", "tags": {"team": "llm", "eks:own": "1"}}),
    "keys that nobody knows": changed({"emabled": True}, novelty={"deep": [1, {"er": "x"}]}),
    "add-ons": changed(addons=[{"name": "vpc-cni", "version": "latest"}, {"name": "coredns"}]),
    "null": changed({"labels": None}, iam=None),
    "two lists": changed(nodeGroups=[{"name": "own", "instanceType": "m5.large"}, {"name": "Long Name"}]),
    "texts of several lines": changed({"overrideBootstrapCommand": "#!/bin/bash\n- a: b #\n"}),
}


@each_case(("name", "text"), CASES.items(), ids=list(CASES))
def test_whatever_is_written_is_rendered_again(name, text):
    adoption = adopted(text)
    assert adoption.differences == ()
    written = with_lists(yaml.safe_load(text))
    assert list(differences(without_nulls(written), rendered(adoption))) == []


def without_nulls(value: Any) -> Any:
    """Return data as eksctl reads it: a key that holds null is not there."""
    if isinstance(value, dict):
        return {key: without_nulls(member) for key, member in value.items() if member is not None}
    return [without_nulls(member) for member in value] if isinstance(value, list) else value


@each_case(
    ("name", "value_of", "value"),
    [
        ("least", lambda spec: spec.queues[0].efa, False),
        ("least", lambda spec: (spec.queues[0].nodes, spec.queues[0].subnet), (2, "public")),
        ("one count", lambda spec: spec.queues[0].nodes, 4),
        ("most alone", lambda spec: (spec.queues[0].nodes.min, spec.queues[0].nodes.max), (2, 3)),
        ("first and most", lambda spec: (spec.queues[0].nodes.min, spec.queues[0].nodes.desired), (1, 1)),
        ("reservation", lambda spec: spec.queues[0].capacity.reservation, "cr-0123456789abcdef0"),
        ("Capacity Block", lambda spec: spec.queues[0].capacity.capacity_block, "cr-0123456789abcdef0"),
        ("spot", lambda spec: spec.queues[0].capacity, "spot"),
        ("no type", lambda spec: spec.queues[0].instance_type, "m5.large"),
        ("named subnet", lambda spec: spec.queues[0].subnet, "subnet-0123456789abcdef0"),
        ("existing network", lambda spec: spec.network.existing.vpc, "vpc-0123456789abcdef0"),
        ("version", lambda spec: (spec.eks.kubernetes_version, dict(spec.tags)), ("1.33", {"team": "llm"})),
        ("ranges and logs", lambda spec: (spec.eks.endpoint, spec.access.allow_from), ("both", ("203.0.113.0/24",))),
        ("two lists", lambda spec: [queue.name for queue in spec.queues], ["train", "own"]),
    ],
)  # fmt: skip
def test_the_spec_says_what_eksctl_does(name, value_of, value):
    assert value_of(spec_of(adopted(CASES[name]))) == value


def test_its_own_check_finds_no_error():
    for name in ("least", "counts", "not managed", "reservation", "Capacity Block", "spot"):
        findings = check_text(adopted(CASES[name]).spec, "spec.yaml").findings
        assert [finding.message for finding in findings if finding.severity == "error"] == [], name


def test_no_node_group_of_trainyard_is_rendered_or_counted():
    adoption = adopted(changed({"name": "system", "instanceType": "c5.2xlarge", "desiredCapacity": 1}))
    assert [group["name"] for group in rendered(adoption)["managedNodeGroups"]] == ["system"]
    assert all(finding.severity != "error" for finding in check_text(adoption.spec, "spec.yaml").findings)


def test_placeholders_of_name_region_and_network_have_values_that_stand_for_them():
    text = LEAST.replace("name: llm", "name: '${NAME}'").replace("us-east-2", "'${REGION}'")
    adoption = adopted(text + "vpc: {id: '${VPC}'}\n", name="mine", region="us-west-2")
    assert (adoption.name, adoption.differences) == ("mine", ())
    assert "# mine stands for ${NAME}." in adoption.spec
    assert [item.name for item in adoption.placeholders] == ["${NAME}", "${REGION}", "${VPC}"]


def test_an_id_of_a_vpc_that_is_none_has_a_value_that_stands_for_it():
    adoption = adopted(LEAST + "vpc: {id: vpc-xxxxxxxx}\n")
    assert adoption.differences == ()
    assert "# vpc-00000000 stands for vpc-xxxxxxxx." in adoption.spec


@each_case(
    ("text", "problem"),
    [
        (LEAST.replace("p5.48xlarge", "'${TYPE}'"), "no node group"),
        (LEAST.replace("train", "Train_Queue"), "no node group"),
        (LEAST.partition("managed")[0], "no node group"),
        (LEAST.replace("us-east-2", "Ohio"), "region"),
        (LEAST.replace("llm", "a_b"), "name"),
        (LEAST + "vpc: {id: {}}\n", "id of its VPC"),
        (LEAST + LEAST.partition("\n")[2], "a second time"),
        (changed(nodeGroups=[{"name": "train", "instanceType": "m5.large"}]), "called train"),
        (changed({"labels": {"a": "\u202e"}}), "whose characters can all be seen"),
        (LEAST + "---\n" + LEAST, "no configuration that can be adopted"),
    ],
)
def test_what_cannot_be_adopted_is_refused_with_the_reason(text, problem):
    with pytest.raises((InputError, FindingsError)) as raised:
        adopted(text)
    assert problem in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        LEAST + "vpc: {subnets: {private: [1], public: x}, publicAccessCIDRs: 3}\ncloudWatch: [a]\n",
        changed({"minSize": -1, "desiredCapacity": "x", "maxSize": 1.5, "subnets": "a", "capacityReservation": [1]}),
        changed({"labels": 3, "spot": "maybe", "volumeSize": 10**20, "efaEnabled": "yes", "availabilityZones": "a"}),
        changed(metadata={"tags": [1], "version": [2]}, iam=[1], secretsEncryption="k"),
        changed(metadata={"tags": {1: 2}}),
    ],
)
def test_values_of_any_shape_are_rendered_again_or_listed_or_refused(text):
    try:
        adoption = adopted(text)
    except (InputError, FindingsError):
        return
    written = without_nulls(json.loads(json.dumps(yaml.safe_load(text))))
    different = list(differences(written, rendered(adoption)))
    assert len(different) == len(adoption.differences)


def test_a_file_with_very_many_node_groups_is_adopted_in_no_time():
    groups = "".join(f"  - {{name: g{number}, instanceType: m5.large}}\n" for number in range(300))
    assert adopted(LEAST + groups).differences == ()


def test_another_name_than_that_of_the_file_is_refused():
    with pytest.raises(InputError, match="says llm"):
        adopted(LEAST, name="other")
