"""One queue leaves the former cluster: its jobs finish there, and its capacity becomes that of the second cluster."""

from __future__ import annotations

from dataclasses import dataclass

from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws.nodes import nodes
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.deployment.static_nodes import await_launch, not_launched
from trainyard.platforms.parallelcluster.replacement.partitions import (
    Partitions,
    is_inactive,
    jobs_text,
    partitions_of,
    takes_jobs,
)

_JOBS_POLL_S = 30.0
# clustermgtd looks at its partitions once a minute, and EC2 takes minutes to end the largest instances.
_NODES_POLL_S = 10.0
_NODES_POLLS = 60


@dataclass(frozen=True, slots=True)
class QueueMove:
    """The move of one queue. It is applied to the former cluster."""

    queue: str
    successor: Work

    @property
    def name(self) -> str:
        """Return what it is called: one step for each queue."""
        return f"move-{self.queue}"

    @property
    def title(self) -> str:
        """Return what it does."""
        return f"queue {self.queue} takes its jobs on {self.successor.name}"

    def probe(self, work: Work) -> Probe:
        """Say whether the queue still takes jobs."""
        state = partitions_of(work.name, work.account).states().get(self.queue, "")
        return Probe("there" if is_inactive(state) else "missing", state)

    def apply(self, work: Work) -> StepOutcome:
        """Close the queue, let its jobs finish, and wait until its nodes are gone and those of the successor are there.

        Raises TrainyardError where the successor does not take its jobs, or where jobs go on for longer than the
        options let it wait. The queue stays closed then, and its jobs run on.
        """
        former = partitions_of(work.name, work.account)
        state = former.states().get(self.queue)
        if state is None:
            return StepOutcome(changed=False, detail="Slurm does not know it any more")
        was_open = takes_jobs(state)
        if was_open:
            self._refuse_no_place(work)
            former.set_state(self.queue, "DRAIN")
            work.tell(f"new jobs of {self.queue} are for {self.successor.name}")
        if not is_inactive(state):
            self._await_jobs(work, former)
            former.set_state(self.queue, "INACTIVE")
        self._await_end_of_nodes(work)
        missing = [launch for launch in await_launch(self.successor) if launch.group.queue.name == self.queue]
        work.findings += [not_launched(launch, self.successor) for launch in missing]
        return StepOutcome(changed=not is_inactive(state), detail=f"{work.name} has no job and no node of it")

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: jobs are in the second cluster's queue by now."""
        del work
        return StepOutcome(changed=False)

    def _refuse_no_place(self, work: Work) -> None:
        """Raise TrainyardError where nobody could submit to this queue any more."""
        state = partitions_of(self.successor.name, work.account).states().get(self.queue)
        if state is None and self.queue in work.options.give_up:
            return
        if state is None or not takes_jobs(state):
            raise TrainyardError(
                f"queue {self.queue} of {self.successor.name} takes no jobs: Slurm says {state or 'nothing of it'}",
                where=self.successor.name,
                hint=f"`trainyard status {self.successor.name}` says more; the queue of {work.name} stays open",
            )

    def _await_jobs(self, work: Work, former: Partitions) -> None:
        waited_s, told = 0.0, ""
        while jobs := former.jobs(self.queue):
            text = jobs_text(jobs)
            if waited_s >= work.options.wait_for_jobs_s:
                raise TrainyardError(
                    f"queue {self.queue} of {work.name} takes no new jobs and still has {len(jobs):,}: {text}",
                    where=work.name,
                    hint="they run on; the same command goes on when they are over, or waits for them with "
                    "--wait-for-jobs",
                )
            if text != told:
                work.tell(f"waits for {text}")
                told = text
            work.account.clock.sleep(_JOBS_POLL_S)
            waited_s += _JOBS_POLL_S

    def _await_end_of_nodes(self, work: Work) -> None:
        for _ in range(_NODES_POLLS):
            left = [node for node in nodes(work.account, work.name) if node.queue == self.queue]
            running = [node.id for node in left if node.state in ("pending", "running")]
            if not running:
                return
            work.account.clock.sleep(_NODES_POLL_S)
        raise TrainyardError(
            f"nodes of queue {self.queue} of {work.name} still run, though it is inactive: {', '.join(running)}",
            where=work.name,
            hint="see /var/log/parallelcluster/clustermgtd on its head node, then run the command again",
        )
