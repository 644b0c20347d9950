"""Lets the user's own kubectl reach an EKS cluster: a context in his kubeconfig, beside what stands there."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import find_cluster
from trainyard.edge.kubernetes.user_kubeconfig import Context, add_context, user_kubeconfig
from trainyard.errors import TrainyardError


class WrittenKubeconfig(NamedTuple):
    """A context that is there now."""

    file: Path
    context: str
    """The ARN of the cluster, as `aws eks update-kubeconfig` calls it. The current context stays what it was."""
    added: bool
    """False where it was there before."""


def write_kubeconfig(account: Account, cluster: str, file: Path | None) -> WrittenKubeconfig:
    """Add the context of a cluster to a kubeconfig: a file, or the one that kubectl would write.

    Raises TrainyardError where there is no such cluster, the file may not be written, or has another such entry.
    """
    eks_cluster = find_cluster(account, cluster)
    if eks_cluster is None:
        hint = "check the name, --region and --profile; other platforms have no kubeconfig"
        raise TrainyardError(f"there is no EKS cluster {cluster} in {account.region}", where=cluster, hint=hint)
    if not eks_cluster.endpoint:
        hint = f"`trainyard status {cluster} --region {account.region}` says how far it is"
        raise TrainyardError(f"{cluster} is {eks_cluster.status} and has no endpoint yet", where=cluster, hint=hint)
    place = user_kubeconfig(file)
    profile = account.profile
    context = Context(
        eks_cluster.arn,
        eks_cluster.name,
        account.region,
        eks_cluster.endpoint,
        eks_cluster.certificate_authority,
        profile,
    )
    return WrittenKubeconfig(place, eks_cluster.arn, add_context(place, context))
