"""The names of log streams of AWS Batch: PREFIX/CONTAINER/TASK, such as nccl/default/0a1b2c3d4e5f40718293a4b5c6d7e8f9.

The prefix is that of the job definition's awslogs-stream-prefix, otherwise the name of the definition.
https://docs.aws.amazon.com/batch/latest/userguide/using_awslogs.html
"""

from __future__ import annotations

import re
from typing import NamedTuple

_FORM = re.compile(r"(?P<kind>[^/]+)/(?P<container>[^/]+)/(?P<task>[0-9a-f]{32}|[0-9a-f-]{36})")


class JobStreamName(NamedTuple):
    """What a container logs, and of which job and node it is, as far as Batch still knows."""

    kind: str
    """The prefix, which says what kind of job it is."""
    task: str
    """The id of its task in ECS."""
    job: str | None = None
    """The id of the job."""
    job_name: str | None = None
    node: int | None = None
    """The index of the node of a multi-node job; None also where the job has one container."""

    @property
    def host(self) -> str:
        """Return what people call it: the job and the node, or the task where the job is not known any more."""
        if self.job_name is None:
            return self.task
        return self.job_name if self.node is None else f"{self.job_name}#{self.node}"

    def is_of_job(self, job: str) -> bool:
        """Return whether it is of a job, given by its id or its name."""
        return job in (self.job, self.job_name)

    def is_of_node(self, node: str) -> bool:
        """Return whether it is of a node, given by its index, or by the id of the job with it: ID#3."""
        index = None if self.node is None else str(self.node)
        return node == index or (self.job is not None and node == f"{self.job}#{index}")


def parsed_job(name: str) -> JobStreamName | None:
    """Return the parts of a name; None where the stream is of something else."""
    match = _FORM.fullmatch(name)
    return None if match is None else JobStreamName(match["kind"], match["task"])
