"""AWS Batch: what the jobs of a cluster's definitions run and ask for, and where they log. Asks only.

https://docs.aws.amazon.com/batch/latest/APIReference/API_DescribeJobDefinitions.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainyard.edge.aws.asking import pages
from trainyard.edge.aws.batch_job_state import node_needs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainyard.edge.aws.account import Account
    from trainyard.edge.aws.batch_job_state import NodeNeed

BATCH_LOG_GROUP = "/aws/batch/job"
"""Where containers log to that name no group: https://docs.aws.amazon.com/batch/latest/userguide/using_awslogs.html"""


class DefinedJob(NamedTuple):
    """A revision of a job definition."""

    name: str
    arn: str
    nodes: int | None
    """How many nodes such a job has; None for one in one container."""
    needs: tuple[NodeNeed, ...]

    @property
    def images(self) -> tuple[str, ...]:
        """The images of its containers, each once."""
        return tuple(dict.fromkeys(one.image for one in self.needs if one.image))

    @property
    def log_groups(self) -> tuple[str, ...]:
        """Where its containers log to, each once."""
        return tuple(dict.fromkeys(one.log_group or BATCH_LOG_GROUP for one in self.needs))


def defined_jobs(account: Account, arns: Iterable[str]) -> tuple[DefinedJob, ...]:
    """Return those of some job definitions that are there, by their ARNs.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    wanted = list(dict.fromkeys(arns))
    if not wanted:
        return ()
    permission, operation = "batch:DescribeJobDefinitions", "describe_job_definitions"
    return tuple(
        DefinedJob(
            one["jobDefinitionName"],
            one["jobDefinitionArn"],
            one.get("nodeProperties", {}).get("numNodes"),
            tuple(node_needs(one, "containerProperties")),
        )
        for one in pages(account, permission, operation, "jobDefinitions", jobDefinitions=wanted)
    )
