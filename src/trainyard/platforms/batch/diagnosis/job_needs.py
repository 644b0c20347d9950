"""Jobs that no environment of their queue can run: too many vCPUs, too much for a node, another type, Spot, a quota."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.catalog.service_quotas import vcpu_quota
from trainyard.edge.aws.batch_instances import container_instances
from trainyard.edge.aws.batch_job_state import JobDetail, NodeNeed
from trainyard.edge.aws.batch_queues import ComputeEnvironment
from trainyard.edge.aws.ec2 import instance_types, reservation_of
from trainyard.edge.aws.service_quotas import quota
from trainyard.platforms.batch.diagnosis.cluster_facts import BatchFacts
from trainyard.platforms.batch.diagnosis.launch_settings import launch_data

_NOT_FOR_SEVERAL_NODES = ("SPOT", "FARGATE", "FARGATE_SPOT")


def job_need_lines(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each reason why a job cannot run in an environment of its queue."""
    for job in facts.waiting:
        for environment in facts.environments_of(job):
            yield from _in(facts, job, environment)


def _in(facts: BatchFacts, job: JobDetail, environment: ComputeEnvironment) -> Iterator[str]:
    who, where = f"job {job.name} ({job.id})", f"compute environment {environment.name}"
    if job.nodes is not None and environment.kind in _NOT_FOR_SEVERAL_NODES:
        yield f"{who} has {job.nodes} nodes, and {where} is of type {environment.kind}, where no multi-node job runs"
    yield from _vcpus(facts, job, environment)
    for need in job.needs:
        if need.instance_type is not None and not _offers(environment, need.instance_type):
            offered = ", ".join(environment.instance_types)
            yield f"{who} wants instances of {need.instance_type}, and {where} has only {offered}"
        else:
            yield from (f"{who} {what}" for what in _too_big(facts, need, environment))


def _vcpus_of(job: JobDetail) -> float:
    """Return how many vCPUs a job asks for on all its nodes."""
    return sum(need.vcpus * count for need, count in _counted(job))


def _plain(number: float) -> str:
    """Return a number as people write it: 192, 0.25."""
    return str(int(number)) if number == int(number) else f"{number:g}"


def _counted(job: JobDetail) -> Iterator[tuple[NodeNeed, int]]:
    """Yield what nodes need with how many they are. Of nested ranges, the narrower one holds for its nodes."""
    nodes = job.nodes or 1
    left = set(range(nodes))
    for need in sorted(job.needs, key=lambda need: len(_range(need.nodes, nodes))):
        own = left & set(_range(need.nodes, nodes))
        left -= own
        yield need, len(own)


def _range(written: str, nodes: int) -> range:
    first, colon, last = written.partition(":")
    begin = int(first) if first.isdecimal() else 0
    end = int(last) if last.isdecimal() else nodes - 1
    return range(begin, (end if colon else begin) + 1)


def _vcpus(facts: BatchFacts, job: JobDetail, environment: ComputeEnvironment) -> Iterator[str]:
    vcpus, most = _vcpus_of(job), environment.max_vcpus
    who = f"job {job.name} ({job.id})"
    needs = f"{who} needs {_plain(vcpus)} vCPUs{f' on {job.nodes} nodes' if job.nodes else ''}"
    if vcpus > most:
        yield f"{needs}, more than the {most} that compute environment {environment.name} may ever have"
    elif environment.desired_vcpus + vcpus > most and facts.running.get(job.queue):
        used = f"{environment.desired_vcpus} of the {most} vCPUs of compute environment {environment.name}"
        yield f"{needs}, and {used} are in use by jobs before it"


def _offers(environment: ComputeEnvironment, listed_type: str) -> bool:
    """Return whether an environment may start a type: by its name, its family, or whatever Batch thinks optimal.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html
    """
    family = listed_type.partition(".")[0]
    return any(
        type_ in (listed_type, family) or type_ == "optimal" or type_.startswith("default_")
        for type_ in environment.instance_types
    )


def _too_big(facts: BatchFacts, need: NodeNeed, environment: ComputeEnvironment) -> Iterator[str]:
    """Yield what a node asks for that no type of an environment has."""
    types = (need.instance_type,) if need.instance_type else environment.instance_types
    if not all("." in type_ for type_ in types):
        return
    facts_by_type = facts.ask("instance types", instance_types, tuple(types)) or {}
    if len(facts_by_type) < len(types):
        return
    has = [_offer(facts_by_type[type_]) for type_ in types]
    demands = (need.vcpus, need.memory_mib, need.gpus)
    comparisons = zip(("vCPUs", "MiB of memory", "GPUs"), demands, zip(*has, strict=True), strict=True)
    for what, number, offered in comparisons:
        if number > max(offered):
            yield f"asks for {_plain(number)} {what} on a node, more than the {max(offered)} of {' or '.join(types)}"
            return
    if least := _memory_of_ecs(facts, environment):
        yield from _beside_the_agent(need, least, types)


def _beside_the_agent(need: NodeNeed, most_mib: int, types: tuple[str, ...]) -> Iterator[str]:
    if need.memory_mib > most_mib:
        has = f"{most_mib} that {' or '.join(types)} has beside the agent and the system"
        yield f"asks for {need.memory_mib} MiB of memory on a node, more than the {has}"


def _offer(described: Mapping[str, Any]) -> tuple[int, int, int]:
    gpus = sum(gpu.get("Count", 0) for gpu in described.get("GpuInfo", {}).get("Gpus", ()))
    return described["VCpuInfo"]["DefaultVCpus"], described["MemoryInfo"]["SizeInMiB"], gpus


def _memory_of_ecs(facts: BatchFacts, environment: ComputeEnvironment) -> int:
    """Return the most memory that an instance of an environment has for containers; zero where none is there."""
    instances = facts.ask("instances that ECS knows", container_instances, environment.ecs_cluster)
    return max((instance.memory_mib for instance in instances or ()), default=0)


def vcpu_quota_lines(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each job and environment that meets a quota. What is reserved was counted when it was."""
    for job in facts.waiting:
        for environment in facts.environments_of(job):
            if reservation_of(launch_data(facts, environment)) is None:
                yield from _beyond(facts, job, environment)


def _beyond(facts: BatchFacts, job: JobDetail, environment: ComputeEnvironment) -> Iterator[str]:
    purchase = "spot" if environment.kind == "SPOT" else "on-demand"
    quotas = {
        quota_.code: quota_ for name in environment.instance_types if (quota_ := vcpu_quota(name, purchase)) is not None
    }
    for counted in quotas.values():
        allowed = facts.ask("its quotas", quota, counted.service, counted.code)
        if allowed is not None and _vcpus_of(job) > allowed.value:
            who = f"job {job.name} ({job.id}) needs {_plain(_vcpus_of(job))} vCPUs"
            yield f"{who}, and the account may run {_plain(allowed.value)}: quota {counted.code} ({allowed.name})"
