"""The README of a bundle for Amazon EKS: how to make, use and remove a cluster with eksctl and kubectl."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trainyard.bundle.by_hand.aws_command import aws
from trainyard.bundle.markdown import Pieces
from trainyard.bundle.readme_contents import ReadmeContents, removal_commands
from trainyard.catalog.eks_limits import eks_limits
from trainyard.launch.launch import compute_launches
from trainyard.platforms.eks.rendering.addons import addons_without_version
from trainyard.platforms.eks.rendering.names import QUEUE, TAINT_KEYS
from trainyard.platforms.eks.rendering.node_groups import node_group_name
from trainyard.platforms.eks.rendering.node_role import own_templates, reasons
from trainyard.render.bench.gpu_nodes import gpu_nodes
from trainyard.render.rendering import EXAMPLES, Rendering
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
_RESOURCES = {"training-operator": "pytorchjobs", "mpi-operator": "mpijobs", "jobset": "jobsets"}
CREATE_COMMAND = "eksctl create cluster"
BENCH_FILES = ("| `bench/*.yaml` | NCCL bandwidth tests, as `kubectl apply` takes them |",)
_PAGE = Pieces(Path(__file__).with_suffix(".md"))


def version_note(spec: Spec) -> str:
    """Return which version of Kubernetes the cluster runs."""
    return f"on Amazon EKS with Kubernetes {spec.eks.kubernetes_version}"


def steps(spec: Spec, contents: ReadmeContents) -> Iterator[str]:
    """Yield the lines of the steps from the second on."""
    yield from _deploy(spec)
    yield from _use(spec, contents.rendering)
    yield from _remove(spec, contents.rendering)


def _deploy(spec: Spec) -> Iterator[str]:
    """Yield the lines of step 2."""
    version = spec.eks.kubernetes_version
    yield from _PAGE.lines("deploy")
    if launches := own_templates(spec):
        explained = [f"- `{node_group_name(launch.nodes)}`: {' '.join(reasons(launch))}" for launch in launches]
        yield from _PAGE.lines("own-templates", reasons=explained)
    if addons := addons_without_version(spec):
        yield from _PAGE.lines("unpinned", version=version, addons=", ".join(f"`{name}`" for name in addons))
    yield from _PAGE.lines(
        "create",
        oldest_eksctl=eks_limits().oldest_eksctl,
        version=version,
        region=spec.region,
        create_flags=" ".join(CREATE_FLAGS),
    )


def _use(spec: Spec, rendering: Rendering) -> Iterator[str]:
    """Yield the lines of step 3."""
    groups = list(spec.node_groups())
    system_nodes = 0 if spec.eks.adopted else spec.eks.system_nodes.count
    yield from _PAGE.lines(
        "use",
        nodes=str(system_nodes + sum(group.desired_nodes for group in groups)),
        system_nodes=str(system_nodes),
        node_groups=" + ".join(f"{group.desired_nodes} of `{node_group_name(group)}`" for group in groups),
        queue_label=QUEUE,
        columns=_device_columns(spec),
    )
    if gpu_nodes(spec) and "mpi-operator" in spec.eks.operators:
        # A job that has ended is no other when it is applied again, so it is replaced.
        yield from _PAGE.lines("bandwidth", cluster=spec.name, region=spec.region)
    if examples := sorted(name for name in rendering.documents if name.startswith(EXAMPLES)):
        yield from _PAGE.lines("example", example=examples[0])
    for group in groups:
        if group.min_nodes != group.max_nodes:
            yield from _PAGE.lines(
                "scale",
                min_nodes=str(group.min_nodes),
                max_nodes=str(group.max_nodes),
                region=spec.region,
                cluster=spec.name,
                node_group=node_group_name(group),
            )


def _device_columns(spec: Spec) -> str:
    """Return the columns of kubectl for what nodes have: https://kubernetes.io/docs/reference/kubectl/#custom-columns."""
    kinds = sorted({TAINT_KEYS[kind] for launch in compute_launches(spec) if (kind := launch.instance.accelerator)})
    columns = [
        f"{kind.rpartition('/')[2].upper()}:.status.allocatable.{kind.replace('.', chr(92) + '.')}" for kind in kinds
    ]
    return ",".join(["NAME:.metadata.name", *columns, r"EFA:.status.allocatable.vpc\.amazonaws\.com/efa"])


def _remove(spec: Spec, rendering: Rendering) -> Iterator[str]:
    """Yield the lines of step 4."""
    kinds = [_RESOURCES[operator] for operator in _RESOURCES if operator in spec.eks.operators]
    jobs_deleted = [f"kubectl delete {','.join(kinds)} --all --all-namespaces"] if kinds else []
    yield from _PAGE.lines("remove", jobs_deleted=jobs_deleted, delete_flags=" ".join(DELETE_FLAGS))
    if spec.monitoring.logs and spec.eks.control_plane_logs:
        command = aws(spec.region, "logs delete-log-group", "--log-group-name", f"/aws/eks/{spec.name}/cluster")
        yield from _PAGE.lines("remove-logs", days=str(spec.monitoring.log_retention_days), command=command)
    yield from removal_commands(spec, rendering.stacks)
