"""Writing the ids of a cluster into its dashboards for CloudWatch, and putting them there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

from trainyard.bundle.by_hand.aws_command import assignment, aws, shell_name
from trainyard.bundle.by_hand.stacks import read_outputs, written_in
from trainyard.bundle.cloudwatch_files import cloudwatch_file_names, cloudwatch_stand_ins
from trainyard.monitoring.cloudwatch_body import dashboards_of, wants_dashboards
from trainyard.monitoring.cloudwatch_cluster import HEAD_NODE, LOG_GROUP
from trainyard.monitoring.cloudwatch_dashboard import dashboard_name
from trainyard.render.stand_ins import StandIn
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import OpenZfs


def put(spec: Spec, outputs: Mapping[str, str]) -> Iterator[str]:
    """Yield how to make the dashboards of a cluster that is there, nothing where the spec wants none.

    What stacks before the cluster gave has been written in by then.
    """
    files = cloudwatch_file_names(spec)
    stand_ins = [stand_in for stand_in in cloudwatch_stand_ins(spec, outputs) if stand_in.stack == "cluster"]
    for stand_in in stand_ins:
        yield from _read(spec, stand_in)
    if stand_ins:
        yield written_in(stand_ins, files)
    for file in files:
        name = PurePath(file).stem
        body = f"file://{file}"
        yield aws(spec.region, "cloudwatch put-dashboard", "--dashboard-name", name, "--dashboard-body", body)


def delete_commands(spec: Spec) -> Iterator[str]:
    """Yield how to delete them."""
    if wants_dashboards(spec):
        names = [dashboard_name(spec.name, cloud_watch_dashboard) for cloud_watch_dashboard in dashboards_of(spec)]
        yield aws(spec.region, "cloudwatch delete-dashboards", "--dashboard-names", *names)


def _read(spec: Spec, stand_in: StandIn) -> Iterator[str]:
    """Yield how to leave an id in the variable that is named after its output."""
    if stand_in.output == HEAD_NODE:
        yield assignment(shell_name(stand_in.output), _head_node(spec))
    elif stand_in.output == LOG_GROUP:
        yield assignment(shell_name(stand_in.output), _log_group(spec))
    else:
        yield from _openzfs(spec, stand_in)


def _head_node(spec: Spec) -> str:
    # The tags: https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html
    tags = {"parallelcluster:cluster-name": spec.name, "parallelcluster:node-type": "HeadNode"}
    filters = [f"Name=tag:{key},Values={value}" for key, value in tags.items()]
    return aws(
        spec.region, "ec2 describe-instances", "--filters", *filters, "Name=instance-state-name,Values=running",
        "--query", "Reservations[0].Instances[0].InstanceId", "--output", "text",
    )  # fmt: skip


def _log_group(spec: Spec) -> str:
    query = "Stacks[0].Parameters[?ParameterKey==`ClusterCWLogGroup`].ParameterValue"
    stack = ("--stack-name", spec.name)
    return aws(spec.region, "cloudformation describe-stacks", *stack, "--query", query, "--output", "text")


def _openzfs(spec: Spec, stand_in: StandIn) -> Iterator[str]:
    volumes = [
        file_system.settings.id for file_system in spec.file_systems if isinstance(file_system.settings, OpenZfs)
    ]
    number = int(stand_in.output.removeprefix("OpenZFSFileSystemId") or 1)
    volume = volumes[number - 1]
    if volume in (None, "environment"):
        number_made = sum(volume in (None, "environment") for volume in volumes[:number])
        output = f"FSxORootVolumeId{number_made if number_made > 1 else ''}"
        yield from read_outputs(spec, _storage(spec), [output])
        volume = f"${shell_name(output)}"
    described = aws(
        spec.region, "fsx describe-volumes", "--volume-ids", str(volume),
        "--query", "Volumes[0].FileSystemId", "--output", "text",
    )  # fmt: skip
    yield assignment(shell_name(stand_in.output), described)


def _storage(spec: Spec) -> str:
    return f"{spec.environment or spec.name}-storage"
