"""All that is in an emulated account, in words that do not differ from one deployment of a spec to the next."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from trainyard.edge.aws import eks
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import all_stacks
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.rehearsal.emulated_kubectl import emulated_kubectl_of
from trainyard.rehearsal.rehearsal import inventory

# Ids of AWS, of CloudFormation's physical names, of EKS, Route 53, ParallelCluster and S3; dates; addresses.
_CHANGING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9A-F]{32}|[0-9a-f]{16,}|-[0-9A-Za-z]{12,13}\b"
    r"|(?<=\")[0-9a-f]{8}(?=\")|\ba-[0-9a-z]{17}\b|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|\+00:00)?|\d{10,}"
    r"|\b10(?:\.\d+){3}\b|ip-10(?:-\d+){3}|\b[0-9A-Z]{22}\b|-[0-9a-z]{16}(?=/)"
)
# Every update of a cluster uploads its own there, and ParallelCluster deletes them with the cluster.
_OF_UPDATES = re.compile(r"-do-not-delete/parallelcluster/.*/assets/#$")
_OF_EVERY_CALL = {"createdAt", "modifiedAt", "uid", "resourceVersion", "creationTimestamp", "generation", "clientToken"}
_KINDS = (
    "namespaces", "daemonsets", "deployments", "configmaps", "serviceaccounts", "services", "persistentvolumes",
    "persistentvolumeclaims", "storageclasses.storage.k8s.io", "clusterroles", "clusterrolebindings", "nodes",
)  # fmt: skip


def whole_account(account: Account) -> Counter[str]:
    """Return everything: what exists, stacks with their resources, and clusters of EKS with their objects."""
    whole = Counter(_stable(text) for text in (*inventory(account), *_stacks(account), *_eks_clusters(account)))
    return Counter({text: 1 if _OF_UPDATES.search(text) else count for text, count in whole.items()})


def _stacks(account: Account) -> Iterator[str]:
    cloudformation = account.client("cloudformation")
    for stack in all_stacks(account):
        yield _line(f"stack {stack.name}", {"tags": stack.tags, "outputs": stack.outputs})
        for resource in cloudformation.describe_stack_resources(StackName=stack.name)["StackResources"]:
            done = resource["ResourceStatus"].removeprefix("CREATE_").removeprefix("UPDATE_")
            yield f"resource {stack.name} {resource['LogicalResourceId']} {resource['ResourceType']} {done}"


def _eks_clusters(account: Account) -> Iterator[str]:
    client = account.client("eks")
    for name in client.list_clusters()["clusters"]:
        place = {"clusterName": name}
        yield _line(f"cluster {name}", client.describe_cluster(name=name)["cluster"])
        for group in client.list_nodegroups(**place)["nodegroups"]:
            yield _line(f"group {group}", client.describe_nodegroup(**place, nodegroupName=group)["nodegroup"])
        for addon in client.list_addons(**place)["addons"]:
            yield _line(f"add-on {addon}", client.describe_addon(**place, addonName=addon)["addon"])
        for association in client.list_pod_identity_associations(**place)["associations"]:
            yield f"identity {association['namespace']}/{association['serviceAccount']}"
        for arn in eks.administrators(account, name):
            policies = client.list_associated_access_policies(**place, principalArn=arn)["associatedAccessPolicies"]
            yield _line(f"access {arn}", policies)
        yield from _objects(account, name)
    for group in account.client("logs").describe_log_groups()["logGroups"]:
        tags = account.client("logs").list_tags_for_resource(resourceArn=group["arn"].removesuffix(":*"))["tags"]
        yield _line(f"log group {group['logGroupName']}", [tags, group.get("retentionInDays")])


def _objects(account: Account, cluster: str) -> Iterator[str]:
    with emulated_kubectl_of(account, cluster) as kubectl:
        for kind in _KINDS:
            with suppress(TrainyardError):  # a kind that nobody has brought
                for document in kubectl.get(kind):
                    metadata = document["metadata"]
                    parts = {key: value for key, value in document.items() if key not in ("metadata", "status")}
                    named = f"{kind} {metadata.get('namespace', '')}/{metadata['name']}"
                    yield _line(named, [metadata.get("labels"), parts])


def _line(what: str, value: Any) -> str:
    return f"{what}: {json.dumps(_without(value), sort_keys=True, default=str)}"


def _without(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without(inner) for key, inner in value.items() if key not in _OF_EVERY_CALL}
    return [_without(inner) for inner in value] if isinstance(value, list) else value


def _stable(text: str) -> str:
    return _CHANGING.sub("#", text)
