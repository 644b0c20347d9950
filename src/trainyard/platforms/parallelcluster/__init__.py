"""AWS ParallelCluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.platform_entry import Platform
from trainyard.platform_parts import (
    BenchSubmission,
    ClusterEvidence,
    ConfigReading,
    FormerFile,
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
    PlatformReplacement,
    StatusQuery,
    TrainingJobs,
    UnusableKeys,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trainyard.document.node import Document
    from trainyard.edge.aws.account import Account
    from trainyard.finding import Finding
    from trainyard.finding_kinds import Problem
    from trainyard.operate.nodes.replacement import ReplacementRequest
    from trainyard.operate.slurm.slurm_state import HeadNode
    from trainyard.operate.status.status_request import StatusRequest
    from trainyard.spec.cluster import Spec
    from trainyard.spec.parsing import ParsedSpec


def _rehearsal() -> PlatformRehearsal:
    from trainyard.platforms.parallelcluster import rehearsal

    return rehearsal


def _cluster_evidence() -> ClusterEvidence:
    from trainyard.platforms.parallelcluster import diagnosis

    return diagnosis


def _deployment() -> PlatformDeployment:
    from trainyard.platforms.parallelcluster.deployment import steps

    return steps


def _replacement() -> PlatformReplacement:
    from trainyard.platforms.parallelcluster import replacement

    return replacement


def _training_jobs() -> TrainingJobs:
    from trainyard.platforms.parallelcluster import training_jobs

    return training_jobs


def _bench_submission() -> BenchSubmission:
    from trainyard.platforms.parallelcluster import bench_jobs

    return bench_jobs


def _plan() -> PlatformPlan:
    from trainyard.platforms.parallelcluster import plan

    return plan


def _status(request: StatusRequest) -> StatusQuery:
    from trainyard.platforms.parallelcluster.status.status_query import ParallelClusterQuery

    return ParallelClusterQuery(request)


def _config_findings(parsed: ParsedSpec, version: str | None, report: Callable[[str], None]) -> Iterator[Finding]:
    from trainyard.platforms.parallelcluster.config_check import parallelcluster_findings

    return parallelcluster_findings(parsed, version, report)


def _file_findings(
    document: Document, text: str, version: str | None, report: Callable[[str], None]
) -> Iterator[Finding]:
    from trainyard.platforms.parallelcluster.config_check import file_findings

    return file_findings(document, text, version, report)


def _config_update_findings(
    former: FormerFile, parsed: ParsedSpec, version: str | None, report: Callable[[str], None]
) -> Iterator[Finding]:
    from trainyard.platforms.parallelcluster.update_check import spec_update_findings

    return spec_update_findings(former, parsed, version, report)


def _file_update_findings(
    former: FormerFile, document: Document, text: str, version: str | None, report: Callable[[str], None]
) -> Iterator[Finding]:
    from trainyard.platforms.parallelcluster.update_check import file_update_findings

    return file_update_findings(former, document, text, version, report)


def _spec_of_config(document: Document) -> ConfigReading | None:
    from trainyard.platforms.parallelcluster.reading.cluster import spec_of_config

    return spec_of_config(document)


def _adoption() -> PlatformAdoption:
    from trainyard.platforms.parallelcluster.adoption import adoption

    return adoption


def _unusable_keys() -> UnusableKeys:
    from trainyard.platforms.parallelcluster.unusable_keys import UNUSABLE_KEYS

    return UNUSABLE_KEYS


def _rendering() -> PlatformRendering:
    from trainyard.platforms.parallelcluster.rendering import documents

    return documents


def _picture() -> PlatformPicture:
    from trainyard.platforms.parallelcluster.rendering import picture

    return picture


def _overlay_problems(spec: Spec) -> Iterator[Problem]:
    if spec.parallelcluster.overlay:
        from trainyard.platforms.parallelcluster import overlay

        yield from overlay.problems(spec)
    if any(spec.stack_overlays.in_use()):
        from trainyard.render.cloudformation import stack_overlay

        yield from stack_overlay.problems(spec)


def _readme() -> PlatformReadme:
    from trainyard.platforms.parallelcluster import readme

    return readme


def _node_discovery() -> NodeDiscovery:
    from trainyard.platforms.parallelcluster import node_discovery

    return node_discovery


def _node_replacement(request: ReplacementRequest) -> NodeReplacement:
    from trainyard.operate.slurm.node_replacement import SlurmReplacement

    return SlurmReplacement(request, _slurm_head(request.cluster, request.account))


def _slurm_head(cluster: str, account: Account) -> HeadNode:
    from trainyard.platforms.parallelcluster.head_node import head_node

    return head_node(cluster, account)


def _logs() -> PlatformLogs:
    from trainyard.platforms.parallelcluster.logs import cluster_logs

    return cluster_logs


PARALLELCLUSTER = Platform(
    name="parallelcluster",
    title="AWS ParallelCluster",
    scheduler="slurm",
    made_by="parallelcluster",
    cluster_step="cluster",
    cluster_stack_pattern="{name}",
    stack_tag="parallelcluster:cluster-name",
    keeps_failed_cluster=True,
    has_head_node=True,
    has_system_nodes=False,
    control_plane_spans_zones=False,
    starts_nodes_for_jobs=True,
    nodes_run_release=True,
    nodes_mount_file_systems=True,
    mounts_scratch=True,
    opens_ssh=True,
    can_host_monitoring=True,
    needs_security_groups=False,
    interface_layout="parallelcluster",
    places_single_nodes=False,
    runs_tests_in_containers=True,
    status_values_elsewhere={"parallelcluster_version": None, "fleet": None, "queues": [], "slurm": None},
    unusable_keys=_unusable_keys,
    overlay_problems=_overlay_problems,
    config_findings=_config_findings,
    file_findings=_file_findings,
    config_update_findings=_config_update_findings,
    file_update_findings=_file_update_findings,
    spec_of_config=_spec_of_config,
    adoption=_adoption,
    rendering=_rendering,
    picture=_picture,
    readme=_readme,
    plan=_plan,
    deployment=_deployment,
    replacement=_replacement,
    rehearsal=_rehearsal,
    status=_status,
    logs=_logs,
    find_node=None,
    find_tunnel=None,
    node_replacement=_node_replacement,
    slurm_head=_slurm_head,
    node_discovery=_node_discovery,
    bench_submission=_bench_submission,
    training_jobs=_training_jobs,
    cluster_evidence=_cluster_evidence,
)
