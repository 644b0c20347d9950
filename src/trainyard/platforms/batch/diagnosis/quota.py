"""Jobs that need more vCPUs than the account may run of the family."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.service_quotas import vcpu_quota
from trainyard.edge.aws.batch_job_state import JobDetail
from trainyard.edge.aws.batch_state import ComputeEnvironment
from trainyard.edge.aws.launch_template import reservation_of
from trainyard.edge.aws.service_quotas import quota
from trainyard.platforms.batch.diagnosis.cluster_facts import BatchFacts
from trainyard.platforms.batch.diagnosis.job_needs import plain, vcpus_of
from trainyard.platforms.batch.diagnosis.launch_settings import launch_data


def check(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each job and environment that meets a quota. What is reserved was counted when it was."""
    for job in facts.waiting:
        for environment in facts.environments_of(job):
            if reservation_of(launch_data(facts, environment)) is None:
                yield from _beyond(facts, job, environment)


def _beyond(facts: BatchFacts, job: JobDetail, environment: ComputeEnvironment) -> Iterator[str]:
    purchase = "spot" if environment.kind == "SPOT" else "on-demand"
    known = {one.code: one for name in environment.instance_types if (one := vcpu_quota(name, purchase)) is not None}
    for counted in known.values():
        allowed = facts.ask("its quotas", quota, counted.service, counted.code)
        if allowed is not None and vcpus_of(job) > allowed.value:
            who = f"job {job.name} ({job.id}) needs {plain(vcpus_of(job))} vCPUs"
            yield f"{who}, and the account may run {plain(allowed.value)}: quota {counted.code} ({allowed.name})"
