"""The README of a bundle for Amazon EKS: how to make, use and remove a cluster with eksctl and kubectl."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.bundle.by_hand.aws_command import aws
from trainyard.bundle.by_hand.reservations import ungrouped
from trainyard.bundle.by_hand.stacks import removed
from trainyard.bundle.markdown import block
from trainyard.catalog.eks_limits import eks_limits
from trainyard.platforms.eks.rendering.addons import unpinned
from trainyard.platforms.eks.rendering.names import QUEUE, TAINT_KEYS, accelerator
from trainyard.platforms.eks.rendering.node_groups import node_group_name
from trainyard.platforms.eks.rendering.own_template import own_templates, reasons
from trainyard.render.bench.gpu_nodes import gpu_nodes
from trainyard.render.rendering import Rendering
from trainyard.spec.cluster import Spec

# eksctl would install device plugins of its own choosing; those of manifests/ are pinned.
# https://docs.aws.amazon.com/eks/latest/eksctl/gpu-support.html
CREATE_FLAGS = ("--install-nvidia-plugin=false", "--install-neuron-plugin=false")
# Without the first, nodes of groups that EKS does not manage, which somebody may have added, are drained one after the
# other, which the disruption budgets of CoreDNS and others hold up: https://github.com/eksctl-io/eksctl/issues/7719.
# Those of managed groups EKS drains itself. Without the second, the command ends before anything is gone, and errors
# stay unseen.
# https://docs.aws.amazon.com/eks/latest/eksctl/creating-and-managing-clusters.html
DELETE_FLAGS = ("--disable-nodegroup-eviction", "--wait")
EXAMPLES = "manifests/examples/"
"""What the names of jobs begin with, which are not installed with everything else."""
_RESOURCES = {"training-operator": "pytorchjobs", "mpi-operator": "mpijobs"}


def deploy(spec: Spec) -> Iterator[str]:
    """Yield the lines of step 2."""
    yield "## 2. Deploy"
    yield ""
    yield from _own_templates(spec)
    if names := unpinned(spec):
        known = ", ".join(f"`{name}`" for name in names)
        yield f"For Kubernetes {spec.eks.kubernetes_version} no version is pinned of {known}: EKS takes its default."
        yield ""
    version, oldest = spec.eks.kubernetes_version, eks_limits().oldest_eksctl
    yield from block(
        f"eksctl {oldest} or newer, a region that offers Kubernetes {version}, and a kubectl of that minor version or "
        "the next to it:",
        [f"eksctl utils describe-cluster-versions --region {spec.region}", "kubectl version --client"],
    )
    yield from block(
        "A dry run reads the whole file, and prints it with all defaults. It asks AWS little, and makes nothing.",
        ["eksctl create cluster -f cluster.yaml --dry-run"],
    )
    yield from block(
        "The cluster, in 15 to 30 minutes. Its kubeconfig is a file of its own, so that yours stays as it is.",
        [
            " ".join(["eksctl create cluster -f cluster.yaml", *CREATE_FLAGS, "--kubeconfig kubeconfig"]),
            'export KUBECONFIG="$PWD/kubeconfig"',
        ],
    )
    yield from block(
        "What runs in it. With EFA, eksctl has installed a device plugin that may not know these nodes; the one of "
        "the same name here takes its place, for which conflicts are forced.",
        ["kubectl apply --server-side --force-conflicts -f manifests/"],
    )


def _own_templates(spec: Spec) -> Iterator[str]:
    """Yield which node groups have launch templates of their own, and why."""
    groups = own_templates(spec)
    if not groups:
        return
    yield "Node groups whose launch template is in `nodes.yaml`, because eksctl's own would be wrong:"
    yield ""
    for group in groups:
        yield f"- `{node_group_name(group)}`: {' '.join(reasons(group))}"
    yield ""


def use(spec: Spec, rendering: Rendering) -> Iterator[str]:
    """Yield the lines of step 3."""
    groups = list(spec.node_groups())
    system, training = spec.eks.system_nodes.count, sum(group.desired_nodes for group in groups)
    yield "## 3. Use"
    yield ""
    counted = " + ".join(f"{group.desired_nodes} of `{node_group_name(group)}`" for group in groups)
    yield from block(
        f"{system + training} nodes are to be Ready: {system} of `system`, where DNS and operators run, + {counted}.",
        [f"kubectl get nodes -L {QUEUE} -L node.kubernetes.io/instance-type"],
    )
    kinds = sorted({TAINT_KEYS[kind] for group in groups if (kind := accelerator(group))})
    # https://kubernetes.io/docs/reference/kubectl/#custom-columns
    columns = [
        f"{kind.rpartition('/')[2].upper()}:.status.allocatable.{kind.replace('.', chr(92) + '.')}" for kind in kinds
    ]
    listed = ",".join(["NAME:.metadata.name", *columns, r"EFA:.status.allocatable.vpc\.amazonaws\.com/efa"])
    yield from block("What each of them has for pods:", [f"kubectl get nodes -o custom-columns='{listed}'"])
    if gpu_nodes(spec) and "mpi-operator" in spec.eks.operators:
        yield from _bandwidth(spec)
    yield from _example(rendering)
    for group in groups:
        if group.min_nodes != group.max_nodes:
            name = node_group_name(group)
            scaled = f"eksctl scale nodegroup --region {spec.region} --cluster {spec.name} --name {name} --nodes N"
            text = f"Nothing changes the number of nodes by itself. N is from {group.min_nodes} to {group.max_nodes}:"
            yield from block(text, [scaled])


def _bandwidth(spec: Spec) -> Iterator[str]:
    """Yield how bandwidth is measured. A job that has ended is no other when it is applied again, so it is replaced."""
    yield from block(
        "What the network reaches; FILE is any of the files and NAME the name in it, whose launcher begins once its "
        "workers run:",
        [
            "kubectl replace --force -f bench/FILE.yaml",
            "kubectl logs --follow job/NAME-launcher | tee NAME.out",
            "trainyard bench judge NAME.out",
        ],
    )
    yield from block(
        "Or all of them one after the other, waited for, fetched and judged:",
        [f"trainyard bench submit {spec.name} --region {spec.region}"],
    )


def _example(rendering: Rendering) -> Iterator[str]:
    """Yield how the first example of a job is started, nothing where there is none."""
    examples = sorted(name for name in rendering.documents if name.startswith(EXAMPLES))
    if examples:
        yield from block("A training job, to begin with and to change:", [f"kubectl apply -f {examples[0]}"])


def remove(spec: Spec, rendering: Rendering, stay: str) -> Iterator[str]:
    """Yield the lines of step 4. ``stay`` says what outlives its stack."""
    yield "## 4. Remove"
    yield ""
    kinds = [_RESOURCES[operator] for operator in _RESOURCES if operator in spec.eks.operators]
    ended = [f"kubectl delete {','.join(kinds)} --all --all-namespaces"] if kinds else []
    yield from block(
        "Jobs first, which end themselves. Then all that eksctl has made; what was made in step 1 stays.",
        [*ended, " ".join(["eksctl delete cluster -f cluster.yaml", *DELETE_FLAGS])],
    )
    if spec.monitoring.logs and spec.eks.control_plane_logs:
        days, name = spec.monitoring.log_retention_days, f"/aws/eks/{spec.name}/cluster"
        yield from block(
            f"The logs of the control plane stay for {days} days, and their empty group after that. This deletes both:",
            [aws(spec.region, "logs delete-log-group", "--log-group-name", name)],
        )
    if groups := list(ungrouped(spec)):
        yield from block("The groups of reservations; the reservations themselves stay:", groups)
    text = f"Once the cluster is gone and nothing else needs them, the stacks, the last one first. {stay}"
    if rendering.stacks:
        yield from block(text, list(removed(spec, rendering.stacks)))
