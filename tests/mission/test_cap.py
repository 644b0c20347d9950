"""Capacity and placement."""

from __future__ import annotations

from tests.mission.subject import cluster, document, files, findings, options, page, queue, resources
from trainyard.operate.nodes.topology import ClusterTopology, NetworkPlace

RESERVATION = "queues[0].capacity={reservation: cr-0123456789abcdef0}"
BLOCK = "queues[0].capacity={capacity_block: cr-0123456789abcdef0}"
GROUP = 'queues[0].capacity={reservation_group: "arn:aws:resource-groups:REGION:123456789012:group/mine"}'
EN = "p5en-monitoring"


def placement(*settings: str) -> bool:
    return bool(queue(EN, *settings)["ComputeResources"][0]["Networking"]["PlacementGroup"]["Enabled"])


def test_cap_1_a_placement_group_or_a_targeted_reservation():
    assert placement("queues[0].capacity=on-demand")
    assert not placement(RESERVATION)
    assert findings(EN, RESERVATION, "queues[0].placement_group=true")["placement-group-with-reservation"] == "warning"
    inference = cluster("distributed-training-p4de-batch-inference-g5-custom-ami")["Scheduling"]["SlurmQueues"][1]
    assert not inference["ComputeResources"][0]["Networking"]["PlacementGroup"]["Enabled"]


def test_cap_2_a_reservation_is_targeted_by_its_id():
    target = queue(EN, RESERVATION)["ComputeResources"][0]["CapacityReservationTarget"]
    assert target == {"CapacityReservationId": "cr-0123456789abcdef0"}


def test_cap_3_a_group_of_reservations_is_targeted_and_made():
    arn = GROUP.replace("REGION", "us-east-2")
    target = queue(EN, arn)["ComputeResources"][0]["CapacityReservationTarget"]
    assert target["CapacityReservationResourceGroupArn"].endswith("group/mine")
    readme = files(EN, "queues[0].capacity={reservations: [cr-0123456789abcdef0, cr-0123456789abcdef1]}")["README.md"]
    assert "AWS::EC2::CapacityReservationPool" in readme
    assert "AWS::ResourceGroups::Generic" in readme
    assert "resource-groups group-resources" in readme
    assert findings(EN, GROUP.replace("REGION", "us-west-2"))["outside-region"] == "error"


def test_cap_4_a_capacity_block_is_used_whole_and_only_aws_can_tell_its_spine():
    compute = queue(EN, BLOCK)["ComputeResources"][0]
    assert compute["MinCount"] == compute["MaxCount"]
    assert (queue(EN, BLOCK)["CapacityType"], placement(BLOCK)) == ("CAPACITY_BLOCK", False)
    assert findings(EN, BLOCK, "queues[0].nodes={min: 0, max: 2}")["capacity-block-not-fixed"] == "error"
    guide = page("guides/placement.md")
    assert "No API and no key of a spec asks for a single spine: ask your account team" in guide
    assert "aws ec2 describe-instance-topology" in guide
    assert {"--reservation", "--json"} <= options("nodes", "topology")
    topology = ClusterTopology("llm", "us-east-2", (_at("i-1", "a", "b"), _at("i-2", "a", "c"), _at("i-3")), ())
    assert (topology.spines, topology.switches, len(topology.untold)) == (1, 2, 1)


def _at(name: str, *network_nodes: str) -> NetworkPlace:
    return NetworkPlace(name, "p5en.48xlarge", "train", "us-east-2a", network_nodes)


def test_cap_5_on_demand_and_spot_get_a_placement_group():
    for capacity in ("on-demand", "spot"):
        assert placement(f"queues[0].capacity={capacity}")
    assert queue(EN, "queues[0].capacity=spot")["CapacityType"] == "SPOT"


def test_cap_6_a_node_group_of_eks_names_its_reservation_and_its_zone():
    written = cluster("eks-p4de-odcr")
    (group,) = (group for group in written["managedNodeGroups"] if "capacityReservation" in group)
    assert group["capacityReservation"]["capacityReservationTarget"]["capacityReservationID"].startswith("cr-")
    assert len(group["availabilityZones"]) == 1


def test_cap_7_batch_takes_a_reservation_or_a_group_and_not_both():
    template = document("batch-p4d", "batch.yaml")
    assert {"CapacityReservationId", "CapacityReservationResourceGroup", "CreatePlacementGroup"} <= set(
        template["Parameters"]
    )
    assert template["Rules"]
    assert resources(template, "AWS::EC2::PlacementGroup")


def test_cap_8_what_to_do_without_capacity_is_said():
    assert "no capacity for nodes that always run" in page("guides/troubleshooting.md")
    assert "add subnets in other zones, or allow another instance type" in page("failures.md")
