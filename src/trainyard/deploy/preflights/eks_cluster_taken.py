"""An EKS cluster that has the name already and is not ours, or that cannot be reached."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import eks
from trainyard.edge.aws.stacks import find_stack
from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import TrainyardError
from trainyard.platform_table import platform_of
from trainyard.render.tags import own_tags
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the name of a cluster of somebody else, and the endpoint of our own where it does not answer."""
    spec = context.spec
    eks_cluster = context.ask(eks.find_cluster, spec.name)
    if eks_cluster is None:
        return
    if any(eks_cluster.tags.get(tag) != value for tag, value in own_tags(spec).items()):
        yield Problem(
            ("name",), f"account {context.account.id} has an EKS cluster {spec.name} already, of somebody else"
        )
        return
    stack = platform_of(spec).cluster_stack(spec.name)
    if context.ask(find_stack, stack) is None:
        yield Problem(("name",), f"EKS cluster {spec.name} exists without the stack {stack} of eksctl")
        return
    if eks_cluster.status == "ACTIVE":
        yield from _reached(context)


def _reached(context: PreflightContext) -> Iterator[Problem]:
    """Ask for the version, which whoever is let in may. That kubectl itself is of no use, another preflight says."""
    try:
        context.programs.installed_kubectl()
    except TrainyardError:
        return
    try:
        with context.programs.kubectl(context.account, context.spec.name) as kubectl:
            kubectl.server_version()
    except UnreachableError as error:
        yield Problem(("eks", "endpoint"), error.problem, error.hint)
    except TrainyardError as error:
        yield Problem(("eks", "administrators"), error.problem, error.hint)


PREFLIGHT = Preflight(
    severity="error",
    applies_to="has_kubernetes",
    title="EKS cluster that is in the way",
    rationale=(
        "Names of EKS clusters are there once in an account and region. A cluster that trainyard did not make is never "
        "touched, and one whose Kubernetes API does not answer, or does not let whoever deploys in, cannot be changed."
    ),
    remedy="choose another name in the spec",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html",
    permissions=("eks:DescribeCluster", "cloudformation:DescribeStacks"),
    check=check,
)
