"""What nodes may do, and no more than they use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.custom_actions import CustomActions


def head_node_iam(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return what the head node may do: besides what every node may, it sends the cluster's metrics."""
    managed_prometheus = spec.monitoring.mode in ("amp-only", "amp+amg")
    sends_metrics = [ids.of("AMPRemoteWritePolicyArn")] if managed_prometheus else []
    return {**_policies(spec, ids, sends_metrics), **_s3_access(spec, spec.head_node.custom_actions)}


def compute_iam(spec: Spec, own: CustomActions, ids: Ids) -> dict[str, Any]:
    """Return what the compute nodes of a queue may do."""
    return {**_policies(spec, ids), **_s3_access(spec, own)}


def login_iam(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return what login nodes may do. They know no S3Access; the policy for the assets names what they read too."""
    return _policies(spec, ids)


def _policies(spec: Spec, ids: Ids, more: Iterable[str] = ()) -> dict[str, Any]:
    # Session Manager is the way in that needs no open port.
    session_manager = f"arn:{partition(spec.region)}:iam::aws:policy/AmazonSSMManagedInstanceCore"
    assets = [ids.of("NodeAssetsPolicyArn")] if spec.installs_anything else []
    policies = dict.fromkeys((session_manager, *assets, *more, *spec.iam.policies))
    return {"AdditionalIamPolicies": [{"Policy": policy} for policy in policies]}


def _s3_access(spec: Spec, own: CustomActions) -> dict[str, Any]:
    """Return read access to the buckets that nodes read, and to the user's own scripts in others, one entry a bucket.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-Iam-S3Access
    """
    buckets = spec.read_buckets
    keys: dict[str, list[str]] = {}
    for bucket, key in script_keys(own):
        if bucket not in buckets:
            keys.setdefault(bucket, []).append(key)
    scripts = [{"BucketName": bucket, "KeyName": _covering(of_bucket)} for bucket, of_bucket in keys.items()]
    entries = [*({"BucketName": bucket} for bucket in buckets), *scripts]
    return {"S3Access": entries} if entries else {}


def script_keys(own: CustomActions) -> Iterator[tuple[str, str]]:
    """Yield bucket and key of each of the user's own scripts that lies in S3."""
    for script in (*own.on_start, *own.before_setup, *own.after_setup, *getattr(own, "on_update", ())):
        if script.script.startswith("s3://"):
            bucket, _, key = script.script.removeprefix("s3://").partition("/")
            yield bucket, key


def _covering(keys: list[str]) -> str:
    """Return the narrowest pattern that covers keys: the key itself, or what they have in common."""
    first, *others = keys
    if all(key == first for key in others):
        return first
    length = next(
        (at for at, letters in enumerate(zip(*keys, strict=False)) if len(set(letters)) > 1), min(map(len, keys))
    )
    return f"{first[:length].rstrip('*')}*"


def partition(region: str) -> str:
    """Return the partition of a region, which every ARN names."""
    # https://docs.aws.amazon.com/whitepapers/latest/aws-fault-isolation-boundaries/partitions.html
    partitions = {
        "cn-": "aws-cn",
        "us-gov-": "aws-us-gov",
        "eusc-": "aws-eusc",
        "us-iso-": "aws-iso",
        "us-isob-": "aws-iso-b",
    }
    return next((partition for prefix, partition in partitions.items() if region.startswith(prefix)), "aws")
