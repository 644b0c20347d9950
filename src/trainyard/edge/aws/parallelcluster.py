"""What ParallelCluster keeps about a cluster: configuration, log group, fleet status and names of nodes. Asks only.

https://pypi.org/project/aws-parallelcluster/3.16.1/
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call
from trainyard.edge.aws.errors import NO_OBJECT
from trainyard.edge.aws.s3_lookup import first_bytes
from trainyard.errors import TrainyardError

# Parameters of the cluster's stack: pcluster/templates/cluster_stack.py, alike in 3.14, 3.15 and 3.16. The file below:
# PCLUSTER_S3_ARTIFACTS_DICT in pcluster/constants.py.
_BUCKET, _ROOT, _LOG_GROUP = "ResourcesS3Bucket", "ArtifactS3RootDirectory", "ClusterCWLogGroup"
_VERSION = "ConfigVersion"
_FILE = "configs/cluster-config.yaml"
_MOST_BYTES = 1 << 20
_LOG_GROUP_BEGINNING = "/aws/parallelcluster/"
# pcluster/models/compute_fleet_status_manager.py and PCLUSTER_DYNAMODB_PREFIX in pcluster/constants.py
_FLEET_TABLE = "parallelcluster-"
_FLEET_KEY = {"Id": {"S": "COMPUTE_FLEET"}}
# The head node writes there which instance is which node: slurm_plugin/instance_manager.py of
# https://github.com/aws/aws-parallelcluster-node, and PCLUSTER_SLURM_DYNAMODB_PREFIX in pcluster/constants.py.
_NODES_TABLE = "parallelcluster-slurm-"
_NO_TABLE = ("ResourceNotFoundException",)


class FleetStatus(NamedTuple):
    """Whether compute nodes are launched."""

    status: str
    """RUNNING, STOPPED, PROTECTED after repeated failures, or a change from one to another such as STARTING."""
    since: str | None
    """When it became so, in UTC: 2026-05-06T13:25:00Z."""


def cluster_config(account: Account, name: str) -> Mapping[str, Any] | None:
    """Return what ParallelCluster was given last for a cluster; None where its stack does not lead to it.

    Raises NotAllowedError, or TrainyardError where AWS does not answer or the file cannot be read.
    """
    parameters = _parameters(account, name, none_if=("ValidationError",))
    bucket, root = parameters.get(_BUCKET), parameters.get(_ROOT)
    config = first_bytes(account, bucket, f"{root}/{_FILE}", _MOST_BYTES) if bucket and root else None
    return None if config is None else config_of(config.content, f"s3://{bucket}/{root}/{_FILE}")


def deployed_config(account: Account, name: str) -> str | None:
    """Return the text of the configuration that a cluster has, not what a failed update was given; None where unknown.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    parameters = _parameters(account, name, none_if=("ValidationError",))
    if any(key not in parameters for key in (_BUCKET, _ROOT, _VERSION)):
        return None
    key = f"{parameters[_ROOT]}/{_FILE}"
    place = {"Bucket": parameters[_BUCKET], "Key": key, "ExpectedBucketOwner": account.id}
    answer = call(account, "s3", "get_object", none_if=NO_OBJECT, **place, VersionId=parameters[_VERSION])
    return None if answer is None else answer["Body"].read(_MOST_BYTES).decode()


def config_of(content: bytes | str, where: str) -> Mapping[str, Any]:
    """Return a configuration from its text. Raises TrainyardError where it is none."""
    try:
        config = yaml.load(content, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError) as error:
        raise TrainyardError(f"the configuration of the cluster is no YAML: {error}", where=where) from error
    if not isinstance(config, dict):
        raise TrainyardError("the configuration of the cluster is no mapping", where=where)
    return config


def cluster_log_group(account: Account, cluster: str) -> str | None:
    """Return the name of a cluster's log group, None where it has none. It ends in the minute at which it was made."""
    name = _parameters(account, cluster, doing=f"look at stack {cluster}").get(_LOG_GROUP, "")
    return name if name.startswith(_LOG_GROUP_BEGINNING) else None


def resources_folder(account: Account, cluster: str) -> str | None:
    """Return the folder in ParallelCluster's bucket that the nodes of a cluster read; None where its stack has none."""
    return _parameters(account, cluster, doing=f"look at stack {cluster}").get(_ROOT)


def _parameters(account: Account, name: str, **expectations: Any) -> Mapping[str, str]:
    answer = call(account, "cloudformation", "describe_stacks", StackName=name, **expectations)
    parameters = answer["Stacks"][0].get("Parameters", ()) if answer else ()
    return {parameter["ParameterKey"]: parameter.get("ParameterValue", "") for parameter in parameters}


def fleet_status(account: Account, cluster: str) -> FleetStatus | None:
    """Return the status of the fleet; None where no head node has written any yet.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-protected-mode-v3.html
    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    place: dict[str, Any] = {"TableName": _FLEET_TABLE + cluster, "Key": _FLEET_KEY}
    item = (call(account, "dynamodb", "get_item", none_if=_NO_TABLE, **place) or {}).get("Item", {})
    # Before 3.2 it was no map: PlainTextComputeFleetStatusManager.
    data = item.get("Data", {}).get("M") or {
        "status": item.get("Status", {}),
        "lastStatusUpdatedTime": item.get("LastUpdatedTime", {}),
    }
    status = data.get("status", {}).get("S")
    return FleetStatus(status, _utc(data.get("lastStatusUpdatedTime", {}).get("S"))) if status else None


def _utc(written: str | None) -> str | None:
    """Return a time as the head node writes it, such as 2026-05-06 13:25:00.123456+00:00, as others are here."""
    try:
        time = dt.datetime.fromisoformat(written or "")
    except ValueError:
        return written
    return f"{(time if time.tzinfo else time.replace(tzinfo=dt.UTC)).astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}"


def instance_of_slurm_node(account: Account, cluster: str, node: str) -> str | None:
    """Return the id of the instance that is, or was last, a node of Slurm; None where nobody knows.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    if not node:
        return None
    place: dict[str, Any] = {"TableName": _NODES_TABLE + cluster, "Key": {"Id": {"S": node}}}
    answer = call(account, "dynamodb", "get_item", none_if=_NO_TABLE, ProjectionExpression="InstanceId", **place) or {}
    instance: str | None = answer.get("Item", {}).get("InstanceId", {}).get("S")
    return instance
