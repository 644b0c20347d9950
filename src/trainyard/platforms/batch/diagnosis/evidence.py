"""What tells of failures of a Batch cluster: AWS Batch itself, and how its environments, queues and jobs fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trainyard.diagnose.cluster.cluster_reader import ClusterReader
from trainyard.diagnose.log_file import LogFile, Unread
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_queues import batch_of_cluster
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.platforms.batch.diagnosis import aws_events, environment_checks, job_needs, launch_settings, registration
from trainyard.platforms.batch.diagnosis.cluster_facts import BatchFacts, facts_of

PART = "its state in AWS Batch"
_BEGINNING = "batch check: "
"""What lines begin with that nobody but us writes."""
_LINES = {
    "batch-compute-environments": aws_events.environment_lines,
    "batch-job-queues": aws_events.queue_lines,
    "batch-jobs": aws_events.job_lines,
    "batch-launches": aws_events.launch_lines,
}
_CHECKS = (
    environment_checks.disabled_lines,
    job_needs.job_need_lines,
    environment_checks.instance_role_lines,
    environment_checks.missing_images,
    registration.registration_lines,
    launch_settings.launch_setting_lines,
    job_needs.vcpu_quota_lines,
)


def stack_names(cluster: str) -> tuple[str, ...]:
    """Return the stack with the environments and queues of a cluster."""
    return (f"{cluster}-batch",)


def read_state(account: Account, cluster: str, reader: ClusterReader, kubectl: KubectlOf) -> bool:  # noqa: ARG001  it has no Kubernetes
    """Read what AWS Batch says of a cluster, and return whether it says anything.

    What nobody may look at is listed as left out. Raises TrainyardError where AWS does not answer.
    """
    unread: list[Unread] = []
    before = reader.collected.files
    reader.read(batch_files(account, cluster, unread))
    reader.collected.leave_out(*unread)
    return reader.collected.files > before


def missing_logs(account: Account, cluster: str) -> Unread | None:  # noqa: ARG001  as of every platform
    """Return None: jobs log where no setting switches it off."""
    return None


def batch_files(account: Account, cluster: str, unread: list[Unread]) -> Iterator[LogFile]:
    """Yield what AWS says of a cluster and what checks found; nothing where it is none of Batch.

    What nobody may look at is added to ``unread``. Raises NotAllowedError where its stack may not be looked at,
    TrainyardError where AWS does not answer.
    """
    resources = batch_of_cluster(account, cluster)
    if resources is None:
        return
    facts = facts_of(account, resources)
    for name, lines in _LINES.items():
        yield from _file(name, lines, facts)
    yield from _file("batch-checks", _checked, facts)
    unread.extend(Unread(part, why) for part, why in facts.refused.items())


def _checked(facts: BatchFacts) -> Iterator[str]:
    return (f"{_BEGINNING}{line}" for check in _CHECKS for line in check(facts))


def _file(name: str, lines: Callable[[BatchFacts], Iterator[str]], facts: BatchFacts) -> Iterator[LogFile]:
    text = "".join(f"{' '.join(line.split())}\n" for line in lines(facts))
    if text:
        yield LogFile(name, [text.encode(errors="replace")])
