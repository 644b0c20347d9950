"""Whether a file of another tool holds anything that rules are about: silence about it would look like praise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any

from trainyard.document.node import Document
from trainyard.rules import DocumentKind
from trainyard.rules.documents import mapping_at
from trainyard.rules.kubernetes.efa_plugin import efa_plugins

# Types that a rule, or what it looks for, is about; a template with none of them has nothing to do with training.
_RESOURCE_TYPES = (
    "AWS::Batch::", "AWS::EC2::LaunchTemplate", "AWS::EC2::Route", "AWS::EC2::SecurityGroup", "AWS::PCS::",
    "AWS::SageMaker::Cluster", "AWS::EKS::Nodegroup", "AWS::IAM::", "AWS::Lambda::Function",
    "AWS::ElasticLoadBalancingV2::LoadBalancer",
)  # fmt: skip
# https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/
# https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
# https://awsdocs-neuron.readthedocs-hosted.com/en/latest/containers/kubernetes-getting-started.html
DEVICES = ("nvidia.com/gpu", "vpc.amazonaws.com/efa", "aws.amazon.com/neuron")


def holds_subject(kind: DocumentKind, document: Document) -> bool:
    """Return whether rules about files of a kind have something to look at in a document."""
    return kind not in _SUBJECTS or _SUBJECTS[kind](document)


def named_kind(kinds: Iterable[DocumentKind]) -> str:
    """Return what a file of one or several kinds is called."""
    return " and ".join(_NAMES[kind] for kind in sorted(set(kinds)))


def _of_cloudformation(document: Document) -> bool:
    types = (
        resource.get("Type") for resource in mapping_at(document, "Resources").values() if isinstance(resource, dict)
    )
    return any(isinstance(name, str) and name.startswith(_RESOURCE_TYPES) for name in types)


def _of_kubernetes(document: Document) -> bool:
    return _names_device(document.value) or any(efa_plugins(document))


def _names_device(value: Any) -> bool:
    match value:
        case dict():
            return any(key.startswith(DEVICES) or _names_device(member) for key, member in value.items())
        case tuple():
            return any(map(_names_device, value))
        case _:
            return False


_SUBJECTS: MappingProxyType[DocumentKind, Callable[[Document], bool]] = MappingProxyType(
    {"cloudformation": _of_cloudformation, "terraform": _of_cloudformation, "kubernetes": _of_kubernetes}
)
_NAMES: MappingProxyType[DocumentKind, str] = MappingProxyType(
    {
        "cloudformation": "a CloudFormation template",
        "dockerfile": "a Dockerfile",
        "eksctl": "a ClusterConfig of eksctl",
        "hyperpod": "a configuration of SageMaker HyperPod",
        "kubernetes": "manifests of Kubernetes",
        "parallelcluster": "a configuration of ParallelCluster",
        "sbatch": "a batch script of Slurm",
        "shell": "a shell script",
        "terraform": "a plan of Terraform",
    }
)
