"""The state of a Batch cluster as logs, which signatures are held against as against any other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trainyard.diagnose.log_file import LogFile, Unread
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_stack import batch_of_cluster
from trainyard.platforms.batch.diagnosis import (
    aws_events,
    disabled,
    images,
    instance_role,
    job_needs,
    launch_settings,
    not_registered,
    quota,
)
from trainyard.platforms.batch.diagnosis.cluster_facts import BatchFacts, facts_of

BEGINNING = "batch check: "
"""What lines begin with that nobody but us writes."""
_SAID = {
    "batch-compute-environments": aws_events.environment_lines,
    "batch-job-queues": aws_events.queue_lines,
    "batch-jobs": aws_events.job_lines,
    "batch-launches": aws_events.launch_lines,
}
_CHECKS = (
    disabled.check,
    job_needs.check,
    instance_role.check,
    images.check,
    not_registered.check,
    launch_settings.check,
    quota.check,
)


def batch_files(account: Account, cluster: str, unread: list[Unread]) -> Iterator[LogFile]:
    """Yield what AWS says of a cluster and what checks found; nothing where it is none of Batch.

    What nobody may look at is added to ``unread``. Raises NotAllowedError where its stack may not be looked at,
    TrainyardError where AWS does not answer.
    """
    resources = batch_of_cluster(account, cluster)
    if resources is None:
        return
    facts = facts_of(account, resources)
    for name, lines in _SAID.items():
        yield from _file(name, lines, facts)
    yield from _file("batch-checks", _checked, facts)
    unread.extend(Unread(part, why) for part, why in facts.refused.items())


def _checked(facts: BatchFacts) -> Iterator[str]:
    return (f"{BEGINNING}{line}" for check in _CHECKS for line in check(facts))


def _file(name: str, lines: Callable[[BatchFacts], Iterator[str]], facts: BatchFacts) -> Iterator[LogFile]:
    text = "".join(f"{' '.join(line.split())}\n" for line in lines(facts))
    if text:
        yield LogFile(name, [text.encode(errors="replace")])
