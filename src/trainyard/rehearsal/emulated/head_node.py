"""The head node of an emulated cluster: what it would do in the account, without running anything.

It launches the nodes that always run, gives them names, keeps the status of the fleet, writes its logs, and signals
CloudFormation. A real one installs software, mounts file systems and starts Slurm; none of that happens here.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from botocore.exceptions import ClientError

from trainyard.rehearsal.emulated.breakdown import breakdown_at
from trainyard.rehearsal.emulated.faults import FAULTS
from trainyard.rehearsal.emulated.node_boot import NodeBoot
from trainyard.rehearsal.emulated.resource import Aws, ResourceError
from trainyard.rehearsal.emulated.slurm import Answer, slurm_of
from trainyard.rehearsal.emulated.static_nodes import (
    SlurmCluster,
    launch_missing,
    slurm_nodes,
    terminate_compute_nodes,
    terminate_surplus,
)

# Where the status of the fleet is kept: pcluster/models/compute_fleet_status_manager.py and pcluster/constants.py of
# https://pypi.org/project/aws-parallelcluster/3.16.1/
TABLE_PREFIX = "parallelcluster-"
FLEET_KEY = "COMPUTE_FLEET"
# Where pcluster puts the config: PCLUSTER_S3_ARTIFACTS_DICT in pcluster/constants.py.
_CONFIG = "configs/cluster-config.yaml"
# The parameters that lead there: pcluster/templates/cluster_stack.py.
_BUCKET, _ROOT = "ResourcesS3Bucket", "ArtifactS3RootDirectory"


def start(aws: Aws, name: str) -> int:
    """Start the head node of a cluster, or let it take over a changed config. Return how many signals it sent.

    It waits for its static nodes and signals when they run. Without capacity for them it never does.
    Raises ResourceError where the stack is not one of ParallelCluster, and where the head node signals a failure.
    https://github.com/aws/aws-parallelcluster/issues/3373
    """
    cluster = _cluster(aws, name)
    instance = _instance(aws, name)
    if instance is None:
        return 0
    status = _fleet_status(aws, name) or "RUNNING"
    ready = FAULTS.head_node_signals and breakdown_at("head") is None
    terminate_surplus(aws, cluster)
    refused = _launch(aws, cluster) if ready and status == "RUNNING" else None
    up = NodeBoot(aws, cluster, instance)
    up.begin()
    if not FAULTS.head_node_signals:
        return 0
    up.fail_head_node()
    if refused is not None:
        up.refused(refused)
        return 0
    if up.fail_nodes(being_made=True):
        _put_fleet_status(aws, name, "PROTECTED")
        raise up.signal_of_nodes()
    _put_fleet_status(aws, name, status)
    up.end_well()
    return 1


def obey(aws: Aws, name: str) -> None:
    """Do what the fleet's status asks for: start the static nodes, or stop all nodes."""
    requested = _fleet_status(aws, name)
    if requested == "STOP_REQUESTED":
        terminate_compute_nodes(aws, name)
        _put_fleet_status(aws, name, "STOPPED")
    elif requested == "START_REQUESTED":
        _put_fleet_status(aws, name, "RUNNING")
        if (head := _instance(aws, name)) is not None:
            slurm_of(head["InstanceId"]).closed.clear()  # a fleet that starts has every partition up
        _start_fleet(aws, _cluster(aws, name))


def slurm_answer(aws: Aws, instance_id: str, words: Sequence[str]) -> Answer | None:
    """Return what Slurm answers to a command on a node; None where it is no head node, or no command of Slurm's.

    What a partition loses by becoming inactive, clustermgtd terminates within a minute, and the static nodes of every
    cluster that wait for capacity are launched when it is there.
    """
    name = _clusters(aws).get(instance_id)
    if name is None:
        return None
    cluster, slurm = _cluster(aws, name), slurm_of(instance_id)
    before = slurm.inactive
    answer = slurm.answer(words, [queue["Name"] for queue in cluster.config["Scheduling"]["SlurmQueues"]])
    for queue in slurm.inactive - before:
        terminate_compute_nodes(aws, name, queue)
    if slurm.inactive != before:
        for other in _clusters(aws).values():
            if _fleet_status(aws, other) == "RUNNING":
                _launch(aws, _cluster(aws, other))
    return answer


def slurm_report(aws: Aws, instance_id: str, partitions: str) -> str:
    """Return what a head node prints of its nodes and jobs; of an instance that is none, no nodes."""
    name = _clusters(aws).get(instance_id)
    nodes = () if name is None else slurm_nodes(aws, _cluster(aws, name))
    return slurm_of(instance_id).report(partitions, nodes)


