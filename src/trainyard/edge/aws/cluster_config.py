"""The configuration of a cluster as ParallelCluster keeps it, whoever made the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client
from trainyard.edge.aws.s3_listing import beginning
from trainyard.errors import TrainyardError

# Parameters of the cluster's stack: pcluster/templates/cluster_stack.py. The file below: PCLUSTER_S3_ARTIFACTS_DICT in
# pcluster/constants.py of https://pypi.org/project/aws-parallelcluster/3.16.1/
_BUCKET, _ROOT = "ResourcesS3Bucket", "ArtifactS3RootDirectory"
_FILE = "configs/cluster-config.yaml"
_MOST_BYTES = 1 << 20


def cluster_config(account: Account, name: str) -> Mapping[str, Any] | None:
    """Return what ParallelCluster was given last for a cluster; None where its stack does not lead to it.

    Raises NotAllowedError, or TrainyardError where AWS does not answer or the file cannot be read.
    """
    parameters = _parameters(account, name)
    bucket, root = parameters.get(_BUCKET), parameters.get(_ROOT)
    there = beginning(account, bucket, f"{root}/{_FILE}", _MOST_BYTES) if bucket and root else None
    return None if there is None else config_of(there.content, f"s3://{bucket}/{root}/{_FILE}")


def config_of(content: bytes | str, where: str) -> Mapping[str, Any]:
    """Return a configuration from its text. Raises TrainyardError where it is none."""
    try:
        found = yaml.load(content, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError) as error:
        raise TrainyardError(f"the configuration of the cluster is no YAML: {error}", where=where) from error
    if not isinstance(found, dict):
        raise TrainyardError("the configuration of the cluster is no mapping", where=where)
    return found


def _parameters(account: Account, name: str) -> Mapping[str, str]:
    def ask() -> Mapping[str, str]:
        stack = client(account, "cloudformation").describe_stacks(StackName=name)["Stacks"][0]
        return {one["ParameterKey"]: one.get("ParameterValue", "") for one in stack.get("Parameters", ())}

    return answer_or_none(account, "cloudformation:DescribeStacks", ask, {"ValidationError"}) or {}
