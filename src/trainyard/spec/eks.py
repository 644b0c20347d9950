"""What only Amazon EKS has."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Positive, Text
from trainyard.record import Record
from trainyard.spec.batch import ContainerImage
from trainyard.spec.overlay import Overlay
from trainyard.spec.text import InstanceTypeName, version_of_tag

KubernetesVersion = Annotated[
    str,
    Text(r"^v?[0-9]+\.[0-9]+$", 'a minor version of Kubernetes such as "1.36", in quotes', normal=version_of_tag),
]
# https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
IamPrincipalArn = Annotated[
    str,
    Text(
        r"^arn:aws[a-z-]*:iam::[0-9]{12}:(role|user)/[A-Za-z0-9+=,.@_/-]+$",
        "the ARN of an IAM role or user such as arn:aws:iam::123456789012:role/ml-admins",
    ),
]
# https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
ControlPlaneLog = Literal["api", "audit", "authenticator", "controllerManager", "scheduler"]
Operator = Literal["training-operator", "mpi-operator", "jobset"]
# As eksctl calls them: https://docs.aws.amazon.com/eks/latest/eksctl/iam-policies.html
NodePolicy = Literal["autoScaler", "cloudWatch", "ebs", "efs", "fsx", "imageBuilder"]


class SystemNodes(Record):
    """The nodes of what the cluster itself runs: DNS, operators, controllers. Training never lands there."""

    instance_type: InstanceTypeName = "c5.2xlarge"
    """Instance type of every system node."""
    count: Positive = 2
    """How many. With one, DNS and operators are away while it is replaced."""


class Eks(Record):
    """Amazon EKS and what runs in every cluster of it."""

    kubernetes_version: KubernetesVersion = "1.36"
    """Minor version of Kubernetes, such as "1.36", in quotes: without them YAML reads 1.30 as 1.3."""
    system_nodes: SystemNodes = {}  # type: ignore[assignment]  # plain data, validated like input
    """The nodes that run no training."""
    endpoint: Literal["public", "private", "both"] = "both"
    """Where the Kubernetes API is reached: from the ranges of access.allow_from, from within the VPC, or both. Without
    ranges, a public endpoint answers everybody who has credentials."""
    administrators: tuple[IamPrincipalArn, ...] = ()
    """IAM roles and users that administer the cluster, beside the one that creates it."""
    control_plane_logs: tuple[ControlPlaneLog, ...] = ("audit", "authenticator")
    """Logs of the control plane that CloudWatch keeps for monitoring.log_retention_days, unless monitoring.logs is
    false."""
    node_policies: tuple[NodePolicy, ...] = ()
    """eksctl's add-on policies of nodes. Every pod could use them, so by default there are none: what
    runs in the cluster has roles of its own."""
    node_repair: bool = True
    """Let EKS replace or reboot nodes that it finds unhealthy, in the node groups that it manages."""
    operators: tuple[Operator, ...] = ("training-operator", "mpi-operator")
    """Kubernetes operators for jobs: training-operator for PyTorchJob, mpi-operator for MPIJob and bandwidth tests,
    jobset for JobSet, which a training run can be in place of a PyTorchJob."""
    overlay: Overlay = {}
    """Keys of eksctl's file that the spec does not have, as eksctl writes them. They are merged last, node groups by
    their name. Other entries of lists come after those that are there. A key that the spec has is refused here."""
    adopted: bool = False
    """The cluster is older than this spec. Then cluster.yaml holds what the spec writes, and nothing that it leaves to
    defaults: every node group is a queue, also those without training. The overlay may write any other key, and null
    for one that the file of the cluster does not have. eksctl goes on changing it; `deploy` does not."""
    nccl_image: ContainerImage | None = None
    """Image with nccl-tests, Open MPI and an SSH server for bandwidth tests. By default AWS's own."""
    pytorch_image: ContainerImage | None = None
    """Image of the example PyTorchJob. By default a public one with a pinned tag."""
