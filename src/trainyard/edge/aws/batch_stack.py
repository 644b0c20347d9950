"""What a stack of CloudFormation has of AWS Batch: by this a cluster is one of Batch, whoever made it. Asks only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client

_KINDS = {
    "AWS::Batch::ComputeEnvironment": "environments",
    "AWS::Batch::JobQueue": "queues",
    "AWS::Batch::JobDefinition": "definitions",
    "AWS::ECR::Repository": "repositories",
    "AWS::Logs::LogGroup": "log_groups",
    "AWS::CloudWatch::Dashboard": "dashboards",
}


class BatchResources(NamedTuple):
    """The resources of a stack that make a Batch cluster, by their ids: ARNs or names."""

    stack: str
    environments: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    log_groups: tuple[str, ...] = ()
    dashboards: tuple[str, ...] = ()


def batch_resources(account: Account, stack: str) -> BatchResources | None:
    """Return what a stack has of Batch; None where it has no compute environment and no job queue, or is not there.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    call = partial(_listed, account, stack)
    listed = answer_or_none(account, "cloudformation:ListStackResources", call, {"ValidationError"}) or ()
    found = BatchResources(stack, **_by_kind(listed))
    return found if found.environments or found.queues else None


def _listed(account: Account, stack: str) -> list[dict[str, str]]:
    pages = client(account, "cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
    return [one for page in pages for one in page.get("StackResourceSummaries", ())]


def _by_kind(listed: Iterable[Mapping[str, str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for one in listed:
        kind, id_ = _KINDS.get(one["ResourceType"]), one.get("PhysicalResourceId")
        if kind is not None and id_ and one["ResourceStatus"] != "DELETE_COMPLETE":
            found.setdefault(kind, []).append(id_)
    return {kind: tuple(ids) for kind, ids in found.items()}


def batch_of_cluster(account: Account, cluster: str) -> BatchResources | None:
    """Return what there is of Batch in the stack of a cluster: in ours, CLUSTER-batch, or one that is called so.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    return batch_resources(account, f"{cluster}-batch") or batch_resources(account, cluster)
