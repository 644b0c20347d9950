"""Bandwidth tests on Amazon EKS that cannot start: what is seen before, and how long anything is waited for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.platforms.eks.bench_jobs.eks_submissions import TABLE, TWO_NODES, measured_eks, submitted
from tests.platforms.eks.bench_jobs.scripted_operator import (
    IMAGE,
    ScriptedEks,
    Step,
    gpu_node,
    operator,
    pending,
    starting,
    succeeded,
    under_way,
    waiting,
)
from trainyard.errors import TrainyardError


@pytest.fixture
def eks() -> Iterator[ScriptedEks]:
    with measured_eks() as made:
        yield made


@pytest.mark.parametrize(
    ("changes", "said", "hint"),
    [
        ({"nvidia.com/gpu": "0"}, "of 2, 1 with 0 of 8 nvidia.com/gpu", "the device plugins run"),
        ({"vpc.amazonaws.com/efa": "1"}, "of 2, 1 with 1 of 32 vpc.amazonaws.com/efa", "the device plugins run"),
        ({"memory": "1Gi"}, "of 2, 1 with 1Gi of 1876158Mi memory", "eksctl scale nodegroup --cluster lab"),
    ],
)
def test_nodes_that_do_not_offer_what_a_job_wants_are_told_before_anything_is_made(
    eks: ScriptedEks, tmp_path: Path, changes: dict[str, str], said: str, hint: str
):
    eks.api.add(gpu_node("ip-10-0-16-7", **changes))
    with pytest.raises(TrainyardError, match=f"{TWO_NODES} wants 2 nodes of training, and 1 can take it") as told:
        submitted(eks, tmp_path)
    assert said in told.value.problem
    assert hint in str(told.value.hint)
    assert eks.api.applied == []


@pytest.mark.parametrize("what", ["not ready", "cordoned", "with the taint maintenance", "missing"])
def test_nodes_that_take_nothing_are_told_before_anything_is_made(eks: ScriptedEks, tmp_path: Path, what: str):
    node = eks.api.named("Node", "ip-10-0-16-7.us-east-2.compute.internal")
    match what:
        case "not ready":
            node["status"]["conditions"][0]["status"] = "Unknown"
        case "cordoned":
            node["spec"]["unschedulable"] = True
        case "missing":
            eks.api.objects.remove(node)
        case _:
            node["spec"]["taints"].append({"key": "maintenance", "effect": "NoExecute"})
    with pytest.raises(TrainyardError, match="and 1 can take it: ") as told:
        submitted(eks, tmp_path)
    assert told.value.problem.endswith("there are 1" if what == "missing" else f"of 2, 1 {what}")
    assert eks.api.applied == []


def test_a_cluster_without_the_operator_is_told_before_anything_is_made(eks: ScriptedEks, tmp_path: Path):
    eks.api.kinds.discard("mpijobs")
    with pytest.raises(TrainyardError, match="lab has no MPI operator") as told:
        submitted(eks, tmp_path)
    assert told.value.where == "eks.operators"
    eks.api.kinds.add("mpijobs")
    eks.api.add(operator(ready=False))
    with pytest.raises(TrainyardError, match="lab has an MPI operator, and none of its pods is ready"):
        submitted(eks, tmp_path)
    assert eks.api.applied == []


def test_an_image_that_cannot_be_pulled_is_an_error_after_some_minutes(eks: ScriptedEks, tmp_path: Path):
    eks.api.steps[TWO_NODES] = [
        starting(), Step(waiting("ErrImagePull", "not found")), Step(waiting("ImagePullBackOff", "Back-off pulling")),
    ]  # fmt: skip
    begin = eks.account.clock.now()
    with pytest.raises(TrainyardError, match=f"has not started for 7 min: all pods: ImagePullBackOff: {IMAGE}") as told:
        submitted(eks, tmp_path)
    assert "eks.nccl_image" in str(told.value.hint)
    assert 420 <= eks.account.clock.now() - begin < 480
    assert len(eks.api.runs) == 1


@pytest.mark.parametrize(
    ("step", "minutes", "said", "hint"),
    [
        (Step(waiting("CreateContainerConfigError", 'configmap "trainyard-bench" not found')), 5,
         "CreateContainerConfigError: \"configmap 'trainyard-bench' not found\"", "kubectl describe pods -l"),
        (Step(waiting("ContainerCreating")), 30, 'ContainerCreating; FailedMount: "no such volume"',
         "what it waits for"),
        (Step(), 5, "the MPI operator has made no pods for it yet", "kubectl -n mpi-operator get pods"),
    ],
)  # fmt: skip
def test_pods_that_do_not_start_are_an_error_with_what_to_do(  # noqa: PLR0913  what is planted, and what is told
    eks: ScriptedEks, tmp_path: Path, *, step: Step, minutes: int, said: str, hint: str
):
    eks.api.steps[TWO_NODES] = [step]
    eks.api.add(warning("other-job-worker-0", "nothing to do with it"))
    submitted(eks, tmp_path, wait=False)
    if "FailedMount" in said:
        eks.api.add(warning(f"{eks.api.runs[0]['metadata']['name']}-worker-0", "no such volume"))
    with pytest.raises(TrainyardError) as told:
        submitted(eks, tmp_path)
    assert f"has not started for {minutes} min: " in told.value.problem
    assert said in told.value.problem
    assert hint in str(told.value.hint)
    assert "nothing to do with it" not in told.value.problem


def warning(pod: str, message: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedMount", "message": message,
        "metadata": {"name": f"{pod}.1", "namespace": "default"}, "involvedObject": {"kind": "Pod", "name": pod},
        "lastTimestamp": "2026-11-22T04:00:00Z",
    }  # fmt: skip


def test_nodes_that_somebody_else_has_are_waited_for_and_it_is_said_who_has_them(eks: ScriptedEks, tmp_path: Path):
    eks.api.add(training_pod("somebodys-training-worker-0"))
    eks.api.steps[TWO_NODES] = [*[pending()] * 90, under_way(*TABLE), succeeded()]
    found, told = submitted(eks, tmp_path)
    assert found.good
    assert [line for line in told if "their devices are taken by ml/somebodys-training-worker-0" in line]


def training_pod(name: str) -> dict[str, Any]:
    requests = {"nvidia.com/gpu": "8"}
    spec = {
        "nodeName": "ip-10-0-16-6.us-east-2.compute.internal",
        "containers": [{"resources": {"requests": requests}}],
    }
    metadata = {"name": name, "namespace": "ml"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": "Running"}}


def test_nodes_that_go_away_while_a_job_waits_are_an_error(eks: ScriptedEks, tmp_path: Path):
    eks.api.steps[TWO_NODES] = [pending()]
    submitted(eks, tmp_path, wait=False)
    eks.api.objects = [object_ for object_ in eks.api.objects if object_["kind"] != "Node"]
    with pytest.raises(TrainyardError, match=r"has not started for 10 min: .*; nodes that can take it: 0, there are 0"):
        submitted(eks, tmp_path)