def _clusters(aws: Aws) -> dict[str, str]:
    """Return the clusters whose head node runs, by the id of that."""
    filters = [
        {"Name": "tag:parallelcluster:node-type", "Values": ["HeadNode"]},
        {"Name": "instance-state-name", "Values": ["running"]},
    ]
    reservations = aws.client("ec2").describe_instances(Filters=filters)["Reservations"]
    return {
        instance["InstanceId"]: tag["Value"]
        for reservation in reservations
        for instance in reservation["Instances"]
        for tag in instance["Tags"]
        if tag["Key"] == "parallelcluster:cluster-name"
    }


def restart_fleets(aws: Aws) -> None:
    """Let every cluster stop its nodes and start them again, so that what breaks down from now on shows at once."""
    for name in _clusters(aws).values():
        if _fleet_status(aws, name) in ("RUNNING", "PROTECTED"):
            for request in ("STOP_REQUESTED", "START_REQUESTED"):
                _put_fleet_status(aws, name, request)
                obey(aws, name)


def _start_fleet(aws: Aws, cluster: SlurmCluster) -> None:
    refused = _launch(aws, cluster)
    instance = _instance(aws, cluster.name)
    if instance is None:
        return
    up = NodeBoot(aws, cluster, instance)
    if refused is not None:
        up.refused(refused)  # clustermgtd tries again and again; the fleet counts as running
    elif up.fail_nodes(being_made=False):
        _put_fleet_status(aws, cluster.name, "PROTECTED")
    else:
        up.come_up()


def _launch(aws: Aws, cluster: SlurmCluster) -> ClientError | None:
    """Launch the static nodes that do not run, and return why EC2 refused."""
    try:
        launch_missing(aws, cluster)
    except ClientError as error:
        return error
    return None


def _cluster(aws: Aws, name: str) -> SlurmCluster:
    cloudformation = aws.client("cloudformation")
    stack = cloudformation.describe_stacks(StackName=name)["Stacks"][0]
    parameters = {parameter["ParameterKey"]: parameter["ParameterValue"] for parameter in stack.get("Parameters", [])}
    resources = cloudformation.describe_stack_resources(StackName=name)["StackResources"]
    if missing := [name for name in (_BUCKET, _ROOT) if name not in parameters]:
        raise ResourceError(
            f"nobody signals in the emulated account but head nodes of ParallelCluster, and {name} is no stack of "
            f"ParallelCluster: it has no parameter {' and no '.join(missing)}"
        )
    head = _instance(aws, name)
    key = f"{parameters[_ROOT]}/{_CONFIG}"
    text = aws.client("s3").get_object(Bucket=parameters[_BUCKET], Key=key)["Body"].read()
    return SlurmCluster(
        name=name,
        config=yaml.load(text, Loader=yaml.CSafeLoader),
        log_group=parameters.get("ClusterCWLogGroup"),
        resources={resource["LogicalResourceId"]: resource.get("PhysicalResourceId", "") for resource in resources},
        inactive=frozenset() if head is None else slurm_of(head["InstanceId"]).inactive,
    )


def _instance(aws: Aws, name: str) -> Mapping[str, Any] | None:
    filters = [
        {"Name": "tag:parallelcluster:cluster-name", "Values": [name]},
        {"Name": "tag:parallelcluster:node-type", "Values": ["HeadNode"]},
        {"Name": "instance-state-name", "Values": ["running"]},
    ]
    reservations = aws.client("ec2").describe_instances(Filters=filters)["Reservations"]
    return next((instance for reservation in reservations for instance in reservation["Instances"]), None)


def _fleet_status(aws: Aws, name: str) -> str | None:
    answer = aws.client("dynamodb").get_item(TableName=TABLE_PREFIX + name, Key={"Id": {"S": FLEET_KEY}})
    status: str | None = answer.get("Item", {}).get("Data", {}).get("M", {}).get("status", {}).get("S")
    return status


def _put_fleet_status(aws: Aws, name: str, status: str) -> None:
    now = str(dt.datetime.now(dt.UTC))
    data = {"status": {"S": status}, "lastStatusUpdatedTime": {"S": now}}
    item = {"Id": {"S": FLEET_KEY}, "Data": {"M": data}}
    aws.client("dynamodb").put_item(TableName=TABLE_PREFIX + name, Item=item)
