"""A cluster of AWS Batch as its stack says: queues, job definitions, log group and registry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import StackState, find_stack
from trainyard.errors import InputError, TrainyardError
from trainyard.platforms.batch.rendering.names import OUTPUTS

_QUEUE = re.compile(r"JobQueue(\d*)")
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]{0,127}")


class ClusterQueue(NamedTuple):
    """A job queue of the cluster, with what belongs to it."""

    arn: str
    environment: str
    """The ARN of its compute environment."""
    definitions: Mapping[str, str]
    """The ARNs of its job definitions, by what they run: stress-ng, nccl, torchrun."""

    @property
    def name(self) -> str:
        """Return its whole name."""
        return self.arn.rpartition("/")[2]


class BatchCluster(NamedTuple):
    """A cluster, as far as jobs and images go."""

    name: str
    stack: str
    queues: tuple[ClusterQueue, ...]
    """At least one."""
    repository: str
    """The name of its repository in ECR."""

    def queue(self, name: str | None) -> ClusterQueue:
        """Return a queue by the name that the spec gives it, or by its whole name; the first where none is wanted.

        Raises InputError where there is no such queue.
        """
        if name is None:
            return self.queues[0]
        names = (name, f"{self.name}-{name}")
        job_queue = next((queue for queue in self.queues if queue.name in names or queue.arn == name), None)
        if job_queue is None:
            queue_names = ", ".join(queue.name.removeprefix(f"{self.name}-") for queue in self.queues)
            raise InputError(f"{self.name} has no queue {name!r}", where="--queue", hint=f"it has {queue_names}")
        return job_queue


def batch_cluster(account: Account, name: str) -> BatchCluster:
    """Return a cluster by its name, or by that of a stack which was made of its template by hand.

    Raises TrainyardError where there is none, or its stack is not whole.
    """
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is no name of a cluster", where="NAME", hint="give the name: of its spec")
    for stack_name in (f"{name}-batch", name):
        stack = find_stack(account, stack_name)
        if stack is not None and (stack_name != name or any(map(_QUEUE.fullmatch, stack.outputs))):
            return _cluster(stack, name, account)
    hint = (
        f"`trainyard status {name} --region {account.region}` says what there is; check the name, --region, --profile"
    )
    raise TrainyardError(f"there is no stack {name}-batch in {account.region}", where=name, hint=hint)


def _cluster(stack: StackState, name: str, account: Account) -> BatchCluster:
    numbers = sorted(
        (match[1] for key in stack.outputs if (match := _QUEUE.fullmatch(key))), key=lambda number: int(number or 1)
    )
    if not numbers or stack.status.startswith("DELETE"):
        hint = f"`trainyard status {name} --region {account.region}` says why; deploy it again"
        problem = f"stack {stack.name} is {stack.status}{'' if numbers else ' and has no job queue'}"
        raise TrainyardError(problem, where=stack.name, hint=hint)
    outputs = stack.outputs
    return BatchCluster(
        name,
        stack.name,
        tuple(_queue(outputs, number) for number in numbers),
        outputs.get("ECRRepository", ""),
    )


def _queue(outputs: Mapping[str, str], number: str) -> ClusterQueue:
    values = {kind: outputs.get(f"{output}{number}") for kind, output in OUTPUTS.items()}
    return ClusterQueue(
        outputs[f"JobQueue{number}"],
        outputs.get(f"ComputeEnvironment{number}", ""),
        {kind: arn for kind, arn in values.items() if arn},
    )
