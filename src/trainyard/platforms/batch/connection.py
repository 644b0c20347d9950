"""The instance that is meant of a cluster of AWS Batch: it has no head node, and instances come and go with jobs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_instances import container_instances, instances_of
from trainyard.edge.aws.batch_job_state import described_jobs
from trainyard.edge.aws.batch_queues import BatchResources, batch_of_cluster, compute_environments
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.errors import TrainyardError
from trainyard.operate.connect.target import Target, target_of

ROLE = "Batch"
_JOB = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}(?:#[0-9]{1,4})?")
# What Batch picks where no image is named is one of ECS's own, of Amazon Linux.
# https://docs.aws.amazon.com/batch/latest/APIReference/API_Ec2Configuration.html
_OS = "alinux2023"


def batch_target(account: Account, cluster: str, name: str | None) -> Target | None:
    """Return an instance by its id, address or host name, or where none is named the newest that runs.

    ID#3 is the instance of node 3 of a job, and ID that of its first node. None where the cluster is none of Batch, or
    has no such instance. Raises TrainyardError where none is there at all, or the job runs on none.
    """
    try:
        resources = batch_of_cluster(account, cluster)
    except NotAllowedError:
        return None
    if resources is None:
        return None
    targets = sorted(_targets(account, cluster, resources), key=_running_and_new, reverse=True)
    if not targets:
        raise TrainyardError(
            f"no instance of {cluster} is there: Batch starts them when a job wants them, and ends them after it",
            where=cluster,
            hint=f"submit a job, or see `trainyard status {cluster} --region {account.region}` for why none comes",
        )
    if name is None:
        return targets[0]
    of_job = _instance_of_job(account, resources, name) if _JOB.fullmatch(name) else None
    names = {of_job or name, name.partition(".")[0]}
    return next(
        (
            target
            for target in targets
            if names & {target.instance, target.private_address, target.public_address, target.host}
        ),
        None,
    )


def _instance_of_job(account: Account, resources: BatchResources, job_id: str) -> str | None:
    """Return the id of the instance where a job or a node of one runs."""
    job_details = described_jobs(account, [job_id] if "#" in job_id else [job_id, f"{job_id}#0"])
    place = next((job_detail.container_instance for job_detail in job_details if job_detail.container_instance), None)
    if place is None:
        raise TrainyardError(
            f"job {job_id} runs on no instance",
            where="--node",
            hint=f"`trainyard status {resources.stack.removesuffix('-batch')} --region {account.region}` lists jobs",
        )
    environments = compute_environments(account, resources.environments)
    instances = (
        instance for environment in environments for instance in container_instances(account, environment.ecs_cluster)
    )
    return next((instance.instance for instance in instances if instance.arn == place), None)


def _targets(account: Account, cluster: str, resources: BatchResources) -> Iterator[Target]:
    for environment in compute_environments(account, resources.environments):
        os = None if environment.images else _OS
        for instance in instances_of(account, environment):
            target = target_of(cluster, instance)
            yield target._replace(role=ROLE, os=target.os or os)


def _running_and_new(target: Target) -> tuple[bool, str]:
    return target.state == "running", target.launched
