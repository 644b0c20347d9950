"""The names of log streams of an EKS cluster, and of the logs of pods, which kubectl reads.

https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Container-Insights-EKS-logs.html
"""

from __future__ import annotations

import re
from typing import NamedTuple

CONTROL_PLANE = "/aws/eks/"
_COMPONENT = re.compile(
    r"(?P<kind>kube-apiserver-audit|kube-apiserver|kube-controller-manager|kube-scheduler|cloud-controller-manager"
    r"|authenticator)-[0-9a-f]{8,64}"
)
_OF_NODE = re.compile(r"(?P<host>[A-Za-z0-9.-]{1,253}?)-(?P<kind>application|host|dataplane)\.(?P<rest>.+)", re.DOTALL)


class EksStreamName(NamedTuple):
    """What logs, and on which node."""

    kind: str
    """kube-scheduler and the like of the control plane; application, host or dataplane of Container Insights."""
    host: str
    """The node, or that it is the control plane."""
    is_of_node: bool = False

    @property
    def label(self) -> str:
        """Return whose log it is and which, in few words."""
        return f"{self.host} {self.kind}" if self.is_of_node else self.kind

    def values(self) -> dict[str, str | int | None]:
        """Return them as values for JSON."""
        return {"host": self.host if self.is_of_node else None, "log": self.kind}

    def is_of(self, node: str) -> bool:
        """Return whether it is a log of a node, given by its name, the long form or the short one."""
        return self.is_of_node and node.partition(".")[0] == self.host.partition(".")[0]


class PodStreamName(NamedTuple):
    """A container of a pod."""

    namespace: str
    pod: str
    container: str
    node: str | None = None

    @property
    def kind(self) -> str:
        """Return what `--log` takes: the name of the container."""
        return self.container

    @property
    def host(self) -> str:
        """Return what people call it: the pod, with its namespace where that is not the usual one."""
        return self.pod if self.namespace == "default" else f"{self.namespace}/{self.pod}"

    @property
    def label(self) -> str:
        """Return whose log it is and which, in few words."""
        return f"{self.host} {self.kind}"

    def values(self) -> dict[str, str | int | None]:
        """Return them as values for JSON."""
        return {"host": self.node, "log": self.container, "pod": f"{self.namespace}/{self.pod}"}


def parsed_eks(name: str) -> EksStreamName | None:
    """Return the parts of a name; None where the stream is of something else."""
    if match := _COMPONENT.fullmatch(name):
        return EksStreamName(match["kind"], "control plane")
    if match := _OF_NODE.fullmatch(name):
        return EksStreamName(match["kind"], match["host"], is_of_node=True)
    return None
