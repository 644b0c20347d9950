"""The programs of the user that a cluster of Amazon EKS is made with. A rehearsal has others."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from trainyard.edge.aws.account import Account
from trainyard.edge.eksctl import Eksctl, eksctl_of
from trainyard.edge.kubernetes.installed_kubectl import InstalledKubectl, installed_kubectl
from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.edge.kubernetes.kubectl_program import kubectl_of


@dataclass(frozen=True, slots=True)
class DeploymentPrograms:
    """How they are found, and which file they write."""

    eksctl: Callable[[Account], Eksctl] = eksctl_of
    kubectl: Callable[[Account, str], AbstractContextManager[Kubectl]] = kubectl_of
    kubeconfig: Path | None = None
    """The file that gets a context; None for the one that kubectl reads."""

    def installed_kubectl(self) -> InstalledKubectl | None:
        """Return the kubectl that is on PATH; None where something else is in its place."""
        return installed_kubectl() if self.kubectl is kubectl_of else None
