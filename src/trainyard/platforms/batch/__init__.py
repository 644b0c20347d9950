"""AWS Batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.platform_entry import Platform
from trainyard.platform_parts import (
    BenchSubmission,
    ClusterEvidence,
    NodeDiscovery,
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
    from trainyard.operate.connect.target import Target
    from trainyard.operate.status.status_request import StatusRequest
    from trainyard.spec.cluster import Spec


def _rehearsal() -> PlatformRehearsal:
    from trainyard.platforms.batch import rehearsal

    return rehearsal


def _cluster_evidence() -> ClusterEvidence:
    from trainyard.platforms.batch.diagnosis import evidence

    return evidence


def _deployment() -> PlatformDeployment:
    from trainyard.platforms.batch.deployment import steps

    return steps


def _training_jobs() -> TrainingJobs:
    from trainyard.platforms.batch import training_jobs

    return training_jobs


def _bench_submission() -> BenchSubmission:
    from trainyard.platforms.batch import bench_jobs

    return bench_jobs


def _plan() -> PlatformPlan:
    from trainyard.platforms.batch import plan

    return plan


def _status(request: StatusRequest) -> StatusQuery:
    from trainyard.platforms.batch.status.status_query import BatchQuery

    return BatchQuery(request)


def _unusable_keys() -> UnusableKeys:
    from trainyard.platforms.batch.unusable_keys import UNUSABLE_KEYS

    return UNUSABLE_KEYS


def _rendering() -> PlatformRendering:
    from trainyard.platforms.batch.rendering import documents

    return documents


def _picture() -> PlatformPicture:
    from trainyard.platforms.batch.rendering import picture

    return picture


def _readme() -> PlatformReadme:
    from trainyard.platforms.batch import readme

    return readme


def _node_discovery() -> NodeDiscovery:
    from trainyard.platforms.batch import node_discovery

    return node_discovery


def _logs() -> PlatformLogs:
    from trainyard.platforms.batch.logs import cluster_logs

    return cluster_logs


def _find_node(account: Account, cluster: str, node: str | None) -> Target | None:
    from trainyard.platforms.batch.connection import batch_target

    return batch_target(account, cluster, node)


def _overlay_problems(spec: Spec) -> Iterator[Problem]:
    if spec.batch.overlay:
        from trainyard.platforms.batch import overlay

        yield from overlay.problems(spec)
    if any(spec.stack_overlays.in_use()):
        from trainyard.render.cloudformation import stack_overlay

        yield from stack_overlay.problems(spec)


BATCH = Platform(
    name="batch",
    title="AWS Batch",
    scheduler="batch",
    made_by="cloudformation",
    cluster_step="batch",
    cluster_stack_pattern="{name}-batch",
    stack_tag=None,
    keeps_failed_cluster=False,
    has_head_node=False,
    has_system_nodes=False,
    control_plane_spans_zones=False,
    starts_nodes_for_jobs=True,
    nodes_run_release=False,
    nodes_mount_file_systems=True,
    mounts_scratch=True,
    opens_ssh=False,
    can_host_monitoring=False,
    needs_security_groups=True,
    interface_layout="awsvpc",
    places_single_nodes=False,
    runs_tests_in_containers=False,
    status_values_elsewhere={"batch": None},
    unusable_keys=_unusable_keys,
    overlay_problems=_overlay_problems,
    config_findings=lambda _parsed, _version, _report: iter(()),
    file_findings=None,
    config_update_findings=None,
    file_update_findings=None,
    spec_of_config=None,
    adoption=None,
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
    find_tunnel=None,
    node_replacement=None,
    slurm_head=None,
    node_discovery=_node_discovery,
    bench_submission=_bench_submission,
    training_jobs=_training_jobs,
    cluster_evidence=_cluster_evidence,
)
