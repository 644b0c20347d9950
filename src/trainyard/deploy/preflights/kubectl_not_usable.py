"""A kubectl that is missing, or whose version does not go with that of the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.by_version import number_of
from trainyard.catalog.eks_limits import eks_limits
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.errors import TrainyardError
from trainyard.rules import Problem


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the platform where kubectl cannot be run, and the version of Kubernetes where it is too far from it."""
    try:
        program = context.programs.installed_kubectl()
    except TrainyardError as error:
        yield Problem(("platform",), error.problem, error.hint)
        return
    skew = eks_limits().kubectl_minor_versions
    version = context.spec.eks.kubernetes_version
    minor = number_of(version)[1]
    if program is not None and abs(program.minor - minor) > skew:
        message = f"kubectl {program.version} is more than {skew} minor version from Kubernetes {version}"
        yield Problem(("eks", "kubernetes_version"), message, f"install kubectl 1.{minor}", "warning")


PREFLIGHT = Preflight(
    severity="error",
    applies_to="has_kubernetes",
    title="kubectl that cannot be used",
    rationale=(
        "Device plugins, operators and the volumes of file systems are put into the cluster by the user's own "
        "kubectl. Kubernetes supports one whose minor version is that of the API server, or the next to it; another "
        "one may still work."
    ),
    remedy="install it: https://kubernetes.io/docs/tasks/tools/",
    source="https://kubernetes.io/releases/version-skew-policy/#kubectl",
    permissions=(),
    check=check,
)
