"""The registration of the GPUs with their NVSwitches, and the services behind it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.node.health.gpus import eight, gpu, nodes_without_gpus, p5, p5_without_answer
from tests.node.health.node import Node
from trainyard_node.health.gpu_fabric import UNIT, check
from trainyard_node.health.nvml import Gpu, Gpus
from trainyard_node.processes import NOT_FOUND, TIMED_OUT


@pytest.fixture(autouse=True)
def _active(node: Node) -> None:
    node.says("systemctl", "active\n")


def b200(node: Node) -> None:
    """Let the node run what B200 needs."""
    node.write("/sys/module/ib_umad/refcnt", "1\n")
    node.write("/proc/1/comm", "systemd\n")
    node.write("/proc/412/comm", "nvlsm\n")


def test_registered_gpus_and_an_active_service_are_well(node: Node):
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.message) == ("ok", "the fabric manager is active; 8 GPUs are registered")
    assert node.processes.commands == [["systemctl", "is-active", UNIT]]


def test_a100_has_no_state_of_its_own_and_the_service_has_to_do(node: Node):
    a100 = [gpu(index, fabric_state=None, fabric_status=None, fabric_health=None) for index in range(8)]
    assert [outcome.status for outcome in check(p5(node, eight(*a100)))] == ["ok"]


@pytest.mark.parametrize("state", ["not started", "in progress"])
def test_a_gpu_that_has_not_registered_is_a_failure(node: Node, state: str):
    (outcome,) = check(p5(node, eight(gpu(6, fabric_state=state))))
    assert (outcome.status, outcome.device) == ("failed", "gpu 6")
    assert outcome.message == f"the registration with the NVSwitches is {state}"


def test_a_registration_that_ended_with_an_error_is_a_failure(node: Node):
    (outcome,) = check(p5(node, eight(gpu(6, fabric_status="Insufficient Resources"))))
    assert (outcome.status, outcome.device) == ("failed", "gpu 6")
    assert "Insufficient Resources" in outcome.message


@pytest.mark.parametrize(
    ("mask", "words"),
    [(0b01, "bandwidth is degraded"), (0b0100, "being recovered"), (0b010000, "unhealthy"), (5 << 8, "is wrong (5)")],
)
def test_an_ill_fabric_is_a_failure(node: Node, mask: int, words: str):
    (outcome,) = check(p5(node, eight(gpu(6, fabric_health=mask))))
    assert (outcome.status, outcome.device) == ("failed", "gpu 6")
    assert words in outcome.message


def test_a_fabric_whose_every_part_says_no_trouble_is_well(node: Node):
    # 2 is "false" in the pairs of bits, and 1 is "none" for the configuration.
    sound = [gpu(index, fabric_health=0b10_10_10_10 | 1 << 8) for index in range(8)]
    assert [outcome.status for outcome in check(p5(node, eight(*sound)))] == ["ok"]


def test_a_service_that_is_not_active_is_a_failure_beside_sound_gpus(node: Node):
    node.says("systemctl", "failed\n", 3)
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.device, outcome.message) == ("failed", UNIT, "the fabric manager is failed")
    assert "journalctl" in outcome.remedy


@pytest.mark.parametrize(("said", "status"), [("inactive", 3), ("inactive", 4), ("unknown", 3), ("unknown", 4)])
def test_a_service_that_is_stopped_or_missing_is_a_failure(node: Node, said: str, status: int):
    node.says("systemctl", f"{said}\n", status)
    assert [(outcome.status, outcome.device) for outcome in check(p5(node))] == [("failed", UNIT)]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("systemctl took longer than 5 s", TIMED_OUT),
        ("systemctl: No such file or directory", NOT_FOUND),
        ("activating\n", 3),
        ("deactivating\n", 3),
        ("Failed to connect to bus: No such file or directory\n", 1),
        ("Failed to retrieve unit state: Connection timed out\n", 1),
        ("unknown\n", 1),
        ("", 3),
    ],
)
def test_a_service_on_its_way_and_a_question_without_an_answer_are_unknown(node: Node, said: str, status: int):
    node.says("systemctl", said, status)
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.device) == ("unknown", UNIT)
    assert said.strip() in outcome.message


def test_b200_needs_the_subnet_manager_too(node: Node):
    b200(node)
    assert [outcome.status for outcome in check(p5(node, fabric="nvlsm"))] == ["ok"]
    node.places.at("/proc/412/comm").write_text("sleep\n")
    (found,) = check(p5(node, fabric="nvlsm"))
    assert (found.status, found.device) == ("failed", "nvlsm")


def test_b200_needs_the_module_that_reaches_its_switches(node: Node):
    b200(node)
    node.places.at("/sys/module/ib_umad/refcnt").unlink()
    node.places.at("/sys/module/ib_umad").rmdir()
    (outcome,) = check(p5(node, fabric="nvlsm"))
    assert (outcome.status, outcome.device) == ("failed", "ib_umad")


def test_gpus_that_cannot_be_read_do_not_hide_the_service(node: Node):
    node.says("systemctl", "inactive\n", 3)
    assert [outcome.status for outcome in check(p5_without_answer(node))] == ["failed", "unknown"]


def gb200(*others: Gpu) -> Gpus:
    """Return the four GPUs of a node whose NVSwitches are outside of it."""
    seen = eight(*others)
    return seen._replace(gpus=seen.gpus[:4])


def test_types_without_nvswitches_have_no_fabric(node: Node):
    l40s = [gpu(index, fabric_state=None, fabric_status=None, fabric_health=None) for index in range(8)]
    (outcome,) = check(p5(node, eight(*l40s), fabric="none"))
    assert outcome.status == "absent"
    assert node.processes.commands == []


def test_nvswitches_outside_of_the_node_have_no_manager_here_but_the_gpus_register(node: Node):
    (outcome,) = check(p5(node, gb200(), fabric="none"))
    assert (outcome.status, outcome.message) == ("ok", "4 GPUs are registered with NVSwitches outside of this node")
    assert node.processes.commands == []


@pytest.mark.parametrize("trouble", [{"fabric_state": "in progress"}, {"fabric_health": 0b01}])
def test_a_gpu_that_does_not_reach_those_is_a_failure_which_no_service_here_can_mend(
    node: Node, trouble: dict[str, Any]
):
    (outcome,) = check(p5(node, gb200(gpu(2, **trouble)), fabric="none"))
    assert (outcome.status, outcome.device) == ("failed", "gpu 2")
    assert UNIT not in outcome.remedy


def test_a_gpu_that_is_alone_in_its_node_has_no_fabric(node: Node):
    seen = eight(gpu(0, fabric_state="in progress"))
    assert [one.status for one in check(p5(node, seen._replace(gpus=seen.gpus[:1]), fabric="none"))] == ["absent"]


def test_a_node_without_gpus_is_left_alone(node: Node):
    assert [outcome.status for machine in nodes_without_gpus(node) for outcome in check(machine)] == ["absent"] * 4
