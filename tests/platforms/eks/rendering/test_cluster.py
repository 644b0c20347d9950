"""The ClusterConfig: the network, the node groups and what their instances come from."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.platforms.eks.rendering.options import CAPACITIES, cluster_of, cluster_with
from tests.specs import spec_of
from trainyard.catalog.kubernetes_versions import known_versions
from trainyard.errors import TrainyardError

ZONES = "network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}\n"
NODES = "queues: [{name: gpu, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}%s}]"


def rendered(part: str = "", queue: str = "") -> dict[str, Any]:
    """Return the ClusterConfig of a spec of which a part is written out."""
    network = "" if "network:" in part else ZONES
    return cluster_of(spec_of(f"platform: eks\n{network}{part}\n{NODES % queue}"))


def training(part: str = "", queue: str = "") -> dict[str, Any]:
    """Return its node group of training."""
    found: dict[str, Any] = rendered(part, queue)["managedNodeGroups"][1]
    return found


def test_the_control_plane_has_subnets_in_two_zones_and_nodes_are_in_one():
    whole = rendered()
    assert list(whole["vpc"]["subnets"]["private"]) == ["us-east-2a", "us-east-2b"]
    assert [group["availabilityZones"] for group in whole["managedNodeGroups"]] == [["us-east-2a"], ["us-east-2a"]]


def test_a_queue_that_spans_zones_brings_the_second_zone():
    part = "network: {availability_zone: us-east-2a}\n"
    whole = rendered(part, ", availability_zone: [us-east-2a, us-east-2c], efa: false")
    assert list(whole["vpc"]["subnets"]["private"]) == ["us-east-2a", "us-east-2c"]
    assert whole["managedNodeGroups"][1]["availabilityZones"] == ["us-east-2a", "us-east-2c"]


@pytest.mark.parametrize(
    ("network", "problem"),
    [
        ("network: {availability_zone: us-east-2a}", "needs a second zone beside us-east-2a"),
        (
            "network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2a}",
            "both zones of the network are us-east-2a",
        ),
    ],
)
def test_a_control_plane_in_one_zone_is_refused(network: str, problem: str):
    with pytest.raises(TrainyardError, match=problem) as refused:
        rendered(f"{network}\n")
    assert refused.value.where == "network.secondary_availability_zone"


def test_in_a_network_that_exists_nodes_stand_in_the_subnet_of_their_queue():
    subnets = "private_subnets: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]"
    part = f"network: {{existing: {{vpc: vpc-0123456789abcdef0, {subnets}}}}}\n"
    whole = rendered(part, ", subnet: subnet-0123456789abcdef0")
    assert whole["vpc"]["id"] == "vpc-0123456789abcdef0"
    assert [one["id"] for one in whole["vpc"]["subnets"]["private"].values()] == [
        "subnet-0123456789abcdef0",
        "subnet-0123456789abcdef1",
    ]
    system, gpu = whole["managedNodeGroups"]
    assert system["subnets"] == ["private-1", "private-2"]
    assert gpu["subnets"] == ["subnet-0123456789abcdef0"]
    assert "availabilityZones" not in gpu


@pytest.mark.parametrize(
    ("endpoint", "public", "private"), [("public", True, False), ("private", False, True), ("both", True, True)]
)
def test_the_api_is_reached_from_where_the_spec_says(endpoint: str, public: bool, private: bool):  # noqa: FBT001
    vpc = rendered(f"access: {{allow_from: [203.0.113.7/32]}}\neks: {{endpoint: {endpoint}}}")["vpc"]
    assert vpc["clusterEndpoints"] == {"publicAccess": public, "privateAccess": private}
    assert vpc.get("publicAccessCIDRs", []) == (["203.0.113.7/32"] if public else [])


def test_one_security_group_is_on_the_control_plane_and_on_all_nodes():
    whole = rendered()
    (group,) = whole["vpc"]["controlPlaneSecurityGroupIDs"]
    assert all(group in one["securityGroups"]["attachIDs"] for one in whole["managedNodeGroups"])


WANTED = {
    "on-demand": {},
    "spot": {"spot": True},
    "reservation": {"capacityReservationTarget": {"capacityReservationID": "cr-0123456789abcdef0"}},
    "reservation-group": {
        "capacityReservationTarget": {
            "capacityReservationResourceGroupARN": "arn:aws:resource-groups:us-east-2:123456789012:group/g"
        }
    },
    "capacity-block": {"capacityReservationTarget": {"capacityReservationID": "cr-0123456789abcdef0"}},
}


@pytest.mark.parametrize("capacity", WANTED)
def test_nodes_come_from_where_the_spec_says(capacity: str):
    found = cluster_with("eks-p4de-odcr", capacity)["managedNodeGroups"][1]
    assert {"spot": found["spot"]} if "spot" in found else found.get("capacityReservation", {}) == WANTED[capacity]
    market = {"marketType": "capacity-block"} if capacity == "capacity-block" else None
    assert found.get("instanceMarketOptions") == market


def test_several_reservations_are_a_group_that_a_stack_makes():
    found = cluster_with("eks-p4de-odcr", "reservations")["managedNodeGroups"][1]
    target = found["capacityReservation"]["capacityReservationTarget"]
    assert list(target) == ["capacityReservationResourceGroupARN"]


@pytest.mark.parametrize("capacity", CAPACITIES)
def test_a_node_group_that_has_a_reservation_is_in_one_zone(capacity: str):
    assert cluster_with("eks-p5-capacity-block", capacity)["managedNodeGroups"][1]["availabilityZones"] == [
        "us-east-2a"
    ]


def test_the_number_of_nodes_at_first_is_the_least_unless_the_spec_says_more():
    sizes = {key: training()[key] for key in ("minSize", "desiredCapacity", "maxSize")}
    assert sizes == {"minSize": 0, "desiredCapacity": 0, "maxSize": 4}
    part = "platform: eks\n" + ZONES + NODES.replace("max: 4", "max: 4, desired: 3") % ""
    assert cluster_of(spec_of(part))["managedNodeGroups"][1]["desiredCapacity"] == 3


@pytest.mark.parametrize(
    ("type_", "striped"), [("p5.48xlarge", True), ("trn1.32xlarge", True), ("p4de.24xlarge", True), ("m5.large", False)]
)
def test_drives_are_striped_where_there_are_any(type_: str, striped: bool):  # noqa: FBT001
    part = f"platform: eks\n{ZONES}queues: [{{name: q, instance_type: {type_}, nodes: 1}}]"
    group = cluster_of(spec_of(part))["managedNodeGroups"][1]
    if not striped:
        assert "overrideBootstrapCommand" not in group
        return
    config = yaml.safe_load(group["overrideBootstrapCommand"])
    assert config["apiVersion"] == "node.eks.aws/v1alpha1"
    assert config["spec"]["instance"]["localStorage"]["strategy"] == "RAID0"


@pytest.mark.parametrize(
    ("type_", "taint", "efa"),
    [
        ("p5.48xlarge", "nvidia.com/gpu", True),
        ("trn1.32xlarge", "aws.amazon.com/neuron", True),
        ("g5.xlarge", "nvidia.com/gpu", False),
        ("m5.large", None, False),
    ],
)
def test_nodes_with_accelerators_keep_other_pods_away_and_say_what_they_have(type_: str, taint: str | None, efa: bool):  # noqa: FBT001
    part = f"platform: eks\n{ZONES}queues: [{{name: q, instance_type: {type_}, nodes: 1}}]"
    system, group = cluster_of(spec_of(part))["managedNodeGroups"]
    assert [taint["key"] for taint in group.get("taints", [])] == ([] if taint is None else [taint])
    assert group["labels"]["trainyard/queue"] == "q"
    assert ("efaEnabled" in group, group["labels"].get("trainyard/efa")) == (efa, "true" if efa else None)
    assert "taints" not in system


def test_pods_cannot_use_the_role_of_their_node_unless_the_spec_gives_it_policies():
    assert all(group["disablePodIMDS"] for group in rendered()["managedNodeGroups"])
    assert all("iam" not in group for group in rendered()["managedNodeGroups"])
    given = rendered("eks: {node_policies: [fsx]}")["managedNodeGroups"]
    assert all(one["iam"]["withAddonPolicies"] == {"fsx": True} for one in given)
    assert not any(one["disablePodIMDS"] for one in given)


def test_policies_of_the_spec_do_not_take_those_away_that_nodes_need():
    attached = training("iam: {policies: ['arn:aws:iam::123456789012:policy/p']}")["iam"]["attachPolicyARNs"]
    assert [arn.rpartition("/")[2] for arn in attached] == [
        "AmazonEKSWorkerNodePolicy",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonSSMManagedInstanceCore",
        "p",
    ]


def test_prometheus_has_a_role_of_its_own_where_metrics_leave_the_cluster():
    assert "podIdentityAssociations" not in rendered()["iam"]
    (one,) = rendered("monitoring: {mode: amp-only}")["iam"]["podIdentityAssociations"]
    assert (one["namespace"], one["serviceAccountName"]) == ("monitoring", "prometheus-agent")


@pytest.mark.parametrize("version", known_versions())
def test_add_ons_have_the_versions_that_the_catalog_knows_for_a_version_of_kubernetes(version: str):
    whole = rendered(f"eks: {{kubernetes_version: '{version}'}}")
    pinned = {addon["name"]: addon.get("version") for addon in whole["addons"]}
    assert whole["metadata"]["version"] == version
    assert set(pinned) == {
        "vpc-cni",
        "coredns",
        "kube-proxy",
        "eks-pod-identity-agent",
        "eks-node-monitoring-agent",
    }
    if pinned["kube-proxy"] is not None:
        assert pinned["kube-proxy"].startswith(f"v{version}.")


def test_an_add_on_without_a_known_version_has_its_role_from_eksctl():
    (known,) = (addon for addon in rendered()["addons"] if addon["name"] == "vpc-cni")
    assert known["useDefaultPodIdentityAssociations"]
    whole = rendered("eks: {kubernetes_version: '1.99'}")
    assert {"name": "vpc-cni"} in whole["addons"]
    assert whole["iam"]["withOIDC"]


def test_without_node_repair_no_agent_looks_for_broken_nodes():
    whole = rendered("eks: {node_repair: false}")
    assert "eks-node-monitoring-agent" not in [addon["name"] for addon in whole["addons"]]
    assert all(group["nodeRepairConfig"] == {"enabled": False} for group in whole["managedNodeGroups"])


def test_a_queue_cannot_be_called_as_the_system_nodes_are():
    part = f"platform: eks\n{ZONES}queues: [{{name: system, instance_type: p5.48xlarge, nodes: 1}}]"
    with pytest.raises(TrainyardError, match="called system already"):
        cluster_of(spec_of(part))
