"""Amazon EKS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.platform_entry import Platform
from trainyard.platform_parts import (
    BenchSubmission,
    ClusterEvidence,
    NodeDiscovery,
    NodeReplacement,
    PlatformAdoption,
    PlatformDeployment,
    PlatformLogs,
    PlatformPicture,
    PlatformPlan,
    PlatformReadme,
    PlatformRehearsal,
    PlatformRendering,
    StatusQuery,
    TrainingJobs,
    UnusableKeys,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.edge.aws.account import Account
    from trainyard.finding_kinds import Problem
    from trainyard.operate.connect.forwarding import Tunnel, TunnelRequest
    from trainyard.operate.connect.target import Target
    from trainyard.operate.nodes.replacement import ReplacementRequest
    from trainyard.operate.status.status_request import StatusRequest
    from trainyard.spec.cluster import Spec


def _rehearsal() -> PlatformRehearsal:
    from trainyard.platforms.eks import rehearsal

    return rehearsal


def _cluster_evidence() -> ClusterEvidence:
    from trainyard.platforms.eks.diagnosis import evidence

    return evidence


def _deployment() -> PlatformDeployment:
    from trainyard.platforms.eks.deployment import steps

    return steps


def _training_jobs() -> TrainingJobs:
    from trainyard.platforms.eks import training_jobs

    return training_jobs


def _bench_submission() -> BenchSubmission:
    from trainyard.platforms.eks import bench_jobs

    return bench_jobs


def _plan() -> PlatformPlan:
    from trainyard.platforms.eks import plan

    return plan


def _status(request: StatusRequest) -> StatusQuery:
    from trainyard.platforms.eks.status.status_query import EksQuery

    return EksQuery(request)


def _adoption() -> PlatformAdoption:
    from trainyard.platforms.eks.adoption import adoption

    return adoption


def _unusable_keys() -> UnusableKeys:
    from trainyard.platforms.eks.unusable_keys import UNUSABLE_KEYS

    return UNUSABLE_KEYS


def _rendering() -> PlatformRendering:
    from trainyard.platforms.eks.rendering import documents

    return documents


def _picture() -> PlatformPicture:
    from trainyard.platforms.eks.rendering import picture

    return picture


def _overlay_problems(spec: Spec) -> Iterator[Problem]:
    if spec.eks.overlay:
        from trainyard.platforms.eks import overlay

        yield from overlay.problems(spec)
    if any(spec.stack_overlays.in_use()):
        from trainyard.render.cloudformation import stack_overlay

        yield from stack_overlay.problems(spec)


def _readme() -> PlatformReadme:
    from trainyard.platforms.eks import readme

    return readme


def _node_discovery() -> NodeDiscovery:
    from trainyard.platforms.eks import node_discovery

    return node_discovery


def _node_replacement(request: ReplacementRequest) -> NodeReplacement:
    from trainyard.platforms.eks.node_replacement import EksReplacement

    return EksReplacement(request)


def _logs() -> PlatformLogs:
    from trainyard.platforms.eks.logs import cluster_logs

    return cluster_logs


def _find_node(account: Account, cluster: str, node: str | None) -> Target | None:
    from trainyard.platforms.eks.connection.instance import eks_target

    return eks_target(account, cluster, node)


def _find_tunnel(account: Account, cluster: str, request: TunnelRequest) -> Tunnel | None:
    from trainyard.platforms.eks.connection.forwarding import cluster_tunnel

    return cluster_tunnel(account, cluster, request)


EKS = Platform(
    name="eks",
    title="Amazon EKS",
    scheduler="kubernetes",
    made_by="eksctl",
    cluster_step="cluster",
    cluster_stack_pattern="eksctl-{name}-cluster",
    stack_tag="alpha.eksctl.io/cluster-name",
    keeps_failed_cluster=True,
    has_head_node=False,
    has_system_nodes=True,
    control_plane_spans_zones=True,
    starts_nodes_for_jobs=False,
    nodes_run_release=False,
    nodes_mount_file_systems=False,
    mounts_scratch=False,
    opens_ssh=False,
    can_host_monitoring=False,
    needs_security_groups=True,
    interface_layout="vpc-cni",
    places_single_nodes=True,
    runs_tests_in_containers=False,
    status_values_elsewhere={"eks": None},
    unusable_keys=_unusable_keys,
    overlay_problems=_overlay_problems,
    config_findings=lambda _parsed, _version, _report: iter(()),
    file_findings=None,
    config_update_findings=None,
    file_update_findings=None,
    spec_of_config=None,
    adoption=_adoption,
    rendering=_rendering,
    picture=_picture,
    readme=_readme,
    plan=_plan,
    deployment=_deployment,
    replacement=None,
    rehearsal=_rehearsal,
    status=_status,
    logs=_logs,
    find_node=_find_node,
    find_tunnel=_find_tunnel,
    node_replacement=_node_replacement,
    slurm_head=None,
    node_discovery=_node_discovery,
    bench_submission=_bench_submission,
    training_jobs=_training_jobs,
    cluster_evidence=_cluster_evidence,
)
