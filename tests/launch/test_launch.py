"""What a spec launches, resolved: capacity, placement, counts and hardware of every kind of instance."""

from __future__ import annotations

import pytest

from tests.specs import spec_of
from trainyard.launch.capacity import CapacityTarget, named_reservations
from trainyard.launch.instance import Hardware
from trainyard.launch.launch import compute_launches, cuda_architectures, launches, queue_hardware

P5 = "queues: [{name: gpu, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}CAPACITY}]"


def of_capacity(capacity: str, platform: str = "parallelcluster"):
    return spec_of(f"platform: {platform}\n{P5.replace('CAPACITY', f', capacity: {capacity}')}")


FIRST, SECOND = "cr-0123456789abcdef0", "cr-0123456789abcdef1"
ARN = "arn:aws:resource-groups:us-east-1:123456789012:group/mine"


@pytest.mark.parametrize(
    ("capacity", "target"),
    [
        ("on-demand", CapacityTarget("on-demand")),
        ("spot", CapacityTarget("spot")),
        (f"{{reservation: {FIRST}}}", CapacityTarget("reservation", FIRST)),
        (f"{{capacity_block: {FIRST}}}", CapacityTarget("capacity_block", FIRST)),
        (f"{{reservation_group: '{ARN}'}}", CapacityTarget("reservation_group", group_arn=ARN)),
        (
            f"{{reservations: [{FIRST}, {SECOND}]}}",
            CapacityTarget("reservation_group", group_number=1, members=(FIRST, SECOND)),
        ),
    ],
)
def test_a_capacity_is_one_target(capacity: str, target: CapacityTarget):
    (launch,) = compute_launches(of_capacity(capacity))
    assert launch.capacity == target


def test_reservations_are_named_once_and_not_those_of_somebody_else_s_group():
    assert named_reservations(of_capacity(f"{{reservations: [{FIRST}, {SECOND}]}}")) == (FIRST, SECOND)
    assert named_reservations(of_capacity(f"{{reservation_group: '{ARN}'}}")) == ()


@pytest.mark.parametrize(
    ("platform", "nodes", "capacity", "placed"),
    [
        ("parallelcluster", 4, "on-demand", True),
        ("parallelcluster", 4, "spot", True),
        ("parallelcluster", 4, f"{{reservation: {FIRST}}}", False),
        ("parallelcluster", 1, "on-demand", False),
        ("batch", 1, "on-demand", False),
        ("eks", 1, "on-demand", True),
        ("eks", 1, f"{{capacity_block: {FIRST}}}", False),
    ],
)
def test_nodes_with_efa_are_placed_together_unless_their_capacity_is_reserved(platform, nodes, capacity, placed):
    text = P5.replace("{min: 0, max: 4}", str(nodes)).replace("CAPACITY", f", capacity: {capacity}")
    (launch,) = compute_launches(spec_of(f"platform: {platform}\n{text}"))
    assert launch.placement_group is placed


def test_a_platform_launches_its_own_nodes_before_those_of_queues():
    of_role = {
        platform: [launch.role for launch in launches(spec_of(f"platform: {platform}\n{P5.replace('CAPACITY', '')}"))]
        for platform in ("parallelcluster", "batch", "eks")
    }
    assert of_role == {"parallelcluster": ["head", "compute"], "batch": ["compute"], "eks": ["system", "compute"]}


def test_a_spec_is_resolved_once():
    spec = of_capacity("on-demand")
    assert launches(spec) is launches(spec)
    assert launches(of_capacity("on-demand")) is not launches(spec)


MIXED = """\
queues:
  - name: gpu
    compute_resources:
      - {name: with, instance_type: p6-b200.48xlarge, nodes: 1, efa: true}
      - {name: without, instance_type: p6-b200.48xlarge, nodes: 1, efa: false}
      - {name: old, instance_type: p4d.24xlarge, nodes: 1}
"""


def test_of_a_type_with_efa_and_without_it_no_interface_is_expected():
    spec = spec_of(MIXED)
    assert queue_hardware(spec, spec.queues[0]) == {
        "p6-b200.48xlarge": Hardware(0, 8, "nvlsm"),
        "p4d.24xlarge": Hardware(4, 8, "fabric-manager"),
    }


def test_cuda_is_compiled_for_the_gpus_of_all_queues():
    assert cuda_architectures(spec_of(MIXED)) == ("80", "100")


def test_what_the_catalog_does_not_know_stays_unknown():
    (launch,) = compute_launches(spec_of("queues: [{name: q, instance_type: x99.large, nodes: 1}]"))
    assert launch.instance.facts is None
    assert launch.instance.hardware == Hardware(0, None, "none")
    assert launch.instance.private_addresses == 1
