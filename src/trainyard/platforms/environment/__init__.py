"""An environment: network, file systems and monitoring that several clusters share. It has no nodes for jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.platform_entry import Platform
from trainyard.platform_parts import (
    BenchSubmission,
    ClusterEvidence,
    NodeDiscovery,
    PlatformDeployment,
    PlatformPicture,
    PlatformPlan,
    PlatformReadme,
    PlatformRehearsal,
    PlatformRendering,
    StatusQuery,
    UnusableKeys,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.finding_kinds import Problem
    from trainyard.operate.status.status_request import StatusRequest
    from trainyard.spec.cluster import Spec


def _rehearsal() -> PlatformRehearsal:
    from trainyard.platforms.environment import rehearsal

    return rehearsal


def _cluster_evidence() -> ClusterEvidence:
    from trainyard.platforms.environment import diagnosis

    return diagnosis


def _deployment() -> PlatformDeployment:
    from trainyard.platforms.environment import steps

    return steps


def _bench_submission() -> BenchSubmission:
    from trainyard.platforms.environment import bench_jobs

    return bench_jobs


def _plan() -> PlatformPlan:
    from trainyard.platforms.environment import plan

    return plan


def _status(request: StatusRequest) -> StatusQuery:
    from trainyard.platforms.environment.status import EnvironmentQuery

    return EnvironmentQuery(request)


def _unusable_keys() -> UnusableKeys:
    return UnusableKeys(paths=(("iam", "read_buckets"), ("iam", "imds_for_root_only")))


def _rendering() -> PlatformRendering:
    from trainyard.platforms.environment.rendering import documents

    return documents


def _picture() -> PlatformPicture:
    from trainyard.platforms.environment.rendering import picture

    return picture


def _overlay_problems(spec: Spec) -> Iterator[Problem]:
    if any(spec.stack_overlays.in_use()):
        from trainyard.render.cloudformation import stack_overlay

        yield from stack_overlay.problems(spec)


def _readme() -> PlatformReadme:
    from trainyard.platforms.environment import readme

    return readme


def _node_discovery() -> NodeDiscovery:
    from trainyard.platforms.environment import node_discovery

    return node_discovery


ENVIRONMENT = Platform(
    name="environment",
    title="an environment",
    scheduler=None,
    made_by="cloudformation",
    cluster_step=None,
    cluster_stack_pattern=None,
    stack_tag=None,
    keeps_failed_cluster=False,
    has_head_node=False,
    has_system_nodes=False,
    control_plane_spans_zones=False,
    starts_nodes_for_jobs=False,
    nodes_run_release=False,
    nodes_mount_file_systems=True,
    mounts_scratch=True,
    opens_ssh=True,
    can_host_monitoring=True,
    needs_security_groups=False,
    interface_layout=None,
    places_single_nodes=False,
    runs_tests_in_containers=False,
    status_values_elsewhere={},
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
    logs=None,
    find_node=None,
    find_tunnel=None,
    node_replacement=None,
    slurm_head=None,
    node_discovery=_node_discovery,
    bench_submission=_bench_submission,
    training_jobs=None,
    cluster_evidence=_cluster_evidence,
)
