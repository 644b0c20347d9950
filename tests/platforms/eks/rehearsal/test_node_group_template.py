"""The template of a node group says where eksctl would what its nodes are."""

from __future__ import annotations

from typing import Any

from trainyard.api.new import new_spec
from trainyard.platforms.eks.rehearsal.eksctl.node_group_template import node_group_template
from trainyard.platforms.eks.rendering.cluster import cluster
from trainyard.render.stand_ins import Ids
from trainyard.spec.parsing import parse


def resources(architecture: str) -> dict[str, Any]:
    config = cluster(parse(new_spec(architecture, []), "cluster.yaml").spec, Ids({}))
    group = config["managedNodeGroups"][1]
    found: dict[str, Any] = node_group_template(config, group, ["subnet-1"], 32, [group["instanceType"]])["Resources"]
    return found


def test_for_a_capacity_block_the_launch_template_names_the_instance_type():
    made = resources("eks-p5-capacity-block")
    assert made["LaunchTemplate"]["Properties"]["LaunchTemplateData"]["InstanceType"] == "p5.48xlarge"
    assert made["ManagedNodeGroup"]["Properties"]["CapacityType"] == "CAPACITY_BLOCK"
    assert "InstanceTypes" not in made["ManagedNodeGroup"]["Properties"]


def test_otherwise_the_node_group_names_it():
    made = resources("eks-p4de-odcr")
    assert "InstanceType" not in made["LaunchTemplate"]["Properties"]["LaunchTemplateData"]
    assert made["ManagedNodeGroup"]["Properties"]["InstanceTypes"] == ["p4de.24xlarge"]
