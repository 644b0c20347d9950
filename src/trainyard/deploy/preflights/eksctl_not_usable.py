"""An eksctl that is missing, or too old for the spec."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.eks_limits import eks_limits
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.errors import TrainyardError
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the platform where eksctl cannot be run, or is too old."""
    try:
        program = context.programs.eksctl(context.account).program
    except TrainyardError as error:
        yield Problem(("platform",), error.problem, error.hint)
        return
    oldest = eks_limits().oldest_eksctl
    if program.is_older_than(oldest):
        message = f"eksctl {program.version} is older than {oldest}, the first that knows every key of cluster.yaml"
        yield Problem(("platform",), message)


PREFLIGHT = Preflight(
    severity="error",
    applies_to="made_by_eksctl",
    title="eksctl that cannot be used",
    rationale=(
        "Clusters of Amazon EKS are made by the user's own eksctl. One that is too old refuses the configuration after "
        "the stacks beside the cluster were made."
    ),
    remedy="install the latest one: https://docs.aws.amazon.com/eks/latest/eksctl/installation.html",
    source="https://docs.aws.amazon.com/eks/latest/eksctl/installation.html",
    permissions=(),
    check=check,
)
