"""An EKS cluster as AWS and its Kubernetes API describe it, without sockets. A test changes what is to be wrong.

It makes nothing and keeps no rules, unlike the emulated account of rehearsals: each answer is written down, so that
states stand side by side which no account can be led into.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.deploy.preflights.recorded import RecordedAccount, Refusal
from tests.kubernetes.scripted_kubectl import ScriptedKubectl

NOW_S = 1_800_000_000.0  # of the clock that stands still: 2027-01-15 08:00 UTC
ACCOUNT, NAME = "123456789012", "llm"
ARN = f"arn:aws:eks:us-east-2:{ACCOUNT}:cluster/{NAME}"
BLOCK = "cr-0123456789abcdef0"
FILE_SYSTEM = "fs-0123456789abcdef0"
CONTROL_PLANE, INSIGHTS = f"/aws/eks/{NAME}/cluster", f"/aws/containerinsights/{NAME}/application"
UNREACHABLE = "Unable to connect to the server: dial tcp 10.0.1.2:443: i/o timeout"
FORBIDDEN = 'Error from server (Forbidden): nodes is forbidden: User "me" cannot list resource "nodes"'


def at(minutes_ago: float) -> datetime:
    return datetime.fromtimestamp(NOW_S, UTC) - timedelta(minutes=minutes_ago)


def stamp(minutes_ago: float) -> str:
    return f"{at(minutes_ago):%Y-%m-%dT%H:%M:%SZ}"


def described_cluster(**changes: Any) -> dict[str, Any]:
    return {
        "name": NAME,
        "arn": ARN,
        "status": "ACTIVE",
        "version": "1.35",
        "createdAt": at(600),
        "endpoint": "https://abc.gr7.us-east-2.eks.amazonaws.com",
        "certificateAuthority": {"data": "Q0E="},
        "resourcesVpcConfig": {"endpointPublicAccess": True, "endpointPrivateAccess": True},
        "tags": {"trainyard:cluster": NAME},
        **changes,
    }


def node_group(name: str = "p5", **changes: Any) -> dict[str, Any]:
    types = {"system": ["c5.2xlarge"]}.get(name, ["p5.48xlarge"])
    count = 1 if name == "system" else 2
    return {
        "nodegroupName": name,
        "nodegroupArn": f"arn:aws:eks:us-east-2:{ACCOUNT}:nodegroup/{NAME}/{name}/1",
        "clusterName": NAME,
        "status": "ACTIVE",
        "capacityType": "ON_DEMAND" if name == "system" else "CAPACITY_BLOCK",
        "scalingConfig": {"minSize": 0, "desiredSize": count, "maxSize": 10},
        "instanceTypes": types,
        "resources": {"autoScalingGroups": [{"name": f"eks-{name}-1"}]},
        "launchTemplate": {"id": f"lt-{'0' if name == 'system' else '1' * 17}", "version": "1"},
        "health": {"issues": []},
        **changes,
    }


def instance(number: int, group: str = "p5", *, minutes_ago: float = 60, **changes: Any) -> dict[str, Any]:
    tags = {f"kubernetes.io/cluster/{NAME}": "owned", "eks:nodegroup-name": group, "eks:cluster-name": NAME}
    return {
        "InstanceId": instance_id(number),
        "InstanceType": "c5.2xlarge" if group == "system" else "p5.48xlarge",
        "State": {"Name": "running", "Code": 16},
        "Placement": {"AvailabilityZone": "us-east-2a"},
        "LaunchTime": at(minutes_ago),
        "PrivateIpAddress": f"10.0.16.{number}",
        "PrivateDnsName": f"ip-10-0-16-{number}.us-east-2.compute.internal",
        "InstanceLifecycle": "capacity-block",
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
        **({"InstanceLifecycle": "spot"} if changes.pop("is_spot", False) else {}),
        **changes,
    }


def instance_id(number: int) -> str:
    return f"i-{number:017x}"


def reservation(**changes: Any) -> dict[str, Any]:
    return {
        "CapacityReservationId": BLOCK,
        "State": "active",
        "InstanceType": "p5.48xlarge",
        "AvailabilityZone": "us-east-2a",
        "TotalInstanceCount": 2,
        "AvailableInstanceCount": 0,
        "ReservationType": "capacity-block",
        "StartDate": at(600),
        "EndDate": at(-20_000),
        **changes,
    }


def activity(why: str, *, minutes_ago: float = 5) -> dict[str, Any]:
    return {
        "ActivityId": "a",
        "AutoScalingGroupName": "eks-p5-1",
        "Cause": "a difference between desired and actual capacity",
        "StartTime": at(minutes_ago),
        "StatusCode": "Failed",
        "StatusMessage": why,
    }


def stack(name: str, status: str = "CREATE_COMPLETE") -> dict[str, Any]:
    tags = {"trainyard:cluster": NAME, "alpha.eksctl.io/cluster-name": NAME}
    return {
        "StackName": name,
        "StackId": f"arn:aws:cloudformation:us-east-2:{ACCOUNT}:stack/{name}/1",
        "StackStatus": status,
        "CreationTime": at(600),
        "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
    }


def kubernetes_node(number: int, group: str = "p5", **changes: Any) -> dict[str, Any]:
    """Return a node; ``ready`` is True, or the reason and message of a condition that is Unknown."""
    ready = changes.pop("ready", True)
    gpus, efa = changes.pop("gpus", "8"), changes.pop("efa", "32")
    named = {} if group == "system" else {"nvidia.com/gpu": gpus, "vpc.amazonaws.com/efa": efa}
    condition = {"type": "Ready", "status": "True" if ready is True else "Unknown"}
    if ready is not True:
        condition |= {"reason": ready[0], "message": ready[1]}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": f"ip-10-0-16-{number}.us-east-2.compute.internal",
            "labels": {
                "eks.amazonaws.com/nodegroup": group,
                "node.kubernetes.io/instance-type": "c5.2xlarge" if group == "system" else "p5.48xlarge",
                **({} if group == "system" else {"trainyard/efa": "true", "trainyard/accelerator": "nvidia"}),
            },
        },
        "spec": {"providerID": f"aws:///us-east-2a/{instance_id(number)}", **changes.pop("spec", {})},
        "status": {
            "conditions": [condition, *changes.pop("conditions", ())],
            "allocatable": {"cpu": "190", **{key: value for key, value in named.items() if value is not None}},
            "nodeInfo": {"kubeletVersion": "v1.35.2-eks-0123456"},
        },
    }


def workload(kind: str, namespace: str, name: str, ready: int, wanted: int) -> dict[str, Any]:
    counts = (
        {"numberReady": ready, "desiredNumberScheduled": wanted} if kind == "DaemonSet" else {"readyReplicas": ready}
    )
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"namespace": namespace, "name": name},
        "spec": {} if kind == "DaemonSet" else {"replicas": wanted},
        "status": counts,
    }


def pod(name: str, phase: str = "Pending", *, minutes_ago: float = 30, **status: Any) -> dict[str, Any]:
    metadata = {
        "namespace": "default",
        "name": name,
        "creationTimestamp": stamp(minutes_ago),
        **status.pop("metadata", {}),
    }
    spec = status.pop("spec", {})
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": phase, **status}}


def unschedulable(message: str) -> dict[str, Any]:
    return {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}]}


def container(name: str = "train", **state: Any) -> dict[str, Any]:
    return {"containerStatuses": [{"name": name, "restartCount": 3, **state}]}


def job(name: str, *conditions: tuple[str, str, str], kind: str = "MPIJob", **status: Any) -> dict[str, Any]:
    """Return a job of two workers with conditions that hold: their types, reasons and messages, the oldest first."""
    specs = {"Launcher": {"replicas": 1}, "Worker": {"replicas": 2}}
    held = [
        {"type": one, "status": "True", "reason": reason, "message": message, "lastTransitionTime": stamp(30 - number)}
        for number, (one, reason, message) in enumerate(conditions)
    ]
    return {
        "apiVersion": "kubeflow.org/v2beta1" if kind == "MPIJob" else "kubeflow.org/v1",
        "kind": kind,
        "metadata": {"namespace": "default", "name": name, "creationTimestamp": stamp(31)},
        "spec": {"mpiReplicaSpecs" if kind == "MPIJob" else "pytorchReplicaSpecs": specs},
        "status": {"conditions": held, **status},
    }


def claim(phase: str = "Bound") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "default", "name": "fsx"},
        "spec": {"volumeName": "fsx"},
        "status": {"phase": phase},
    }


def volume() -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "fsx"},
        "spec": {
            "csi": {"driver": "fsx.csi.aws.com", "volumeHandle": FILE_SYSTEM},
            "claimRef": {"namespace": "default", "name": "fsx"},
        },
    }


def well_inside() -> tuple[dict[str, Any], ...]:
    """Return what is in a cluster that is well."""
    return (
        kubernetes_node(1, "system"),
        kubernetes_node(2),
        kubernetes_node(3),
        workload("DaemonSet", "kube-system", "aws-node", 3, 3),
        workload("Deployment", "kube-system", "coredns", 2, 2),
        workload("DaemonSet", "kube-system", "nvidia-device-plugin-daemonset", 2, 2),
        workload("DaemonSet", "kube-system", "aws-efa-k8s-device-plugin-daemonset", 2, 2),
        workload("DaemonSet", "kube-system", "fsx-csi-node", 3, 3),
        workload("Deployment", "mpi-operator", "mpi-operator", 1, 1),
        workload("Deployment", "default", "somebody-elses", 0, 4),
        claim(),
        volume(),
        pod("train-worker-0", "Running"),
    )


@dataclass(frozen=True)
class EksCluster:
    """What there is. Everything is well until a test says otherwise."""

    cluster: Mapping[str, Any] | None = field(default_factory=described_cluster)
    node_groups: tuple[dict[str, Any], ...] = (node_group("system"), node_group("p5"))
    addons: tuple[dict[str, Any], ...] = (
        {"addonName": "vpc-cni", "addonVersion": "v1.21.1-eksbuild.7", "status": "ACTIVE"},
    )
    instances: tuple[dict[str, Any], ...] = (instance(1, "system"), instance(2), instance(3))
    reservations: tuple[dict[str, Any], ...] = (reservation(),)
    activities: tuple[dict[str, Any], ...] = ()
    stacks: tuple[dict[str, Any], ...] = (stack("eksctl-llm-cluster"), stack("eksctl-llm-nodegroup-p5"))
    stack_events: tuple[dict[str, Any], ...] = ()
    inside: tuple[dict[str, Any], ...] = field(default_factory=well_inside)
    """Objects that the Kubernetes API has."""
    refuses: str | None = None
    """What kubectl says in place of any answer."""
    logs: Mapping[str, list[str]] = field(default_factory=dict)
    """Lines of the pods of the namespace default, by pod."""
    log_streams: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    """Events of CloudWatch, by group and stream."""

    def account(self, **answers: Any) -> RecordedAccount:
        """Return an account with it; ``answers`` go before its own: service__Operation."""
        given = {name.replace("__", "."): one for name, one in answers.items()}
        return RecordedAccount("us-east-2", answers={**_answers(self), **given})

    def kubectl(self) -> ScriptedKubectl:
        """Return what asks the Kubernetes API of it."""
        made = ScriptedKubectl()
        made.api.kinds |= {"mpijobs", "pytorchjobs"}
        made.api.objects += list(self.inside)
        made.api.refuses = self.refuses
        made.api.logs.update({("default", name): list(lines) for name, lines in self.logs.items()})
        return made

    def but(self, **changes: Any) -> EksCluster:
        return replace(self, **changes)

    def with_inside(self, *more: dict[str, Any]) -> EksCluster:
        """Return it with more objects; those of the same kind, namespace and name are replaced."""
        kept = [one for one in self.inside if _named(one) not in set(map(_named, more))]
        return replace(self, inside=(*kept, *more))


def _named(document: Mapping[str, Any]) -> tuple[str, str, str]:
    metadata = document["metadata"]
    return document["kind"], metadata.get("namespace", ""), metadata["name"]


def _answers(of: EksCluster) -> dict[str, Any]:
    missing = Refusal("ResourceNotFoundException", "No cluster found", 404)
    groups = {one["nodegroupName"]: one for one in of.node_groups}
    addons = {addon["addonName"]: addon for addon in of.addons}
    return {
        "sts.GetCallerIdentity": {"Account": ACCOUNT, "Arn": f"arn:aws:iam::{ACCOUNT}:user/me"},
        "s3.GetObject": Refusal("NoSuchKey", status=404),
        "s3.ListObjectsV2": {},
        "dynamodb.GetItem": Refusal("ResourceNotFoundException"),
        "efs.DescribeFileSystems": {"FileSystems": []},
        "fsx.DescribeFileSystems": {"FileSystems": [_file_system()]},
        "cloudformation.DescribeStacks": _stacks(of),
        "cloudformation.DescribeStackEvents": {"StackEvents": list(of.stack_events)},
        "eks.DescribeCluster": lambda asked: (
            missing if of.cluster is None or asked["name"] != NAME else {"cluster": dict(of.cluster)}
        ),
        "eks.ListNodegroups": lambda asked: missing if asked["clusterName"] != NAME else {"nodegroups": list(groups)},
        "eks.DescribeNodegroup": lambda asked: {"nodegroup": groups[asked["nodegroupName"]]},
        "eks.ListAddons": {"addons": list(addons)},
        "eks.DescribeAddon": lambda asked: {"addon": addons[asked["addonName"]]},
        "eks.ListUpdates": {"updateIds": []},
        "ec2.DescribeInstances": _instances(of),
        "ec2.DescribeLaunchTemplateVersions": _templates,
        "ec2.DescribeCapacityReservations": {"CapacityReservations": list(of.reservations)},
        "autoscaling.DescribeScalingActivities": {"Activities": list(of.activities)},
        "logs.DescribeLogGroups": _log_groups(of),
        "logs.DescribeLogStreams": _log_streams(of),
        "logs.GetLogEvents": _log_events(of),
        "logs.FilterLogEvents": _filtered(of),
        "cloudformation.ListStackResources": Refusal("ValidationError", "Stack with id x does not exist"),
    }


def _file_system() -> dict[str, Any]:
    return {
        "FileSystemId": FILE_SYSTEM,
        "FileSystemType": "LUSTRE",
        "Lifecycle": "AVAILABLE",
        "StorageCapacity": 4800,
        "Tags": [{"Key": "trainyard:cluster", "Value": NAME}],
    }


def _stacks(of: EksCluster) -> Callable[[Mapping[str, Any]], Any]:
    def answer(asked: Mapping[str, Any]) -> Any:
        wanted = asked.get("StackName")
        found = [one for one in of.stacks if wanted in (None, one["StackName"], one["StackId"])]
        if wanted is not None and not found:
            return Refusal("ValidationError", f"Stack with id {wanted} does not exist")
        return {"Stacks": found}

    return answer


def _instances(of: EksCluster) -> Callable[[Mapping[str, Any]], Any]:
    def answer(asked: Mapping[str, Any]) -> Any:
        found = [one for one in of.instances if all(_fits(one, wanted) for wanted in asked.get("Filters", ()))]
        return {"Reservations": [{"Instances": [one]} for one in found]}

    return answer


def _fits(one: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    name, values = wanted["Name"], wanted["Values"]
    if name.startswith("tag:"):
        return any({"Key": name.removeprefix("tag:"), "Value": value} in one["Tags"] for value in values)
    return {"instance-state-name": one["State"]["Name"], "instance-id": one["InstanceId"]}[name] in values


def _templates(asked: Mapping[str, Any]) -> dict[str, Any]:
    target = {"CapacityReservationTarget": {"CapacityReservationId": BLOCK}}
    data = {"CapacityReservationSpecification": target} if asked["LaunchTemplateId"].startswith("lt-1") else {}
    return {"LaunchTemplateVersions": [{"LaunchTemplateData": data}]}


def _log_groups(of: EksCluster) -> Callable[[Mapping[str, Any]], Any]:
    def answer(asked: Mapping[str, Any]) -> Any:
        found = [name for name in of.log_streams if name.startswith(asked["logGroupNamePrefix"])]
        made = int((NOW_S - 36_000) * 1000)
        return {"logGroups": [{"logGroupName": one, "creationTime": made, "storedBytes": 2**20} for one in found]}

    return answer


def _log_streams(of: EksCluster) -> Callable[[Mapping[str, Any]], Any]:
    def answer(asked: Mapping[str, Any]) -> Any:
        names = of.log_streams.get(asked["logGroupName"])
        if names is None:
            return Refusal("ResourceNotFoundException")
        times = {"firstEventTimestamp": ms(60), "lastEventTimestamp": ms(1)}
        wanted = asked.get("logStreamNamePrefix", "")
        return {"logStreams": [{"logStreamName": name, **times} for name in names if name.startswith(wanted)]}

    return answer


def ms(minutes_ago: float) -> int:
    return int((NOW_S - minutes_ago * 60) * 1000)


def _log_events(of: EksCluster) -> Callable[[Mapping[str, Any]], Any]:
    def answer(asked: Mapping[str, Any]) -> Any:
        lines = of.log_streams[asked["logGroupName"]][asked["logStreamName"]]
        events = [{"timestamp": ms(50 - number), "message": line} for number, line in enumerate(lines)]
        token = asked.get("nextToken", "end")
        shown = [] if "nextToken" in asked else events
        return {"events": shown, "nextForwardToken": token, "nextBackwardToken": token}

    return answer


def _filtered(of: EksCluster) -> Callable[[Mapping[str, Any]], Any]:
    def answer(asked: Mapping[str, Any]) -> Any:
        streams = of.log_streams[asked["logGroupName"]]
        wanted = asked.get("logStreamNames", streams)
        events = [
            {"timestamp": ms(50 - number), "message": line, "logStreamName": name, "eventId": f"{name}{number}"}
            for name in wanted
            for number, line in enumerate(streams[name])
        ]
        return {"events": sorted(events, key=lambda event: event["timestamp"])}

    return answer
