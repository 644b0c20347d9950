"""The steps that deployments of every platform have: what a cluster stands on, and what watches it."""

from __future__ import annotations

from trainyard.deploy.step import DeploymentStep
from trainyard.deploy.steps.capacity_start import CapacityStart
from trainyard.deploy.steps.environment import EnvironmentStep
from trainyard.deploy.steps.grafana import GrafanaStep, has_workspace
from trainyard.deploy.steps.monitoring_instance import MonitoringInstance
from trainyard.deploy.steps.reservation_groups import ReservationGroups
from trainyard.deploy.steps.stack import NetworkStep, StackStep
from trainyard.launch.capacity import named_reservations, reservation_groups
from trainyard.render.cloudformation.stack import Kind
from trainyard.render.cloudformation.stacks import shared_kinds
from trainyard.render.shared_stacks import shared_stacks
from trainyard.spec.cluster import Spec


def steps_before_stacks(spec: Spec) -> list[DeploymentStep]:
    """Return the steps whose outputs the stacks take."""
    groups: list[DeploymentStep] = [ReservationGroups()] if reservation_groups(spec) else []
    return [*groups, EnvironmentStep()] if spec.environment is not None else groups


def stack_steps(spec: Spec) -> list[DeploymentStep]:
    """Return a step for each stack beside the cluster, in the order in which they are made, and for its capacity."""
    capacity: list[DeploymentStep] = [CapacityStart()] if named_reservations(spec) else []
    return [*(_stack_step(kind) for kind in shared_kinds(spec)), *capacity]


def all_stack_steps() -> list[DeploymentStep]:
    """Return a step for every stack that may stand beside a cluster."""
    return [_stack_step(kind) for kind in shared_stacks()]


def _stack_step(kind: Kind) -> DeploymentStep:
    contents = shared_stacks()[kind].contents
    return NetworkStep(kind, contents) if kind == "network" else StackStep(kind, contents)


def instance_steps(spec: Spec) -> list[DeploymentStep]:
    """Return the step for the instance that keeps metrics, where the spec has one."""
    return [MonitoringInstance()] if spec.has_monitoring_instance else []


def grafana_steps(spec: Spec) -> list[DeploymentStep]:
    """Return the step that fills Grafana, where the spec has a workspace."""
    return [GrafanaStep()] if has_workspace(spec) else []
