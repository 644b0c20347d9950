"""What a deployment will do, before it does anything: steps, stacks, time, price, and what stays as it is then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trainyard.deploy.deployment import review_of, steps_to_deploy
from trainyard.deploy.plan.cost import Cost, hourly_cost
from trainyard.deploy.plan.expected_time import PlannedStage, expected_minutes
from trainyard.deploy.plan.fleet import Fleet, SimulationRequest, assumptions_of, simulate_fleet, sizes_in
from trainyard.deploy.plan.former_cost import former_cost
from trainyard.deploy.plan.immutable_fields import ImmutableField, cannot_change_later
from trainyard.deploy.plan.time_budget import TimeBudget, time_budget
from trainyard.deploy.preflight_step import known_outputs
from trainyard.deploy.step import DeploymentStep, Probe
from trainyard.deploy.steps.bucket import Bucket
from trainyard.deploy.steps.reservation_groups import known_groups
from trainyard.deploy.update_review import UpdateReview
from trainyard.deploy.withheld_nodes import withheld_nodes
from trainyard.deploy.work import Work
from trainyard.errors import TrainyardError
from trainyard.monitoring.exporters import exporters
from trainyard.monitoring.sizing import Sizing, sizings
from trainyard.render.cloudformation.resources import resources
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.overlay import overlay_paths
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.stop_request import results_of, side_by_side

_PROBES_AT_ONCE = 8
"""Calls side by side; botocore keeps ten connections."""


@dataclass(frozen=True, slots=True)
class PlannedStack:
    """A stack beside the cluster."""

    name: str
    resources: dict[str, int]
    """How many there will be of each type."""
    keeps: tuple[str, ...]
    """Logical ids of what stays, with its data, when the stack is deleted."""


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step, and the state it will find where an account was asked."""

    name: str
    title: str
    probe: Probe | None


@dataclass(frozen=True, slots=True)
class DeploymentPlan:
    """The steps of a deployment, its stacks, its time and its price."""

    steps: tuple[PlannedStep, ...]
    stacks: tuple[PlannedStack, ...]
    nodes_started_later: tuple[str, ...]
    """Nodes that an update starts once the cluster is there, because the head node would wait for them."""
    stages: tuple[PlannedStage, ...]
    cost: Cost
    immutable_fields: tuple[ImmutableField, ...]
    bootstrap: TimeBudget | None
    """How long nodes take; None where no nodes of ParallelCluster start."""
    fleet: Fleet | None = None
    """Many of them at once, where that was asked for."""
    metrics: tuple[Sizing, Sizing] | None = None
    """How much metrics there will be with the fewest and the most nodes; None where nothing is measured."""
    review: UpdateReview | None = None
    """What would change of the stacks that exist; None where no account was asked."""
    refusals: tuple[TrainyardError, ...] = ()
    """Why a deployment would stop before it touches anything."""
    overlay: tuple[str, ...] = ()
    """Keys of the overlay, which reach the program that makes the cluster as they are."""
    former_cost: Cost | None = None
    """Of the spec as it was deployed last, where something changes of it that the account knows."""


def plan(spec: Spec, work: Work | None = None, simulated: SimulationRequest | None = None) -> DeploymentPlan:
    """Return what deploying a spec would do. With ``work``, the account is asked what is there already.

    With ``simulated``, compute nodes come up at once on a clock of their own.
    """
    steps = [Bucket(), *steps_to_deploy(spec)]
    review, refusals, former = None, list[TrainyardError](), None
    probes: Sequence[Probe | None] = [None] * len(steps)
    if work is not None:
        outputs = {**known_outputs(work), **known_groups(work), "AssetsBucket": work.bucket}
        (review, refusals), former, probes = side_by_side(
            lambda: review_of(work), lambda: former_cost(work), lambda: _probes(replace(work, outputs=outputs), steps)
        )
        former = former if review.cluster is not None or review.changes else None
        work.outputs.update(outputs)
    planned = tuple(PlannedStep(step.name, step.title, probe) for step, probe in zip(steps, probes, strict=True))
    cluster_is_there = any(step.name == "cluster" and step.probe and step.probe.state != "missing" for step in planned)
    later = () if cluster_is_there else withheld_nodes(spec)
    return DeploymentPlan(
        planned,
        tuple(_stacks(spec)),
        tuple(f"{group.min_nodes} × {' or '.join(group.instance_types)}" for group in later),
        expected_minutes(spec),
        hourly_cost(spec),
        cannot_change_later(spec),
        time_budget(spec),
        None if simulated is None else _fleet(spec, simulated),
        sizings(spec) if exporters(spec) else None,
        review,
        tuple(refusals),
        overlay_paths(spec),
        former,
    )


def _probes(work: Work, steps: Sequence[DeploymentStep]) -> list[Probe]:
    """Return the states that steps would find, asked at once. An earlier step's answers are in the account already."""
    return list(results_of(lambda step: step.probe(work), steps, _PROBES_AT_ONCE))


def _fleet(spec: Spec, request: SimulationRequest) -> Fleet | None:
    sizes = None if request.lock is None else sizes_in(spec, request.lock)
    return simulate_fleet(spec, request.nodes, sizes=sizes, assumptions=assumptions_of(spec, request.seed))


def _stacks(spec: Spec) -> list[PlannedStack]:
    planned = []
    for stack in stacks(spec, Ids({})):
        stack_resources = resources(stack)
        counts = dict(sorted(Counter(resource.type for resource in stack_resources).items()))
        planned.append(
            PlannedStack(
                stack.name, counts, tuple(resource.logical_id for resource in stack_resources if resource.keeps_data)
            )
        )
    return planned
