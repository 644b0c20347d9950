"""A kubeconfig that cannot get the context of the cluster, and an AWS CLI that kubectl would miss with it."""

from __future__ import annotations

from collections.abc import Iterator
from shutil import which

from trainyard.catalog.partition import partition_of
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import eks
from trainyard.edge.kubernetes.user_kubeconfig import refuse_other_entry, refuse_unwritable, user_kubeconfig
from trainyard.errors import TrainyardError
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the platform where the last step would fail, before anything is made."""
    spec = context.spec
    file = user_kubeconfig(context.programs.kubeconfig)
    eks_cluster = context.ask(eks.find_cluster, spec.name)
    arn = f"arn:{partition_of(spec.region)}:eks:{spec.region}:{context.account.id}:cluster/{spec.name}"
    try:
        refuse_unwritable(file)
        refuse_other_entry(file, arn, None if eks_cluster is None else eks_cluster.endpoint)
    except TrainyardError as error:
        yield Problem(("platform",), error.problem, error.hint)
        return
    if which("aws") is None:
        message = "there is no `aws` here, by which kubectl signs in with the context that kubeconfig gets"
        remedy = "install the AWS CLI: https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html"
        yield Problem(("platform",), message, remedy, "info")


PREFLIGHT = Preflight(
    severity="error",
    applies_to="has_kubernetes",
    title="kubeconfig that cannot be written",
    rationale=(
        "A deployment ends with a context for the cluster in the user's kubeconfig, as `aws eks update-kubeconfig` "
        "writes it. An entry of the same name that leads elsewhere is never replaced, and a file that is read-only is "
        "meant to be."
    ),
    remedy="put right what it says, or name another file in KUBECONFIG",
    source="https://docs.aws.amazon.com/eks/latest/userguide/create-kubeconfig.html",
    permissions=("eks:DescribeCluster",),
    check=check,
)
