"""``trainyard batch submit``."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli.interrupts import interruptible
from trainyard.cli.options import account_options, cluster_argument
from trainyard.cli.output import json_option, print_json, print_text, reporter
from trainyard.cli.suggestions import batch_jobs
from trainyard.errors import InputError, TrainyardError
from trainyard.foreign_text import BAR

if TYPE_CHECKING:
    from trainyard.api.batch_submit import BatchJob, SubmittedBatchJob
    from trainyard.edge.aws.account import Account


@click.command()
@cluster_argument()
@click.argument("job", required=False, shell_complete=batch_jobs)
@account_options
@click.option("--queue", metavar="QUEUE", help="The queue, as the spec names it. [default: the first]")
@click.option("--nodes", type=click.IntRange(1), metavar="N", help="How many nodes. [default: the definition's, 2]")
@click.option(
    "--env", "variables", metavar="KEY=VALUE", multiple=True, help="A variable of the containers; repeatable."
)
@click.option("--command", "line", metavar="TEXT", help="What containers run, in place of the definition's command.")
@click.option("--attempts", type=click.IntRange(1, 10), metavar="N", help="How often it is tried at most.")
@click.option("--no-follow", is_flag=True, help="Submit, and do not follow.")
@click.option("--follow", "followed", metavar="JOBID", help="Follow a job that was submitted before.")
@click.option("--cancel", "cancelled", metavar="JOBID", help="End a job, whether it waits or runs.")
@click.option("--timeout", "minutes", type=click.IntRange(1), metavar="MINUTES",
              help="How long to follow. [default: two weeks]")  # fmt: skip
@json_option
def command(  # noqa: PLR0913  one for each option
    name: str,
    job: str | None,
    *,
    region: str | None,
    profile: str | None,
    queue: str | None,
    nodes: int | None,
    variables: tuple[str, ...],
    line: str | None,
    attempts: int | None,
    no_follow: bool,
    followed: str | None,
    cancelled: str | None,
    minutes: int | None,
    as_json: bool,
) -> None:
    """Submit JOB to the cluster NAME on AWS Batch, and follow the log of its main node.

    JOB is stress-ng, which is the default and shows that nodes come up and containers start; nccl, the bandwidth
    tests; torchrun; or the name of any multi-node job definition. The log goes to standard output, with --json to
    standard error. Ctrl-C leaves the job as it is.

    \b
    Exit status: that of the main node's container, so 0 where the job has
    succeeded; 1 where it failed without one, or could not be submitted or
    followed; 2 also where the command line is wrong; 130 after Ctrl-C.

    \b
    Example:
      trainyard batch submit cluster.yaml
      trainyard batch submit llm-p4d --region us-east-2
      trainyard batch submit llm-p4d nccl --region us-east-2 --nodes 8 --env NCCL_DEBUG=INFO
      trainyard batch submit llm-p4d torchrun --region us-east-2 --env TRAINYARD_PROGRAM=/fsx/train.py
    """
    from trainyard.api.cluster_reference import cluster_reference

    _refuse_contradictions(locals())
    name, where, *_ = cluster_reference(name, region, profile)
    if cancelled is not None:
        _cancel(name, where, cancelled, as_json=as_json)
        return
    submitted = None
    if followed is None:
        from trainyard.api.batch_submit import JobOptions, submit_batch_job

        options = JobOptions(nodes, _pairs(variables), _words(line), attempts)
        submitted = submit_batch_job(name, where, job or "stress-ng", options, queue=queue, tell=reporter())
        _tell_submitted(submitted)
        if no_follow:
            _print_submitted(name, submitted, as_json=as_json)
            return
    else:
        from trainyard.api.batch_submit import job_of_cluster

        job_of_cluster(name, where, followed)
    id_ = followed if submitted is None else submitted.id
    _follow(name, where, str(id_), minutes, as_json=as_json)


def _refuse_contradictions(options: dict[str, Any]) -> None:
    """Raise UsageError for options that mean nothing together."""
    names = {"job": "JOB", "variables": "--env", "line": "--command", "no_follow": "--no-follow"}
    of_submitting = ("job", "queue", "nodes", "variables", "line", "attempts", "no_follow")
    for option in ("followed", "cancelled"):
        word = {"followed": "--follow", "cancelled": "--cancel"}[option]
        beside = next((other for other in of_submitting if options[option] is not None and options[other]), None)
        if beside is not None:
            raise click.UsageError(f"{names.get(beside, f'--{beside}')} has no meaning with {word}.")
    if options["followed"] is not None and options["cancelled"] is not None:
        raise click.UsageError("--follow and --cancel are two different things.")
    if options["minutes"] is not None and (options["no_follow"] or options["cancelled"] is not None):
        raise click.UsageError("--timeout has no meaning where nothing is followed.")


def _pairs(variables: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pairs = [text.partition("=") for text in variables]
    wrong = next((name for name, equals, _ in pairs if not (name and equals)), None)
    if wrong is not None:
        raise InputError(f"{wrong!r} is not of the form KEY=VALUE", where="--env", hint="such as NCCL_DEBUG=INFO")
    return tuple((name, value) for name, _, value in pairs)


def _words(line: str | None) -> tuple[str, ...]:
    if line is None:
        return ()
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        hint = "quote it as for a shell, such as --command 'bash -c \"nvidia-smi; lsblk\"'"
        raise InputError(f"the command cannot be read: {error}", where="--command", hint=hint) from None
    if not words:
        raise InputError("the command is empty", where="--command", hint="such as --command 'nvidia-smi -L'")
    return words


def _tell_submitted(submitted: SubmittedBatchJob) -> None:
    nodes = f"{submitted.nodes} node{'s' if submitted.nodes > 1 else ''}"
    sentence = f"job {submitted.id} of {submitted.definition} is submitted to {submitted.queue}, for {nodes}"
    print_text(sentence, err=True)


def _follow(name: str, where: Account, id_: str, minutes: int | None, *, as_json: bool) -> None:
    from trainyard.api.batch_submit import exit_status, follow_batch_job, outcome_words

    command_ = f"trainyard batch submit {name} --region {where.region}"
    profile = f" --profile {where.profile}" if where.profile else ""
    ways = f"`{command_}{profile} --follow {id_}` follows it, `{command_}{profile} --cancel {id_}` ends it"
    with interruptible(f"the job goes on; {ways}"):
        try:
            ended = follow_batch_job(
                name, where, id_, within_s=None if minutes is None else 60.0 * minutes,
                show=lambda text: _print_log(text, err=as_json), tell=reporter(),
            )  # fmt: skip
        except TrainyardError as error:
            if id_ not in (error.hint or ""):
                print_text(f"the job goes on; {ways}", err=True)
            raise
    print_text(outcome_words(ended), err=True)
    if as_json:
        print_json(_values(name, ended))
    sys.exit(exit_status(ended))


def _print_log(text: str, *, err: bool) -> None:
    """Print a line of the log behind a bar: it is the job's. Bars of progress come as carriage returns."""
    for line in text.replace("\r", "\n").split("\n"):
        print_text(f"{BAR}{line.expandtabs(4)}", err=err)


