"""Amazon EKS. tests/platforms/eks/ deploys it into an emulated account."""

from __future__ import annotations

from tests.mission.subject import cluster, files
from trainyard.architectures import all_architectures

DOCUMENTED = ("eks-g4dn-vpc", "eks-g4dn", "eks-p4de-odcr-vpc", "eks-p4de-odcr")


def test_eks_1_there_are_system_and_worker_node_groups():
    groups = {group["name"]: group for group in cluster("eks-p4de-odcr")["managedNodeGroups"]}
    assert groups.pop("system")["instanceType"] == "c5.2xlarge"
    assert [group["instanceType"] for group in groups.values()] == ["p4de.24xlarge"]


def test_eks_2_the_four_manifests_are_architectures():
    assert {*DOCUMENTED} <= {architecture.name for architecture in all_architectures()}
    for name in DOCUMENTED:
        assert ("vpc" in cluster(name)) == (name.endswith("-vpc") or "subnets" in cluster(name).get("vpc", {}))


def test_eks_3_it_is_made_looked_at_and_deleted_by_eksctl():
    readme = files("eks-p4de-odcr")["README.md"]
    for command in ("eksctl create cluster", "kubectl get nodes", "eksctl delete cluster"):
        assert command in readme
