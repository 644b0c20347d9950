"""Where pods stand in an emulated cluster, by the rules of the scheduler."""

from __future__ import annotations

from typing import Any

import pytest

from trainyard.rehearsal.emulated.kubernetes.objects import is_chosen
from trainyard.rehearsal.emulated.kubernetes.scheduling import (
    number,
    requests,
    sum_of_resources,
    untolerated_taint,
    why_not,
)

TAINT = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}
NODE: dict[str, Any] = {
    "metadata": {"labels": {"trainyard/queue": "p5", "node.kubernetes.io/instance-type": "p5.48xlarge"}},
    "spec": {"taints": [TAINT]},
}
FREE = sum_of_resources({"cpu": "190", "memory": "1900Gi", "nvidia.com/gpu": "8", "pods": "250"})
GPUS = {"containers": [{"image": "train", "resources": {"limits": {"nvidia.com/gpu": 8}}}]}


def pod(**spec: Any) -> dict[str, Any]:
    return {"containers": [{"image": "one"}], **spec}


def test_a_pod_that_tolerates_nothing_stays_off_a_node_with_a_taint():
    assert why_not(pod(), NODE, FREE) == "node(s) had untolerated taint {nvidia.com/gpu: true}"


@pytest.mark.parametrize(
    "toleration",
    [
        {"operator": "Exists"},
        {"key": "nvidia.com/gpu", "operator": "Exists"},
        {"key": "nvidia.com/gpu", "value": "true"},
        {"key": "nvidia.com/gpu", "operator": "Equal", "value": "true", "effect": "NoSchedule"},
    ],
)
def test_a_toleration_lets_it_onto_the_node(toleration: dict[str, str]):
    assert why_not(pod(tolerations=[toleration]), NODE, FREE) is None


@pytest.mark.parametrize(
    "toleration",
    [
        {"key": "aws.amazon.com/neuron", "operator": "Exists"},
        {"key": "nvidia.com/gpu", "value": "present"},
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"},
    ],
)
def test_a_toleration_of_something_else_does_not(toleration: dict[str, str]):
    assert untolerated_taint(pod(tolerations=[toleration]), NODE) == TAINT


def test_who_asks_for_the_resource_of_a_taint_tolerates_it():
    assert why_not(GPUS, NODE, FREE) is None


def test_a_node_without_the_resource_is_not_enough():
    without = {name: amount for name, amount in FREE.items() if name != "nvidia.com/gpu"}
    assert why_not(GPUS, NODE, without) == "Insufficient nvidia.com/gpu"


@pytest.mark.parametrize(
    ("operator", "values", "fits"),
    [
        ("In", ["p5.48xlarge"], True),
        ("In", ["p4d.24xlarge"], False),
        ("NotIn", ["p4d.24xlarge"], True),
        ("Exists", None, True),
        ("DoesNotExist", None, False),
    ],
)
def test_required_affinity_chooses_nodes(operator: str, values: list[str] | None, fits: bool):  # noqa: FBT001  a case
    expression = {"key": "node.kubernetes.io/instance-type", "operator": operator, "values": values}
    required = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    refused = why_not(pod(affinity=affinity, tolerations=[{"operator": "Exists"}]), NODE, FREE)
    assert (refused is None) is fits


def test_a_selector_wants_the_label_as_it_is():
    wanted = pod(nodeSelector={"trainyard/queue": "p4"}, tolerations=[{"operator": "Exists"}])
    assert why_not(wanted, NODE, FREE) == "node(s) didn't match Pod's node affinity/selector"


def test_init_containers_count_where_they_want_more_than_all_others():
    asked = pod(initContainers=[{"image": "one", "resources": {"requests": {"cpu": "2"}}}])
    asked["containers"][0]["resources"] = {"requests": {"cpu": "500m"}, "limits": {"cpu": "4"}}
    assert requests(asked) == {"cpu": 2, "pods": 1}


@pytest.mark.parametrize(
    ("quantity", "value"), [("250m", 0.25), ("2", 2), (8, 8), ("1.5", 1.5), ("512Mi", 2**29), ("1k", 1000)]
)
def test_quantities_are_numbers(quantity: str | int, value: float):
    assert number(quantity) == value


def test_what_is_no_quantity_is_an_error():
    with pytest.raises(ValueError, match="8 GiB"):
        number("8 GiB")


@pytest.mark.parametrize(
    ("selector", "chosen"),
    [
        ("", True),
        ("app=web", True),
        ("app==web,tier!=cache", True),
        ("app in (web, api),!gpu", True),
        ("app notin (web)", False),
        ("gpu", False),
        ("app=api", False),
    ],
)
def test_selectors_of_labels(selector: str, chosen: bool):  # noqa: FBT001  a case
    assert is_chosen({"metadata": {"labels": {"app": "web", "tier": "front"}}}, selector) is chosen