def _cancel(name: str, where: Account, id_: str, *, as_json: bool) -> None:
    from trainyard.api.batch_submit import cancel_batch_job

    job = cancel_batch_job(name, where, id_)
    if as_json:
        print_json({"cluster": name, "job_id": id_, "cancelled": not job.ended, "status": job.status})
    elif job.ended:
        print_text(f"job {id_} has ended already: {job.status}")
    else:
        print_text(f"job {id_} ends; it was {job.status}")


def _print_submitted(name: str, submitted: SubmittedBatchJob, *, as_json: bool) -> None:
    if not as_json:
        print_text(submitted.id)
        return
    print_json(
        {
            "cluster": name,
            "job_id": submitted.id,
            "job_name": submitted.name,
            "queue": submitted.queue,
            "definition": submitted.definition,
            "nodes": submitted.nodes,
            "status": "SUBMITTED",
            "reason": None,
            "attempts": 0,
            "exit_code": None,
            "log_group": None,
            "log_streams": [],
        }
    )


def _values(name: str, job: BatchJob) -> dict[str, Any]:
    return {
        "cluster": name,
        "job_id": job.id,
        "job_name": job.name,
        "queue": job.queue.rpartition("/")[2],
        "definition": job.definition.rpartition("/")[2],
        "nodes": job.nodes,
        "status": job.status,
        "reason": "; ".join(dict.fromkeys(reason for reason in (job.reason, job.main.reason) if reason)) or None,
        "attempts": job.attempt,
        "exit_code": job.main.exit_code,
        "log_group": job.main.log_group,
        "log_streams": list(job.main.log_streams),
    }
