"""What is said of EKS clusters: one that is well, and those that are not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.deploy.preflights.recorded import Refusal
from tests.operate.eks_cluster import (
    ARN,
    BLOCK,
    FORBIDDEN,
    NAME,
    UNREACHABLE,
    EksCluster,
    activity,
    at,
    claim,
    container,
    described_cluster,
    instance,
    instance_id,
    job,
    kubernetes_node,
    node_group,
    pod,
    reservation,
    stack,
    unschedulable,
    workload,
)
from trainyard.cli.status_output import print_status, status_values
from trainyard.errors import TrainyardError
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.status_query import status
from trainyard.platforms.eks.status.eks_status import EksStatus
from trainyard.platforms.eks.status.kubernetes_api import PART, training_jobs
from trainyard.platforms.eks.status.status_query import EksPlatformStatus

WELL = EksCluster()
NOT_ALLOWED = Refusal("AccessDeniedException", "no identity-based policy allows it", 403)
DIAGNOSE = "trainyard diagnose llm --region us-east-2"
HOSTILE = "\x1b[2Jx\x07\u202ey"


def looked(of: EksCluster, name: str = NAME, **answers: Any) -> Status:
    return status(name, of.account(**answers), kubectl=of.kubectl().of)


def eks(found: Status) -> EksStatus:
    assert isinstance(found.platform, EksPlatformStatus)
    return found.platform.eks


def whats(found: Status) -> list[tuple[str, str]]:
    return [(concern.severity, concern.what) for concern in found.concerns]


def shown(capsys: pytest.CaptureFixture[str], found: Status) -> str:
    print_status(found)
    return capsys.readouterr().out


def group_of(found: Status, name: str = "p5") -> Any:
    return next(one for one in eks(found).node_groups if one.name == name)


def test_a_cluster_that_is_well_is_up_and_told_on_one_screen(capsys):
    found = looked(WELL)
    text = shown(capsys, found)
    assert (found.up, whats(found), found.unknown, found.failures) == (True, [], {}, ())
    assert text.splitlines()[0] == "llm in us-east-2: up"
    for line in (
        "control plane ACTIVE, Kubernetes 1.35, in standard support until 2027-03-27, endpoint both",
        "nodes: 3 wanted (2 p5 + 1 system), 3 ready",
        f"node group p5 ACTIVE p5.48xlarge: 2 running, 2 ready; 2 wanted of 0 to 10 (capacity-block, {BLOCK})",
        "2 × p5.48xlarge of p5: 8 nvidia.com/gpu, 32 vpc.amazonaws.com/efa",
        "ready: network, DNS, GPU device plugin, EFA device plugin, FSx CSI driver, MPI operator",
        "FSx for Lustre fs-0123456789abcdef0 AVAILABLE 4,800 GiB at claim default/fsx",
        "claim default/fsx Bound, volume fsx",
    ):
        assert f"  {line}\n" in text
    assert len(text.splitlines()) < 24


def test_a_cluster_that_somebody_else_made_is_found_by_its_name_alone(capsys):
    found = looked(WELL.but(stacks=()))
    assert (found.up, eks(found).ready) == (True, 3)
    assert "not made by trainyard" in shown(capsys, found)


def test_a_cluster_of_which_only_stacks_are_left_is_not_up():
    found = looked(WELL.but(cluster=None, instances=(), stacks=(stack("eksctl-llm-cluster", "ROLLBACK_COMPLETE"),)))
    assert ("error", "the cluster itself is not there: EKS has none of this name") in whats(found)


def test_the_instances_are_its_nodes_and_the_block_is_no_bill():
    found = looked(WELL)
    assert [(node.role, node.queue) for node in found.nodes] == [
        ("Compute", "p5"),
        ("Compute", "p5"),
        ("Compute", "system"),
    ]
    assert found.cost is not None
    assert {line.why for line in found.cost.lines} == {"a Capacity Block: paid in advance, used or not"}


def test_an_hour_of_training_nodes_without_a_users_pod_has_a_price():
    machines = (instance(0, "system"), *(instance(number, InstanceLifecycle="on-demand") for number in (1, 2, 3)))
    nodes = (kubernetes_node(0, "system"), *(kubernetes_node(number) for number in (1, 2, 3)))

    def on(number: int, name: str, phase: str = "Running", owner: str = "Job", **metadata: Any) -> dict[str, Any]:
        place = {"nodeName": f"ip-10-0-16-{number}.us-east-2.compute.internal"}
        return pod(name, phase, spec=place, metadata={"ownerReferences": [{"kind": owner}], **metadata})

    pods = (
        on(1, "train-0"),
        on(2, "train-1", "Succeeded"),
        on(2, "exporter", owner="DaemonSet"),
        on(3, "coredns", owner="ReplicaSet", namespace="kube-system"),
    )
    idle = looked(WELL.but(instances=machines, inside=(*nodes, *pods))).idle
    assert idle is not None
    (line,) = idle.lines
    assert (line.instance_type, line.instances, idle.usd_an_hour > 0) == ("p5.48xlarge", 2, True)


SHORT = WELL.but(instances=(instance(1, "system"), instance(2)))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (
            {"reservations": (reservation(State="scheduled", StartDate=at(-150)),)},
            f"Capacity Block {BLOCK} has not begun: it begins at 2027-01-15 10:30 UTC, in 2 h 30 min",
        ),
        ({"reservations": ()}, f"reservation {BLOCK} does not exist in this account and region"),
        ({"reservations": (reservation(State="expired"),)}, f"Capacity Block {BLOCK} is expired"),
        (
            {"reservations": (reservation(TotalInstanceCount=1),)},
            f"Capacity Block {BLOCK} has 0 of its 1 instances left, and 1 more are wanted",
        ),
        (
            {"reservations": (reservation(InstanceType="p5e.48xlarge"),)},
            f"Capacity Block {BLOCK} is for p5e.48xlarge, and the node group has p5.48xlarge",
        ),
        (
            {
                "reservations": (reservation(AvailableInstanceCount=2),),
                "activities": (activity("InsufficientInstanceCapacity - no p5 left"),),
            },
            "Auto Scaling could not launch, 5 min ago: InsufficientInstanceCapacity - no p5 left",
        ),
        (
            {
                "reservations": (reservation(AvailableInstanceCount=2),),
                "node_groups": (
                    node_group("system"),
                    node_group(
                        health={
                            "issues": [{"code": "AsgInstanceLaunchFailures", "message": "no", "resourceIds": ["a"]}]
                        }
                    ),
                ),
            },
            'EKS says AsgInstanceLaunchFailures: "no" (a)',
        ),
    ],
    ids=["not begun", "missing", "expired", "too small", "another type", "launch failed", "issue"],
)
def test_why_instances_are_missing_is_told(capsys, changes, why):
    of = SHORT.but(inside=(kubernetes_node(1, "system"), kubernetes_node(2)), **changes)
    found = looked(of)
    assert group_of(found).why[0] == why
    first = f"node group p5 has 1 ready node of the 2 that it is to have: {why}"
    assert ("warning", first) in whats(found)
    assert f"    {why}\n" in shown(capsys, found)


def test_an_instance_that_runs_and_never_joined_is_told_and_a_young_one_is_waited_for():
    inside = (kubernetes_node(1, "system"), kubernetes_node(2))
    late = looked(WELL.but(inside=inside))
    assert group_of(late).why == (f"{instance_id(3)} runs and has not joined the cluster",)
    young = looked(WELL.but(inside=inside, instances=(*WELL.instances[:2], instance(3, minutes_ago=4))))
    assert group_of(young).why == (f"{instance_id(3)} is about to join",)


def test_a_node_that_is_not_ready_says_why():
    of = WELL.with_inside(kubernetes_node(3, ready=("NodeStatusUnknown", "Kubelet stopped posting node status.")))
    (why,) = group_of(looked(of)).why
    name = "ip-10-0-16-3.us-east-2.compute.internal"
    assert why == f'{name} is not ready: NodeStatusUnknown: "Kubelet stopped posting node status."'


def test_a_node_group_without_any_node_is_the_problem():
    found = looked(WELL.but(instances=(instance(1, "system"),), inside=(kubernetes_node(1, "system"),)))
    assert not found.up
    assert (found.problem or "").startswith(
        "node group p5 has 0 ready nodes of the 2 that it is to have: Capacity Block"
    )


def test_a_node_group_that_wants_none_is_not_short():
    sizes = {"minSize": 0, "desiredSize": 0, "maxSize": 10}
    groups = (node_group("system"), node_group(scalingConfig=sizes))
    found = looked(
        WELL.but(node_groups=groups, instances=(instance(1, "system"),), inside=(kubernetes_node(1, "system"),))
    )
    assert whats(found) == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"cluster": described_cluster(status="FAILED")}, "the control plane is FAILED"),
        (
            {
                "cluster": described_cluster(
                    health={"issues": [{"code": "KmsKeyDisabled", "message": "the key is off"}]}
                )
            },
            'EKS says of the cluster: KmsKeyDisabled: "the key is off"',
        ),
        (
            {
                "node_groups": (
                    node_group("system"),
                    node_group(
                        status="CREATE_FAILED",
                        health={
                            "issues": [{"code": "NodeCreationFailure", "message": "did not join", "resourceIds": []}]
                        },
                    ),
                )
            },
            'node group p5 is CREATE_FAILED: NodeCreationFailure: "did not join"',
        ),
    ],
    ids=["control plane", "issue of the cluster", "node group"],
)
def test_what_eks_says_is_broken_is_the_problem(changes, problem):
    found = looked(WELL.but(**changes))
    assert found.problem == problem
    assert found.concerns[0].command == DIAGNOSE


@pytest.mark.parametrize("refuses", [UNREACHABLE, FORBIDDEN], ids=["unreachable", "forbidden"])
def test_where_the_kubernetes_api_does_not_answer_what_aws_says_is_told_and_the_rest_named(capsys, refuses):
    found = looked(WELL.but(refuses=refuses))
    text = shown(capsys, found)
    assert (found.up, eks(found).nodes, list(found.unknown)) == (True, None, [PART])
    assert "  nodes: 3 wanted (2 p5 + 1 system); how many are ready only Kubernetes could tell" in text
    assert "node group p5 ACTIVE p5.48xlarge: 2 running; 2 wanted of 0 to 10" in text
    assert f"not known: {PART}: " in text
    assert [concern.severity for concern in found.concerns] == ["warning"]
    assert "what runs in the cluster is not known" in found.concerns[0].what


def test_a_cluster_without_operators_has_no_jobs():
    of = WELL.kubectl()
    of.api.kinds -= {"mpijobs", "pytorchjobs"}
    found = status(NAME, WELL.account(), kubectl=of.of)
    assert (found.unknown, eks(found).jobs) == ({}, ())  # no operator, and so no jobs


@pytest.mark.parametrize(
    ("operation", "part"),
    [
        ("eks__ListAddons", "add-ons"),
        ("eks__ListNodegroups", "node groups"),
        ("eks__DescribeCluster", "EKS"),
        ("ec2__DescribeInstances", "nodes"),
        ("ec2__DescribeLaunchTemplateVersions", "launch templates"),
        ("autoscaling__DescribeScalingActivities", "launches that failed"),
        ("fsx__DescribeFileSystems", "file systems of FSx"),
    ],
)
def test_a_part_that_may_not_be_looked_at_says_so_and_the_others_are_told(operation, part):
    answers: dict[str, Any] = {operation: NOT_ALLOWED}
    found = looked(WELL, **answers)
    service, _, name = operation.partition("__")
    permission = f"{'elasticfilesystem' if service == 'efs' else service}:{name}"
    assert found.unknown == {part: f"not allowed: {permission}"}
    assert found.up == (part not in ("EKS", "node groups"))


def test_where_neither_ec2_nor_kubernetes_answers_no_node_is_said_to_be_missing():
    found = looked(WELL.but(refuses=UNREACHABLE), ec2__DescribeInstances=NOT_ALLOWED)
    assert set(found.unknown) == {PART, "nodes"}
    assert [concern.what.partition(":")[0] for concern in found.concerns] == ["what runs in the cluster is not known"]


def test_neuron_devices_are_compared_too():
    node = kubernetes_node(3)
    node["metadata"]["labels"] = {"node.kubernetes.io/instance-type": "trn1.32xlarge"}
    node["status"]["allocatable"] = {"aws.amazon.com/neuron": "15"}
    (concern,) = [concern for concern in looked(WELL.with_inside(node)).concerns if "neuron" in concern.what]
    assert "offers 15 aws.amazon.com/neuron of the 16 of trn1.32xlarge: no Neuron device plugin" in concern.what


@pytest.mark.parametrize(
    ("node", "what"),
    [
        ({"gpus": "7"}, "offers 7 nvidia.com/gpu of the 8 of p5.48xlarge"),
        ({"gpus": None}, "offers 0 nvidia.com/gpu of the 8 of p5.48xlarge"),
        ({"efa": "0"}, "offers 0 vpc.amazonaws.com/efa of the 32 of p5.48xlarge"),
    ],
)
def test_a_node_that_offers_less_than_its_type_has_is_a_concern(node, what):
    found = looked(WELL.with_inside(kubernetes_node(3, **node)))
    assert whats(found) == [("warning", f"ip-10-0-16-3.us-east-2.compute.internal {what}")]


def test_where_no_device_plugin_is_installed_that_is_said():
    nodes = (kubernetes_node(1, "system"), kubernetes_node(2, gpus=None), kubernetes_node(3, gpus=None))
    (concern,) = looked(WELL.but(inside=nodes)).concerns
    assert concern.what.endswith("offer 0 nvidia.com/gpu of the 8 of p5.48xlarge: no GPU device plugin is installed")


def test_what_eks_finds_broken_on_a_node_and_what_it_has_too_little_of_are_concerns():
    conditions = (
        {"type": "AcceleratedHardwareReady", "status": "False", "reason": "NvidiaXID79Error"},
        {"type": "DiskPressure", "status": "True"},
        {"type": "MemoryPressure", "status": "False"},
        {"type": "KernelReady", "status": "True"},
    )
    (concern,) = looked(WELL.with_inside(kubernetes_node(3, conditions=conditions))).concerns
    assert concern.what.endswith(": DiskPressure, AcceleratedHardwareReady is False (NvidiaXID79Error)")
    assert concern.command == f"kubectl --context {ARN} describe node ip-10-0-16-3.us-east-2.compute.internal"


def test_a_cordoned_node_is_counted_and_told(capsys):
    found = looked(WELL.with_inside(kubernetes_node(3, spec={"unschedulable": True})))
    assert whats(found) == [("warning", "1 node takes no new pods (cordoned): node group p5")]
    assert "3 ready, 1 cordoned" in shown(capsys, found)


def test_a_workload_that_is_not_ready_is_told_and_one_of_a_user_is_not(capsys):
    found = looked(WELL.with_inside(workload("Deployment", "mpi-operator", "mpi-operator", 0, 1)))
    assert whats(found) == [("warning", "MPI operator mpi-operator/mpi-operator: 0 of 1 pods are ready")]
    text = shown(capsys, found)
    assert "  not ready: MPI operator: Deployment mpi-operator/mpi-operator, 0 of 1 pods\n" in text
    assert "somebody-elses" not in text


NO_GPUS = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."


@pytest.mark.parametrize(
    ("waiting", "state", "why"),
    [
        (unschedulable(NO_GPUS), "Unschedulable", f'"{NO_GPUS}"'),
        (
            container(state={"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}}),
            "ImagePullBackOff",
            'container train: "Back-off pulling image"',
        ),
        (
            container(
                state={"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
                lastState={"terminated": {"reason": "Error", "exitCode": 1, "message": "no NCCL\n"}},
            ),
            "CrashLoopBackOff",
            'container train: "back-off 5m0s"; it ended with Error, exit status 1: "no NCCL" the last time',
        ),
        (container(state={"waiting": {"reason": "ContainerCreating"}}), "ContainerCreating", "container train"),
    ],
    ids=["unschedulable", "image", "crash", "creating for long"],
)
def test_a_pod_that_does_not_run_is_told_with_what_it_waits_for(capsys, waiting, state, why):
    found = looked(WELL.with_inside(pod("train-worker-0", **waiting)))
    (trouble,) = eks(found).troubles
    assert (trouble.state, trouble.why) == (state, why)
    assert whats(found) == [("warning", f"pod default/train-worker-0 {state}, made 30 min ago: {why}")]
    assert f"pod default/train-worker-0 {state}" in shown(capsys, found)


def test_of_a_long_reason_the_end_is_told_where_what_is_wrong_stands():
    image = "registry.example/" + "x" * 200
    said = f'Failed to pull image "{image}": rpc error: failed to resolve reference "{image}": not found'
    waiting = container(state={"waiting": {"reason": "ErrImagePull", "message": said}})
    (trouble,) = eks(looked(WELL.with_inside(pod("train-worker-0", **waiting)))).troubles
    assert trouble.why.startswith("container train: \"Failed to pull image 'registry.example/x")
    assert trouble.why.endswith("x': not found\"")
    assert len(trouble.why) < len(said)


def test_pods_that_wait_for_the_same_are_one_concern_and_young_ones_none(capsys):
    pods = [pod(f"train-worker-{number}", **unschedulable(NO_GPUS)) for number in range(8)]
    found = looked(WELL.with_inside(*pods))
    (concern,) = found.concerns
    assert '  pod default/train-worker-0 and 7 more Unschedulable: "0/3 nodes' in shown(capsys, found)
    assert concern.what.startswith("8 pods default/train-worker-0, ")
    young = looked(WELL.with_inside(pod("train-worker-0", minutes_ago=2, **unschedulable(NO_GPUS))))
    assert whats(young) == []
    creating = container(state={"waiting": {"reason": "ContainerCreating"}})
    assert eks(looked(WELL.with_inside(pod("train-worker-0", minutes_ago=2, **creating)))).troubles == ()


def test_a_container_that_was_ended_for_its_memory_is_told_while_the_next_runs():
    ended = container(state={"running": {}}, lastState={"terminated": {"reason": "OOMKilled", "exitCode": 137}})
    (trouble,) = eks(looked(WELL.with_inside(pod("train-worker-0", "Running", **ended)))).troubles
    assert (trouble.state, trouble.restarts) == ("OOMKilled", 3)


def test_jobs_are_told_those_that_run_first_and_those_that_failed_among_what_failed(capsys):
    running = job(
        "train", ("Created", "", ""), ("Running", "JobRunning", "is running"), replicaStatuses={"Worker": {"active": 2}}
    )
    failed = job(
        "bench", ("Created", "", ""), ("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit")
    )
    found = looked(WELL.with_inside(failed, running))
    assert [(one.name, one.state) for one in eks(found).jobs] == [("train", "Running"), ("bench", "Failed")]
    (failure,) = found.failures
    assert failure.place == "MPIJob default/bench"
    assert failure.what == 'BackoffLimitExceeded: "Job has reached the specified backoff limit"'
    assert whats(found) == [("warning", "something failed lately")]
    assert "MPIJob default/train Running since 2027-01-15T07:31:00Z, 2 of 3 pods run\n" in shown(capsys, found)


@pytest.mark.parametrize(
    ("status", "state", "active", "why"),
    [
        ({}, "Created", 0, "no operator has taken it yet"),
        ({"ready": 0}, "Created", 0, ""),
        ({"ready": 1}, "Running", 4, ""),
        ({"ready": 0, "restarts": 1, "conditions": [("Restarting", "FailurePolicy_disrupted", "…")]}, "Restarting", 0,
         'FailurePolicy_disrupted: "…"'),
        ({"ready": 1, "restarts": 1, "conditions": []}, "Running", 4, ""),
        ({"ready": 0, "restarts": 1, "conditions": [("Restarting", "JobsReady", "…", "False")]}, "Restarting", 0, ""),
        ({"ready": 0, "conditions": [("Failed", "ReachedMaxRestarts", "…")]}, "Failed", 0, 'ReachedMaxRestarts: "…"'),
        ({"ready": 0, "succeeded": 1}, "Running", 0, ""),
        ({"ready": 0, "succeeded": 1, "conditions": [("Completed", "AllJobsCompleted", "…")]}, "Succeeded", 0,
         'AllJobsCompleted: "…"'),
    ],
)  # fmt: skip
def test_a_job_set_is_told_in_the_words_of_other_jobs(status: dict[str, Any], state: str, active: int, why: str):
    said = [
        {
            "type": type_,
            "status": (*holds, "True")[0],
            "reason": reason,
            "message": message,
            "lastTransitionTime": at(3).isoformat(),
        }
        for type_, reason, message, *holds in status.get("conditions", ())
    ]
    counts = {
        "replicatedJobsStatus": [{"name": "worker", **{key: status.get(key, 0) for key in ("ready", "succeeded")}}]
    }
    replicated = {"name": "worker", "replicas": 1, "template": {"spec": {"parallelism": 4}}}
    document = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
        "metadata": {"namespace": "default", "name": "llm", "creationTimestamp": at(9).isoformat()},
        "spec": {"replicatedJobs": [replicated]},
        "status": {**counts, **status, "conditions": said} if status else {},
    }  # fmt: skip
    (found,) = training_jobs([document])
    assert (found.kind, found.state, found.pods, found.active, found.why) == ("JobSet", state, 4, active, why)


def test_pods_that_failed_lately_are_told_once_for_each_reason_and_old_ones_are_not():
    ended = container(state={"terminated": {"reason": "OOMKilled", "exitCode": 137, "finishedAt": at(5).isoformat()}})
    owner: dict[str, Any] = {"metadata": {"ownerReferences": [{"kind": "Job", "name": "bench"}]}}
    old = container(state={"terminated": {"reason": "Error", "exitCode": 1, "finishedAt": at(3000).isoformat()}})
    pods = [pod(f"bench-{number}", "Failed", **ended, **owner) for number in range(3)]
    found = looked(WELL.with_inside(*pods, pod("former", "Failed", **old)))
    (failure,) = found.failures
    assert (failure.times, failure.what) == (3, "container train ended with OOMKilled, exit status 137")


def test_a_claim_that_is_not_bound_is_a_concern():
    (concern,) = looked(WELL.with_inside(claim("Pending"))).concerns
    assert concern.what == "claim default/fsx is Pending: pods that mount it wait"


@pytest.mark.parametrize(
    ("version", "what"),
    [
        ("1.34", "extended support of Kubernetes 1.34 ends on 2027-12-02"),
        ("1.31", "Kubernetes 1.31 has had no support since 2026-11-26: EKS upgrades it by itself, at any time"),
        ("1.36", None),
        ("1.99", None),
    ],
)
def test_the_end_of_support_is_told_and_is_a_concern_when_it_is_near(capsys, version, what):
    found = looked(WELL.but(cluster=described_cluster(version=version)))
    near = version == "1.31"
    assert whats(found) == ([("warning", what)] if near else [])
    if near:
        assert found.concerns[0].command == "eksctl upgrade cluster --region us-east-2 --name llm --version 1.32"
    said = {"1.99": "of which no end of support is known", "1.34": "in extended support until 2027-12-02"}
    assert said.get(version, "") in shown(capsys, found)


def test_nothing_hostile_reaches_the_terminal_as_it_is(capsys):
    named = {"name": HOSTILE, "namespace": HOSTILE}
    hostile = pod(HOSTILE, metadata=named, conditions=unschedulable(HOSTILE)["conditions"])
    node = kubernetes_node(3, ready=(HOSTILE, HOSTILE))
    node["metadata"]["name"] = HOSTILE
    of = WELL.with_inside(hostile, node, job(HOSTILE, ("Failed", HOSTILE, HOSTILE)), claim(HOSTILE))
    text = shown(capsys, looked(of))
    assert "\\x1b[2Jx\\x07\\u202ey" in text
    assert not {"\x1b", "\x07", "\u202e"} & set(text)


@pytest.mark.parametrize(
    "document",
    [
        {"kind": "Pod", "metadata": {"name": "a"}},
        {"kind": "Pod", "metadata": {"name": "a", "creationTimestamp": "long ago"}, "status": {"phase": "Pending"}},
        {"kind": "Pod", "metadata": {"name": "a"}, "status": {"phase": "Pending", "conditions": {"a": 1}}},
        {"kind": "Pod", "metadata": {"name": "a"}, "status": {"phase": "Failed", "containerStatuses": [None, 3]}},
        {"kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"nvidia.com/gpu": ["8"]}}},
        {"kind": "MPIJob", "metadata": {"name": "a"}, "spec": {"mpiReplicaSpecs": {"Worker": "two"}}, "status": None},
        {"kind": "DaemonSet", "metadata": {"name": "aws-node"}, "status": {"numberReady": "many"}},
        {"kind": "PersistentVolume", "metadata": {"name": "a"}, "spec": {"csi": [1]}},
    ],
    ids=lambda one: f"{one['kind']} {len(str(one))}",
)
def test_objects_that_are_not_as_they_should_be_stop_nothing(capsys, document):
    found = looked(WELL.with_inside(document))
    json.dumps(status_values(found))
    assert shown(capsys, found)


def test_all_of_it_is_there_as_json():
    values = status_values(looked(WELL.with_inside(pod("a", **unschedulable(NO_GPUS)), job("b", ("Created", "", "")))))
    of = json.loads(json.dumps(values))["eks"]
    assert (of["control_plane"]["version"], of["nodes_wanted"], of["nodes_ready"]) == ("1.35", 3, 3)
    assert [one["name"] for one in of["node_groups"]] == ["p5", "system"]
    assert of["kubernetes_nodes"][0]["devices"][0] == {"resource": "nvidia.com/gpu", "allocatable": 8, "expected": 8}
    assert (of["pods_not_running"], of["pods"][0]["name"], of["jobs"][0]["name"]) == (1, "a", "b")
    assert of["claims"][0]["phase"] == "Bound"


def test_a_name_that_nobody_has_is_one_clear_error():
    with pytest.raises(TrainyardError, match="there is no cluster other in us-east-2, and no environment"):
        looked(WELL.but(stacks=()), "other")


def test_a_failed_stack_is_told_once(capsys):
    of = WELL.but(stacks=(stack("eksctl-llm-nodegroup-p5", "ROLLBACK_COMPLETE"),))
    failed = {
        "EventId": "1",
        "Timestamp": at(5),
        "StackName": "eksctl-llm-nodegroup-p5",
        "StackId": "arn:1",
        "LogicalResourceId": "ManagedNodeGroup",
        "ResourceType": "AWS::EKS::Nodegroup",
        "ResourceStatus": "CREATE_FAILED",
        "ResourceStatusReason": "no capacity",
    }
    found = looked(of, cloudformation__DescribeStackEvents={"StackEvents": [failed]})
    assert [failure.what for failure in found.failures] == ['ManagedNodeGroup (AWS::EKS::Nodegroup): "no capacity"']
    assert shown(capsys, found).count("no capacity") == 1
