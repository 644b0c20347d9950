"""Looks at a Batch cluster: what its stack has, the jobs in it, and its instances."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_definitions import definitions
from trainyard.edge.aws.batch_stack import BatchResources
from trainyard.edge.aws.batch_state import ComputeEnvironment, compute_environments, job_queues
from trainyard.edge.aws.nodes import Node
from trainyard.operate.status import failures, file_systems
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.concurrent_questions import Parts
from trainyard.operate.status.node_hours import node_hours
from trainyard.operate.status.reservations import Reservation, reservations
from trainyard.platforms.batch.status import environments as of_environments
from trainyard.platforms.batch.status.batch_status import BatchStatus, Image
from trainyard.platforms.batch.status.failed_jobs import failed_jobs
from trainyard.platforms.batch.status.images import image_states
from trainyard.platforms.batch.status.queues import ask_jobs, queue_states, waiting


@dataclass(frozen=True, slots=True)
class BatchLook:
    """A look at one cluster, of which the stacks are known."""

    account: Account
    resources: BatchResources
    parts: Parts
    _instances: dict[str, list[Node]] = field(default_factory=dict)

    def look(self, seen: Status) -> Status:
        """Return the status with all that is told of a Batch cluster but its monitoring and what is wrong."""
        ask, account, resources = self.parts.ask, self.account, self.resources
        # None of these needs the answer of another.
        environments_asked = ask("compute environments", partial(compute_environments, account, resources.environments))
        queues_asked = ask("job queues", partial(job_queues, account, resources.queues))
        jobs_asked = {queue: ask_jobs(account, self.parts, queue) for queue in resources.queues}
        images_asked = ask("images", self._images)
        storage = [
            ask(f"file systems of {kind}", partial(look, account, seen.name, []))
            for kind, look in {"FSx": file_systems.fsx, "EFS": file_systems.efs}.items()
        ]
        failed = ask("failures of stacks", partial(failures.of_stacks, account, seen.stacks))
        environments = environments_asked()
        found, nodes = self._found(environments or ())
        jobs = {queue: answers() for queue, answers in jobs_asked.items()}
        batch = BatchStatus(
            resources.stack,
            of_environments.environment_states(resources.environments, environments, found, seen.at),
            queue_states(resources.queues, queues_asked(), jobs),
            waiting(jobs),
            images_asked() or (),
            resources.log_groups,
            resources.dashboards,
        )
        return replace(
            seen,
            batch=batch,
            nodes=nodes,
            cost=node_hours(nodes, seen.region, seen.at),
            reservations=self._reservations(batch),
            file_systems=tuple(one for part in storage for one in part() or ()),
            failures=(*(failed() or ()), *failed_jobs(jobs, seen.at)),
        )

    def _found(
        self, environments: tuple[ComputeEnvironment, ...]
    ) -> tuple[dict[str, of_environments.Found], tuple[Node, ...]]:
        """Return what is known of the instances of each environment by its ARN, and all of them as nodes, each once."""
        ask, account = self.parts.ask, self.account
        asked = [
            (
                one,
                ask("nodes", partial(of_environments.ask_instances, account, one)),
                ask("instances that ECS knows", partial(of_environments.ask_registered, account, one)),
                ask("reservations", partial(of_environments.ask_reservation, account, one)),
            )
            for one in environments
        ]
        found = {one.arn: of_environments.Found(there(), known(), named()) for one, there, known, named in asked}
        nodes = {
            node.id: node for one in environments for node in of_environments.nodes(one, found[one.arn].instances or ())
        }
        return found, tuple(nodes.values())

    def _images(self) -> tuple[Image, ...]:
        return image_states(self.account, definitions(self.account, self.resources.definitions))

    def _reservations(self, batch: BatchStatus) -> tuple[Reservation, ...]:
        reserving = of_environments.reserving(batch.environments, batch.queues)
        return self.parts.ask("reservations", partial(reservations, self.account, reserving))() or ()
