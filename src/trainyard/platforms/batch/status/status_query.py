"""Looks at a Batch cluster: what its stack has, the jobs in it, and its instances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_job_state import JobDefinition, definitions
from trainyard.edge.aws.batch_queues import (
    BatchResources,
    ComputeEnvironment,
    batch_resources,
    compute_environments,
    job_queues,
)
from trainyard.edge.aws.container_registry import image_is_there
from trainyard.edge.aws.nodes import ClusterNode
from trainyard.edge.aws.stacks import StackState
from trainyard.operate.status import failures, file_systems
from trainyard.operate.status.cluster_stacks import stacks_of_cluster
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.node_hours import node_hours
from trainyard.operate.status.reservations import reservations
from trainyard.operate.status.status_request import StatusRequest
from trainyard.platforms.batch.status import environments as of_environments
from trainyard.platforms.batch.status.batch_status import BatchStatus, JobImage
from trainyard.platforms.batch.status.platform_status import BatchPlatformStatus
from trainyard.platforms.batch.status.queues import ask_jobs, failed_jobs, queue_states, waiting


class BatchQuery:
    """A look at one cluster."""

    def __init__(self, request: StatusRequest) -> None:
        """Ask nothing before the stacks are known."""
        self.request = request
        self._own_stack = f"{request.name}-batch"  # of a cluster that trainyard made
        self._resources: dict[str, BatchResources | None] = {}

    def own_stacks(self, stacks: Sequence[StackState]) -> tuple[StackState, ...]:
        """Return those of all stacks that are the cluster's."""
        return stacks_of_cluster(stacks, self.request.name)

    def owns(self, stacks: Sequence[StackState]) -> bool:
        """Return whether one of the stacks is called as trainyard calls the one of a Batch cluster."""
        return any(stack.name == self._own_stack for stack in stacks)

    def exists(self, stacks: Sequence[StackState]) -> bool:
        """Return whether the stack of the cluster's name, whoever made it, has compute environments or job queues."""
        return self._found(stacks) is not None

    def look(self, status: Status, bucket: str) -> Status:  # noqa: ARG002  part of the protocol
        """Return the status with all that is told of a Batch cluster but its monitoring and what is wrong."""
        request, account = self.request, self.request.account
        # What was begun as one of Batch, or is nearly gone, has no resources.
        resources = self._found(status.stacks) or BatchResources(self._own_stack)
        # None of these needs the answer of another.
        environments_asked = request.ask(
            "compute environments", partial(compute_environments, account, resources.environments)
        )
        queues_asked = request.ask("job queues", partial(job_queues, account, resources.queues))
        jobs_asked = {queue: ask_jobs(request, queue) for queue in resources.queues}
        images_asked = request.ask("images", partial(self._images, resources))
        storage = file_systems.ask(request, {})
        failed = request.ask("failures of stacks", partial(failures.of_stacks, account, status.stacks))
        environments = environments_asked()
        instances, nodes = self._instances(environments or ())
        idle = idle_instances(instances.values(), nodes)
        jobs = {queue: answers() for queue, answers in jobs_asked.items()}
        batch = BatchStatus(
            resources.stack,
            of_environments.environment_states(resources.environments, environments, instances, status.at),
            queue_states(resources.queues, queues_asked(), jobs),
            waiting(jobs),
            images_asked() or (),
            resources.log_groups,
            resources.dashboards,
        )
        reserving = of_environments.reservations_in_use(batch.environments, batch.queues)
        return replace(
            status,
            platform=BatchPlatformStatus(batch),
            nodes=nodes,
            cost=node_hours(nodes, status.region, status.at),
            idle=None if idle is None else node_hours(idle, status.region, status.at),
            reservations=request.ask("reservations", partial(reservations, account, reserving))() or (),
            file_systems=storage(),
            failures=(*(failed() or ()), *failed_jobs(jobs, status.at)),
        )

    def _found(self, stacks: Sequence[StackState]) -> BatchResources | None:
        """Return what there is of AWS Batch in the cluster's stack, ours before one of its name; asked once."""
        for name in (self._own_stack, self.request.name):
            if any(stack.name == name for stack in stacks):
                if name not in self._resources:
                    ask = self.request.ask
                    self._resources[name] = ask("Batch", partial(batch_resources, self.request.account, name))()
                if (resources := self._resources[name]) is not None:
                    return resources
        return None

    def _instances(
        self, environments: tuple[ComputeEnvironment, ...]
    ) -> tuple[dict[str, of_environments.EnvironmentInstances], tuple[ClusterNode, ...]]:
        """Return what is known of the instances of each environment by its ARN, and all of them as nodes, each once."""
        ask, account = self.request.ask, self.request.account
        pending = [
            (
                environment,
                ask("nodes", partial(of_environments.ask_instances, account, environment)),
                ask("instances that ECS knows", partial(of_environments.ask_registered, account, environment)),
                ask("reservations", partial(of_environments.ask_reservation, account, environment)),
            )
            for environment in environments
        ]
        by_arn = {
            environment.arn: of_environments.EnvironmentInstances(instances(), registered(), reservation())
            for environment, instances, registered, reservation in pending
        }
        nodes = {
            node.id: node
            for environment in environments
            for node in of_environments.nodes(environment, by_arn[environment.arn].instances or ())
        }
        return by_arn, tuple(nodes.values())

    def _images(self, resources: BatchResources) -> tuple[JobImage, ...]:
        return image_states(self.request.account, definitions(self.request.account, resources.definitions))


def idle_instances(
    environments: Iterable[of_environments.EnvironmentInstances], nodes: Iterable[ClusterNode]
) -> tuple[ClusterNode, ...] | None:
    """Return the instances that have come to ECS and have no job; None where nobody may ask ECS."""
    known = [environment.registered for environment in environments]
    if any(registered is None for registered in known):
        return None
    free = {instance.instance for registered in known for instance in registered or () if not instance.tasks}
    return tuple(node for node in nodes if node.id in free)


def image_states(account: Account, definitions: Iterable[JobDefinition]) -> tuple[JobImage, ...]:
    """Return the images of some job definitions.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    named: dict[str, list[str]] = {}
    for definition in definitions:
        for image in definition.images:
            named.setdefault(image, []).append(definition.name)
    return tuple(JobImage(image, tuple(names), image_is_there(account, image)) for image, names in named.items())
