"""Why an EKS cluster has no nodes, or its pods and jobs fail: by what AWS, Kubernetes and the pods themselves say."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.deploy.preflights.recorded import Refusal
from tests.operate.eks_cluster import (
    BLOCK,
    CONTROL_PLANE,
    UNREACHABLE,
    EksCluster,
    activity,
    at,
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
    stamp,
    unschedulable,
)
from trainyard.api.diagnose import diagnose_cluster, diagnosis_values
from trainyard.cli.diagnose_output import print_diagnosis
from trainyard.diagnose.diagnosis import Diagnosis
from trainyard.diagnose.line_filter import LineFilter
from trainyard.errors import InputError
from trainyard.platforms.eks.diagnosis.evidence import KUBERNETES_PART

WELL = EksCluster()
SHORT = WELL.but(instances=(instance(1, "system"),), inside=(kubernetes_node(1, "system"),))
NODE = "ip-10-0-16-2"
XID = "NVRM: Xid (PCI:0000:53:00): 79, pid=1234, name=python, GPU has fallen off the bus."


def diagnosed(of: EksCluster, **how: Any) -> Diagnosis:
    return diagnose_cluster("llm", of.account(**how.pop("answers", {})), kubectl=of.kubectl().of, **how)


def first(of: EksCluster, **how: Any) -> str:
    found = diagnosed(of, **how)
    assert found.causes, found.unread
    return found.causes[0].cause.id


def event(reason: str, message: str, about: str = "Pod", name: str = "train-worker-0", **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": "default", "name": f"{name}.{abs(hash(message))}"},
        "type": "Warning",
        "reason": reason,
        "message": message,
        "lastTimestamp": stamp(3),
        "involvedObject": {"kind": about, "namespace": "default", "name": name},
        **more,
    }


def issue(code: str, message: str) -> dict[str, Any]:
    return {"issues": [{"code": code, "message": message, "resourceIds": ["subnet-0123456789abcdef0"]}]}


def groups_with(code: str, message: str) -> tuple[dict[str, Any], ...]:
    return node_group("system"), node_group(status="CREATE_FAILED", health=issue(code, message))


def test_of_a_cluster_that_is_well_nothing_is_wrong():
    found = diagnosed(WELL)
    assert found.causes == ()
    assert {one.name for one in found.unread} <= {"the logs of its control plane"}


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"reservations": (reservation(State="scheduled", StartDate=at(-150)),)}, "capacity-block-not-started"),
        ({"reservations": (reservation(State="expired"),)}, "capacity-block-ended"),
        (
            {"reservations": (reservation(ReservationType="default", State="cancelled"),)},
            "capacity-reservation-expired",
        ),
        ({"reservations": ()}, "capacity-reservation-expired"),
        ({"reservations": (reservation(InstanceType="p5e.48xlarge"),)}, "capacity-reservation-mismatch"),
        ({"reservations": (reservation(),)}, "capacity-reservation-too-small"),
        (
            {
                "reservations": (reservation(AvailableInstanceCount=2),),
                "activities": (activity("Could not launch On-Demand Instances. InsufficientInstanceCapacity - no"),),
            },
            "ec2-insufficient-capacity",
        ),
        (
            {
                "reservations": (reservation(AvailableInstanceCount=2),),
                "node_groups": groups_with("InsufficientFreeAddresses", "One or more of the subnets"),
            },
            "eks-subnet-out-of-addresses",
        ),
        (
            {
                "reservations": (reservation(AvailableInstanceCount=2),),
                "node_groups": groups_with("Ec2LaunchTemplateNotFound", "Launch template with id lt-0 was not found"),
            },
            "eks-node-group-lost-its-parts",
        ),
    ],
    ids=["not begun", "over", "cancelled", "gone", "other type", "too small", "no capacity", "addresses", "template"],
)
def test_why_nodes_are_missing_is_found(changes: dict[str, Any], cause: str):
    assert first(SHORT.but(**changes)) == cause


def stack_event(name: str, kind: str, why: str) -> dict[str, Any]:
    return {
        "EventId": "1",
        "StackName": name,
        "StackId": "arn:1",
        "LogicalResourceId": kind.rpartition(":")[2],
        "ResourceType": kind,
        "ResourceStatus": "CREATE_FAILED",
        "ResourceStatusReason": why,
        "Timestamp": at(5),
    }


def test_what_eksctls_stack_says_is_read_and_its_reason_is_the_root():
    why = 'Resource handler returned message: "[Issue(Code=AsgInstanceLaunchFailures, Message=Could not launch '
    why += 'Capacity Block Instances. ReservationCapacityExceeded - The requested reservation does not have sufficient"'
    events = (stack_event("eksctl-llm-nodegroup-p5", "AWS::EKS::Nodegroup", why),)
    of = SHORT.but(
        reservations=(reservation(AvailableInstanceCount=2),),
        stacks=(stack("eksctl-llm-nodegroup-p5", "ROLLBACK_COMPLETE"),),
        stack_events=events,
    )
    found = diagnosed(of)
    assert found.causes[0].cause.id == "capacity-reservation-too-small"
    assert found.causes[0].evidence[0].file == "eksctl-llm-nodegroup-p5-cfn-events"


def test_a_cluster_of_which_only_a_failed_stack_is_left_is_diagnosed():
    why = "unsupported Kubernetes version (Service: Eks, Status Code: 400)"
    events = (stack_event("eksctl-llm-cluster", "AWS::EKS::Cluster", why),)
    of = WELL.but(cluster=None, instances=(), node_groups=(), stack_events=events)
    assert first(of) == "eks-version-not-offered"


@pytest.mark.parametrize(
    ("inside", "cause"),
    [
        (
            event("FailedScheduling", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu."),
            "k8s-gpu-device-plugin-missing",
        ),
        (
            pod("train-worker-0", **unschedulable('0/3 nodes are available: persistentvolumeclaim "fsx" not found.')),
            "k8s-claim-missing",
        ),
        (event("Failed", 'Error: configmap "trainyard-bench" not found'), "k8s-config-or-secret-missing"),
        (
            pod(
                "train-worker-0",
                "Running",
                **container(lastState={"terminated": {"reason": "OOMKilled", "exitCode": 137}}),
            ),
            "host-out-of-memory",
        ),
        (
            pod(
                "train-worker-0", **container(state={"waiting": {"reason": "ImagePullBackOff", "message": "Back-off"}})
            ),
            "k8s-image-pull-failed",
        ),
        (
            kubernetes_node(
                3, conditions=({"type": "AcceleratedHardwareReady", "status": "False", "reason": "NvidiaXID79Error"},)
            ),
            "eks-node-hardware-broken",
        ),
        (kubernetes_node(3, ready=("NodeStatusUnknown", "Kubelet stopped posting node status.")), "k8s-node-not-ready"),
        (kubernetes_node(3, gpus="7"), "k8s-node-lacks-devices"),
    ],
    ids=["no GPUs", "no claim", "no ConfigMap", "memory", "image", "hardware", "not ready", "devices"],
)
def test_what_kubernetes_says_is_read_and_means_what_it_does_elsewhere(inside: dict[str, Any], cause: str):
    assert first(WELL.with_inside(inside)) == cause


def test_an_instance_that_never_joined_is_found_by_comparing():
    found = diagnosed(WELL.but(inside=(kubernetes_node(1, "system"), kubernetes_node(2))))
    assert found.causes[0].cause.id == "eks-nodes-not-joining"
    assert "runs for 60 minutes" in found.causes[0].evidence[0].text


def failed_job(*lines: str) -> EksCluster:
    worker = pod(
        "bench-worker-1",
        "Failed",
        metadata={"labels": {"training.kubeflow.org/job-name": "bench"}},
        spec={"nodeName": f"{NODE}.us-east-2.compute.internal"},
        **container(state={"terminated": {"reason": "Error", "exitCode": 1, "finishedAt": stamp(4)}}),
    )
    failed = job("bench", ("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit"))
    return WELL.with_inside(worker, failed).but(logs={"bench-worker-1": list(lines)})


def test_the_log_of_a_pod_of_a_failed_job_tells_the_root_and_the_job_is_what_follows_of_it():
    found = diagnosed(failed_job(f"{stamp(31)} {XID}"))
    assert found.causes[0].cause.id == "gpu-fell-off-bus"
    assert found.causes[0].evidence[0].file == f"pods/default/bench-worker-1/{NODE}.{instance_id(2)}.train"
    assert found.causes[0].evidence[0].node == NODE
    assert "k8s-training-job-failed" not in [cause.cause.id for cause in found.causes]


def test_a_container_that_was_started_anew_is_asked_what_it_said_before():
    kubectl = failed_job("a line").kubectl()
    again = pod("bench-worker-1", "Running", **container(lastState={"terminated": {"reason": "Error", "exitCode": 1}}))
    kubectl.api.objects = [one for one in kubectl.api.objects if one["metadata"]["name"] != "bench-worker-1"] + [again]
    diagnose_cluster("llm", WELL.account(), kubectl=kubectl.of)
    (asked,) = [one for one in kubectl.asked if one[0] == "logs"]
    assert asked[1:5] == ("bench-worker-1", "default", "train", True)


def test_only_some_logs_are_read_and_the_others_are_named():
    ended = container(state={"terminated": {"reason": "Error", "exitCode": 1}})
    pods = [pod(f"bench-{number:02}", "Failed", **ended) for number in range(30)]
    of = WELL.with_inside(*pods).but(logs={f"bench-{number:02}": ["x"] for number in range(30)})
    assert "6 more containers" in [one.name for one in diagnosed(of).unread]


def test_where_the_api_does_not_answer_the_rest_is_read_and_that_is_listed():
    of = SHORT.but(reservations=(reservation(State="expired"),), refuses=UNREACHABLE)
    found = diagnosed(of)
    assert found.causes[0].cause.id == "capacity-block-ended"
    assert KUBERNETES_PART in [one.name for one in found.unread]


def test_what_one_may_not_ask_is_listed():
    answers = {"autoscaling__DescribeScalingActivities": Refusal("AccessDenied", "no", 403)}
    found = diagnosed(WELL, answers=answers)
    assert ("launches of Auto Scaling that failed", "not allowed: autoscaling:DescribeScalingActivities") in [
        (one.name, one.why) for one in found.unread
    ]


def test_of_a_node_its_own_lines_alone_count():
    elsewhere = {"host": "ip-10-0-16-3.us-east-2.compute.internal"}
    missing = event("Failed", 'Error: configmap "scripts" not found', source=elsewhere)
    of = failed_job(f"{stamp(5)} {XID}").with_inside(missing)
    assert [one.cause.id for one in diagnosed(of).causes][:2] == ["gpu-fell-off-bus", "k8s-config-or-secret-missing"]
    found = diagnosed(of, line_filter=LineFilter(nodes=(NODE,)))
    assert [cause.cause.id for cause in found.causes] == ["gpu-fell-off-bus"]
    with pytest.raises(InputError, match="llm has no node ip-10-0-99-9"):
        diagnosed(of, line_filter=LineFilter(nodes=("ip-10-0-99-9",)))


def test_the_control_plane_is_read_but_for_its_audit_log():
    streams = {
        f"kube-scheduler-{'0a1b2c3d' * 4}": ["no nodes available to schedule pods"],
        f"kube-apiserver-audit-{'0a1b2c3d' * 4}": ["Insufficient nvidia.com/gpu"],
    }
    of = WELL.but(log_streams={CONTROL_PLANE: streams})
    found = diagnosed(of)
    assert [cause.cause.id for cause in found.causes] == ["k8s-no-nodes-at-all"]
    assert "1 audit streams" in [one.name for one in found.unread]


def test_nothing_of_a_cluster_commands_the_terminal(capsys):
    hostile = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.\x1b[2J\x07"
    found = diagnosed(WELL.with_inside(event("FailedScheduling", hostile, name="\x1b[31mtrain")))
    print_diagnosis(diagnosis_values(found))
    assert not re.search(r"[\x1b\x07]", capsys.readouterr().out)


def test_a_cluster_that_is_broken_says_what_eks_says():
    of = WELL.but(cluster=described_cluster(status="FAILED", health=issue("InsufficientFreeAddresses", "no addresses")))
    assert first(of) == "eks-subnet-out-of-addresses"


def test_of_reservations_in_a_group_that_is_gone_nothing_is_said_twice():
    found = diagnosed(SHORT.but(reservations=()))
    (line,) = [one for one in found.causes[0].evidence if BLOCK in one.text]
    assert line.text.startswith("eks check: capacity reservation ID")


def test_an_api_server_that_does_not_answer_is_a_cause_of_its_own():
    found = diagnosed(WELL.but(refuses=UNREACHABLE))
    assert [cause.cause.id for cause in found.causes] == ["eks-api-not-reached"]
    assert "cannot be reached" in found.causes[0].evidence[0].text


def test_a_node_whose_network_is_not_ready_says_so():
    message = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady"
    unready = kubernetes_node(3)
    unready["status"]["conditions"] = [
        {"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": message}
    ]
    found = [cause.cause.id for cause in diagnosed(WELL.with_inside(unready)).causes]
    assert found == ["vpc-cni-not-answering"]
