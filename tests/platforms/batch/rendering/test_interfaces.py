"""Network interfaces of the launch templates, beside those of AWS's own templates for AWS Batch.

https://github.com/aws-samples/awsome-distributed-training/tree/main/1.architectures/3.aws-batch, read 2026-11-21:
every interface there is of kind efa; for P5 and P6 all are on device 0, for P4 on a device of the card's own number.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.platforms.batch.rendering.resolved import resources_of, stack_of
from trainyard.catalog.instances import find
from trainyard.catalog.interfaces import Interface, misfits

# Card and device of each interface.
OF_AWS = {
    "p4d.24xlarge": [(card, card) for card in range(4)],
    "p5.48xlarge": [(card, 0) for card in range(32)],
    "p6-b200.48xlarge": [(card, 0) for card in range(8)],
}


def interfaces(instance_type: str, more: str = "") -> list[dict[str, Any]]:
    made = resources_of(stack_of(f"queues: [{{name: q, instance_type: {instance_type}{more}}}]"))
    found: list[dict[str, Any]] = made["LaunchTemplate"]["LaunchTemplateData"]["NetworkInterfaces"]
    return found


def places(instance_type: str) -> list[tuple[int, int]]:
    return [(interface["NetworkCardIndex"], interface["DeviceIndex"]) for interface in interfaces(instance_type)]


@pytest.mark.parametrize("instance_type", ["p5.48xlarge", "p6-b200.48xlarge"])
def test_places_are_those_of_aws(instance_type: str):
    assert places(instance_type) == OF_AWS[instance_type]


def test_on_p4d_all_are_on_device_0_where_aws_counts_up():
    # EC2's guide puts an EFA-only interface on device 0 of its card. A card of p4d holds 15 interfaces, so that EC2
    # takes AWS's devices 1 to 3 too; what counts is the card. Four interfaces, one a card, are in both.
    # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html
    assert places("p4d.24xlarge") == [(card, 0) for card, _ in OF_AWS["p4d.24xlarge"]]


@pytest.mark.parametrize("instance_type", OF_AWS)
def test_only_the_first_takes_an_address_where_all_of_aws_do(instance_type: str):
    # 32 addresses a node fill a subnet of 4,096 at 128 nodes; EFA needs none.
    kinds = [interface["InterfaceType"] for interface in interfaces(instance_type)]
    assert kinds == ["efa", *["efa-only"] * (len(OF_AWS[instance_type]) - 1)]


@pytest.mark.parametrize(
    ("instance_type", "efa", "together"),
    [
        ("p4d.24xlarge", 4, 4),
        ("p5.48xlarge", 32, 32),
        ("p5en.48xlarge", 16, 16),
        ("p6-b200.48xlarge", 8, 8),
        ("p6-b300.48xlarge", 16, 17),
        ("trn1.32xlarge", 8, 8),
        ("m5.large", 0, 1),
    ],
)
def test_every_type_has_the_interfaces_that_are_its_own(instance_type: str, efa: int, together: int):
    found = interfaces(instance_type)
    assert (sum(one["InterfaceType"] != "interface" for one in found), len(found)) == (efa, together)
    planned = [Interface(one["NetworkCardIndex"], one["DeviceIndex"], one["InterfaceType"]) for one in found]
    facts = find(instance_type)
    assert facts is not None
    assert misfits(facts, planned) == ()


def test_without_efa_one_interface_is_left_and_no_device():
    (one,) = interfaces("p5.48xlarge", ", efa: false")
    assert one["InterfaceType"] == "interface"


def test_every_interface_has_the_groups_and_goes_with_its_instance():
    for interface in interfaces("p5.48xlarge"):
        assert interface["Groups"] == ["sg-00000000000000100"]
        assert interface["DeleteOnTermination"] is True
