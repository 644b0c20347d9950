"""What of a run is wrong before it costs anything: its file against the spec of its cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from difflib import get_close_matches
from pathlib import Path as FilePath

from trainyard.catalog.instances import find
from trainyard.checking.spec_file import worst_first
from trainyard.counts import count_text
from trainyard.finding import Finding
from trainyard.finding_kinds import FindingKind, Problem, kinds_beside
from trainyard.platform_table import platform_of
from trainyard.training.checkpoint_interval import daly_s, failure_rates, lost_share
from trainyard.training.job import kubernetes_job
from trainyard.training.run_file import RunFile

# AWS ends instances so long before the end of their block.
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html
_BLOCK_MARGIN = timedelta(minutes=30)
# An interval is told of where it loses so much more of the time than the best one: below, no failure rate is so exact.
_TELLING_LOSS = 0.01
_RATE = "llama3"
_OPERATORS = {"PyTorchJob": "training-operator", "JobSet": "jobset"}
_BATCH_OVERRIDES = "https://docs.aws.amazon.com/batch/latest/APIReference/API_ContainerOverrides.html"
# What is hours old is lost by much else than nodes that fail: a wrong command, or a loss that has become infinite.
_LONGEST_S = 4 * 3600.0

Found = Iterator[tuple[str, Problem]]


def kinds() -> Mapping[str, FindingKind]:
    """Return the kinds of findings of a run, by their ids."""
    return kinds_beside(FilePath(__file__))


def check_run(file: RunFile, now: datetime) -> tuple[Finding, ...]:
    """Return all that is wrong with a run, the worst first."""
    checks: tuple[Callable[[RunFile, datetime], Found], ...] = (
        _queue, _nodes, _restarts, _checkpoints, _interval, _end, _block, _efa, _container, _launcher, _operator, _flops
    )  # fmt: skip
    found = (problem for check in checks for problem in check(file, now))
    return worst_first(kinds()[id_].finding_at(problem, file.document) for id_, problem in found)


def _queue(file: RunFile, _now: datetime) -> Found:
    if file.group is None:
        names = [queue.name for queue in file.spec.queues]
        near = get_close_matches(str(file.run.queue), names, n=1, cutoff=0.0)
        remedy = f"write {near[0]}" if near else None
        yield "run-queue-unknown", Problem(("queue",), f"{file.spec.name} has no queue {file.run.queue}", remedy)


def _nodes(file: RunFile, _now: datetime) -> Found:
    if file.group is None:
        return
    most, run = file.group.max_nodes, file.run
    room = f"{file.group.queue.name} has {count_text(most, 'node')} at most"
    if run.nodes > most:
        yield "run-nodes-exceed-queue", Problem(("nodes",), f"{room}, and the run {run.nodes}")
    elif run.nodes + run.spare_nodes > most:
        message = f"{room}, and {run.nodes} with {run.spare_nodes} spare are meant"
        yield "run-nodes-exceed-queue", Problem(("spare_nodes",), message, severity="warning")


def _restarts(file: RunFile, _now: datetime) -> Found:
    if file.run.restarts.most == 0:
        yield "run-not-restarted", Problem(("restarts", "most"), "the run is never started again")


def _checkpoints(file: RunFile, _now: datetime) -> Found:
    checkpoints = file.run.checkpoints
    if checkpoints is None:
        yield "run-without-checkpoints", Problem((), "the run has no place for checkpoints")
        return
    mounts = [file_system.mount for file_system in file.spec.file_systems]
    if platform_of(file.spec).has_head_node:
        mounts.append("/home")  # the head node exports it to all nodes
    if not any(f"{checkpoints.folder}/".startswith(f"{mount}/") for mount in mounts):
        message = f"{checkpoints.folder} is on no shared file system of {file.spec.name}"
        remedy = f"choose a folder below {' or '.join(mounts)}" if mounts else "give the cluster a file system"
        yield "run-checkpoints-not-shared", Problem(("checkpoints", "folder"), message, remedy)


def _interval(file: RunFile, _now: datetime) -> Found:
    checkpoints = file.run.checkpoints
    if checkpoints is None:
        return
    rate = failure_rates()[_RATE]
    mtbf_s, write_s = rate.mtbf_s(file.run.nodes), checkpoints.write_s
    interval_s, best_s = checkpoints.interval_min * 60, min(daly_s(write_s, mtbf_s), _LONGEST_S)
    lost, least = (lost_share(at_s, write_s, mtbf_s) for at_s in (interval_s, best_s))
    if lost - least < _TELLING_LOSS:
        return
    message = (
        f"a checkpoint every {checkpoints.interval_min:g} min costs {lost:.1%} of the time of "
        f"{count_text(file.run.nodes, 'node')}, and one every {best_s / 60:.0f} min {least:.1%}: "
        f"{write_s:g} s each, and an interruption every "
        f"{mtbf_s / 3600:,.0f} h"
    )
    remedy = f"write interval_min: {max(round(best_s / 60), 1)}, or in write_s how long a checkpoint really takes"
    yield "run-checkpoint-interval", Problem(("checkpoints", "interval_min"), message, remedy, source=rate.source)


def _end(file: RunFile, _now: datetime) -> Found:
    checkpoints, restarts = file.run.checkpoints, file.run.restarts
    if checkpoints is not None and restarts.before_end_min * 60 <= checkpoints.write_s:
        told = f"the run is told {restarts.before_end_min:g} min before its end"
        message = f"a checkpoint takes {checkpoints.write_s:g} s, and {told}"
        yield "run-no-time-for-checkpoint", Problem(("restarts", "before_end_min"), message)
    elif restarts.before_end_min >= file.run.time_limit_h * 60:
        message = (
            f"the run is told to end {restarts.before_end_min:g} min before a limit of {file.run.time_limit_h:g} h"
        )
        yield "run-no-time-for-checkpoint", Problem(("restarts", "before_end_min"), message, "raise time_limit_h")


def _block(file: RunFile, now: datetime) -> Found:
    if file.run.block_ends is None:
        if file.group is not None and file.group.capacity_kind == "capacity_block":
            yield "run-block-end-unknown", Problem((), f"the nodes of {file.group.queue.name} are of a Capacity Block")
        return
    ends = block_end(file.run.block_ends) - _BLOCK_MARGIN
    if now + timedelta(hours=file.run.time_limit_h) > ends:
        left_h = max((ends - now).total_seconds() / 3600, 0)
        message = (
            f"{file.run.time_limit_h:g} h, and the instances are ended in {left_h:.1f} h, at {ends:%Y-%m-%dT%H:%MZ}"
        )
        remedy = f"write at most {int(left_h * 10) / 10:g}" if left_h >= 0.1 else "buy another block"
        yield "run-beyond-block", Problem(("time_limit_h",), message, remedy)


def block_end(text: str) -> datetime:
    """Return the end of a Capacity Block as it is written."""
    return datetime.fromisoformat(text)


def _efa(file: RunFile, _now: datetime) -> Found:
    group = file.group
    if group is None or file.run.nodes == 1 or group.efa is not False:
        return
    facts = find(group.instance_type)
    if facts is not None and facts.efa_interfaces:
        message = f"{group.queue.name} launches {group.instance_type} without EFA, for a run of {file.run.nodes} nodes"
        yield "run-without-efa", Problem(("queue",) if file.run.queue else ("nodes",), message)


def _container(file: RunFile, _now: datetime) -> Found:
    if file.run.container and platform_of(file.spec).has_slurm and not file.spec.software.containers:
        message = f"the nodes of {file.spec.name} have no Enroot and Pyxis"
        yield "run-container-not-possible", Problem(("container",), message)
    elif file.run.container and platform_of(file.spec).has_batch:
        message = "AWS Batch runs the image of its job definition, and a job cannot choose another one"
        remedy = "write the image as batch.pytorch_image in the spec, or leave container out"
        yield "run-container-not-possible", Problem(("container",), message, remedy, source=_BATCH_OVERRIDES)


def _launcher(file: RunFile, _now: datetime) -> Found:
    if file.run.program.launcher != "torchrun" and not platform_of(file.spec).has_slurm:
        message = f"{file.run.program.launcher} is started on Slurm alone, and {file.spec.name} has none"
        yield "run-launcher-not-possible", Problem(("program", "launcher"), message)


def _operator(file: RunFile, _now: datetime) -> Found:
    written = ("kubernetes_job",) if file.run.kubernetes_job else ("cluster",)
    if not platform_of(file.spec).has_kubernetes:
        if file.run.kubernetes_job:
            message = f"{file.spec.name} has no Kubernetes, and the run is no {file.run.kubernetes_job} there"
            yield "run-kubernetes-job-unused", Problem(written, message)
        return
    kind = kubernetes_job(file.run, file.spec)
    operator = _OPERATORS[kind]
    if operator not in file.spec.eks.operators:
        message = f"{file.spec.name} has nothing that makes the pods of a {kind}"
        remedy = f"add {operator} to eks.operators in the spec, and deploy once more"
        yield "run-operator-missing", Problem(written, message, remedy)


def _flops(file: RunFile, _now: datetime) -> Found:
    if file.run.model is None and file.run.program.template is None:
        yield "run-without-flops", Problem((), "nothing says how much the model computes")
