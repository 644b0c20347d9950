"""The user's kubeconfig, which learns how to reach the cluster. That comes last: nothing of ours reads the file."""

from __future__ import annotations

from shutil import which

from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws.eks import EksCluster
from trainyard.edge.kubernetes.user_kubeconfig import Context, add_context, remove_context, user_kubeconfig
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.deployment.stacks import own_cluster


class EksKubeconfig:
    """Adds a context that is called by the cluster's ARN. Which context is the current one, the user decides."""

    name = "kubeconfig"
    title = "context in the kubeconfig"

    def probe(self, work: Work) -> Probe:
        """Name the file."""
        return Probe("missing", str(user_kubeconfig(work.options.kubeconfig)))

    def apply(self, work: Work) -> StepOutcome:
        """Add the context, where it is not there."""
        eks_cluster = own_cluster(work)
        if eks_cluster is None or not eks_cluster.endpoint:
            raise TrainyardError(
                f"EKS cluster {work.name} has no endpoint", where=work.name, hint="run the command again"
            )
        file = user_kubeconfig(work.options.kubeconfig)
        added = add_context(file, context_of(work, eks_cluster))
        note = "" if which("aws") else "; kubectl needs the AWS CLI to sign in with it, and there is no `aws` here"
        return StepOutcome(added, f"context {eks_cluster.arn} in {file}{note}")

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: it goes with the cluster."""
        del work
        return StepOutcome(changed=False)


def context_of(work: Work, cluster: EksCluster) -> Context:
    """Return what leads to a cluster."""
    account = work.account
    return Context(
        cluster.arn, cluster.name, account.region, cluster.endpoint, cluster.certificate_authority, account.profile
    )


def forget_cluster(work: Work, cluster: EksCluster) -> None:
    """Take a cluster that is gone out of the kubeconfig. That it cannot be written is no reason to stop."""
    file = user_kubeconfig(work.options.kubeconfig)
    try:
        if remove_context(file, cluster.arn, cluster.endpoint):
            work.tell(f"context {cluster.arn} taken out of {file}")
    except TrainyardError as error:
        work.tell(f"context {cluster.arn} stays in {file}: {error.problem}")
