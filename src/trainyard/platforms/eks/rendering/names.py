"""What cluster.yaml and the manifests have to call alike: labels and taints of nodes, and who runs with a role."""

from __future__ import annotations

from typing import NamedTuple

from trainyard.launch.launch import Launch

# A prefix has to be a name in the sense of DNS, and one without a dot belongs to nobody.
# https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
NODES = "trainyard/nodes"
"""Label of every node: SYSTEM or TRAINING."""
SYSTEM, TRAINING = "system", "training"
QUEUE = "trainyard/queue"
"""Label of training nodes: the name of their queue."""
ACCELERATOR = "trainyard/accelerator"
"""Label of nodes that have any: nvidia or neuron."""
EFA = "trainyard/efa"
"""Label of nodes with EFA devices: "true"."""

# The keys that the device plugins' own manifests tolerate. Pods that ask for the resource of the same name tolerate it
# by themselves: EKS has the admission plugin ExtendedResourceToleration.
# https://docs.aws.amazon.com/eks/latest/userguide/platform-versions.html
TAINT_KEYS = {"nvidia": "nvidia.com/gpu", "neuron": "aws.amazon.com/neuron"}
"""The taint of nodes with accelerators, by the value of their label ACCELERATOR. Its value is "true"."""

EFA_PLUGIN = ("kube-system", "aws-efa-k8s-device-plugin-daemonset")
"""Namespace and name that eksctl gives the EFA device plugin, which it installs by itself with efaEnabled, in an old
version. A manifest with this name, and the selector ``name: aws-efa-k8s-device-plugin``, takes its place.
https://github.com/eksctl-io/eksctl/blob/main/pkg/addons/assets/efa-device-plugin.yaml"""


class ServiceAccount(NamedTuple):
    """Who in the cluster gets a role by EKS Pod Identity."""

    namespace: str
    name: str


PROMETHEUS = ServiceAccount("monitoring", "prometheus-agent")
"""Sends metrics to Amazon Managed Prometheus: the policy AMPRemoteWritePolicyArn."""


def labels(launch: Launch) -> dict[str, str]:
    """Return the labels of the nodes of a queue."""
    kind = launch.instance.accelerator
    return {
        NODES: TRAINING,
        QUEUE: launch.nodes.queue.name,
        **({} if kind is None else {ACCELERATOR: kind}),
        **({EFA: "true"} if launch.instance.efa else {}),
    }


def taints(launch: Launch) -> list[dict[str, str]]:
    """Return the taints of the nodes of a queue, as eksctl takes them: what needs no accelerator stays away."""
    kind = launch.instance.accelerator
    return [] if kind is None else [{"key": TAINT_KEYS[kind], "value": "true", "effect": "NoSchedule"}]
