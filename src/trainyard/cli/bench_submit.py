"""``trainyard bench submit``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.interrupts import interruptible
from trainyard.cli.options import account_options, cluster_argument
from trainyard.cli.output import finding_text, json_option, print_json, print_text, reporter, styled
from trainyard.counts import count_text
from trainyard.errors import InputError

if TYPE_CHECKING:
    from trainyard.api.bench_submit import JobCluster, JobResult, SubmissionResult
    from trainyard.bench.gpu_check import GpuCheck
    from trainyard.platform_entry import Platform

_COLOURS = {"healthy": "green", "degraded": "yellow", "broken": "red", "unknown": "cyan"}


@click.command()
@cluster_argument(required=False)
@account_options
@click.option("--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where no stack is left.")
@click.option("--ssh", metavar="HOST", help="The head node as ssh takes it, in place of Systems Manager.")
@click.option("--ssm", is_flag=True, help="Reach the head node by Systems Manager, which is the default.")
@click.option("--local", metavar="SPEC", shell_complete=suggestions.files, help="A spec; its Slurm is on this machine.")
@click.option("--phase", "phases", type=click.IntRange(1, 4), multiple=True, help="Only this phase; may be repeated.")
@click.option("--only", "ids", metavar="JOB", multiple=True, help="Only this job of `bench plan`; may be repeated.")
@click.option("--container", is_flag=True, help="Run nccl-tests in a container, as `bench plan --container` does.")
@click.option("--backend", type=click.Choice(("tcp", "gloo", "nccl")),
              help="An all-reduce of our own in place of nccl-tests: on CPUs, or by torch's NCCL.")  # fmt: skip
@click.option("--python", metavar="PROGRAM", help="The Python on the nodes for --backend; gloo and nccl take torch.")
@click.option("--results", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Where results go, and what was submitted is remembered. [default: bench-results/NAME]")  # fmt: skip
@click.option("--no-wait", is_flag=True, help="Submit, and do not follow.")
@click.option("--timeout", "minutes", type=click.IntRange(1), metavar="MINUTES",
              help="How long to follow. By default what the jobs may take, and an hour.")  # fmt: skip
@click.option("--cancel", is_flag=True, help="Take back what was submitted and has not ended.")
@click.option("--keep", is_flag=True, help="On Amazon EKS, leave the MPIJobs of tests that came to their end.")
@json_option
def command(  # noqa: PLR0913  one for each option
    *,
    name: str | None,
    region: str | None,
    profile: str | None,
    bucket: str | None,
    ssh: str | None,
    ssm: bool,
    local: str | None,
    phases: tuple[int, ...],
    ids: tuple[str, ...],
    container: bool,
    backend: str | None,
    python: str | None,
    results: Path | None,
    no_wait: bool,
    minutes: int | None,
    cancel: bool,
    keep: bool,
    as_json: bool,
) -> None:
    """Run the bandwidth tests of `bench plan` on the cluster NAME, fetch what they measure and judge it.

    One job runs after the other, by Slurm, on AWS Batch or on Amazon EKS. Each step is remembered in the results
    folder: the same command goes on after Ctrl-C, a lost connection or a full disk, and runs again only what has
    failed.

    \b
    Exit status: 0 every run is healthy; 1 one is not, cannot be judged, or its
    job has failed; 2 the command line is wrong. A sweep on CPUs is held against
    nothing, and good where its results are right.

    \b
    Example:
      trainyard bench submit cluster.yaml --phase 1
      trainyard bench submit llm-p5 --region us-east-2 --phase 1
      trainyard bench submit llm-p5 --region us-east-2 --ssh ubuntu@203.0.113.7
      trainyard bench submit --local cluster.yaml --backend tcp
    """
    from trainyard.api.bench_submit import JobSelection, cancel_jobs, submit_jobs

    beside = {"--ssh": ssh, "--ssm": ssm or None, "--profile": profile, "--bucket": bucket, "--keep": keep or None}
    _refuse(name, region, local, beside=beside)
    if ssh is not None and ssm:
        raise InputError("--ssh and --ssm are two ways to the same machine", where="--ssm", hint="leave one out")
    _refuse_mixed(backend, {"--python": python}, {"--phase": phases, "--container": container})
    with interruptible("jobs go on; repeat the command to follow them, or take them back with --cancel"):
        cluster = _cluster(name, region, profile=profile, bucket=bucket, ssh=ssh, local=local, keep=keep)
        if cancel:
            _print_cancelled(cancel_jobs(cluster, results=results, tell=reporter()), as_json=as_json)
            return
        result = submit_jobs(
            cluster, JobSelection(phases, ids, container, backend, python), results=results, wait=not no_wait,
            within_s=None if minutes is None else 60.0 * minutes, tell=reporter(),
        )  # fmt: skip
    if as_json:
        print_json(_values(result))
    else:
        _print(result)
    sys.exit(0 if result.good else 1)


def _refuse(name: str | None, region: str | None, local: str | None, beside: dict[str, Any]) -> None:
    if (name is None) == (local is None):
        hint = "give NAME or SPEC of a cluster, or --local SPEC where Slurm is on this machine"
        raise InputError("one of NAME and --local has to be given, and not both", where="bench submit", hint=hint)
    options = [option for option, value in {"--region": region, **beside}.items() if value is not None]
    if local is not None and options:
        hint = f"leave out {options[0]}, or --local"
        raise InputError("with --local, Slurm is on this machine", where=options[0], hint=hint)


def _refuse_mixed(backend: str | None, with_backend: dict[str, Any], with_plan: dict[str, Any]) -> None:
    """Refuse what says something of jobs that are not meant."""
    beside = with_plan if backend is not None else with_backend
    other = next((option for option, value in beside.items() if value), None)
    if other is not None and backend is None:
        raise InputError(f"{other} is for --backend", where=other, hint=f"add --backend, or leave {other} out")
    if other is not None:
        hint = f"leave out --backend, or {other}"
        raise InputError(f"{other} is for the jobs of `bench plan`", where=other, hint=hint)


def _cluster(  # noqa: PLR0913  one for each option
    name: str | None,
    region: str | None,
    *,
    profile: str | None,
    bucket: str | None,
    ssh: str | None,
    local: str | None,
    keep: bool,
) -> JobCluster:
    from trainyard.api.bench_submit import local_cluster, named_cluster

    if local is not None:
        return local_cluster(local)
    from trainyard.api.cluster_reference import cluster_reference

    cluster = cluster_reference(name or "", region, profile)
    return named_cluster(cluster.name, cluster.account, ssh=ssh, bucket=bucket or cluster.bucket, keep=keep)


def _print_cancelled(ids: list[str], *, as_json: bool) -> None:
    if as_json:
        print_json({"cancelled": ids})
    else:
        print_text(f"cancelled: {', '.join(ids)}" if ids else "nothing was under way")


def _print(result: SubmissionResult) -> None:
    for job in result.jobs:
        _print_job(job, followed=result.followed)
    if not result.followed:
        print_text(
            f"{count_text(len(result.jobs), 'job is', 'jobs are')} submitted; "
            "repeat the command without --no-wait to follow them"
        )
    else:
        good = sum(job.good for job in result.jobs)
        print_text(
            f"{good} of {count_text(len(result.jobs), 'job is', 'jobs are')} good; results are in {result.results}"
        )


def _print_job(job_result: JobResult, *, followed: bool) -> None:
    outcome = job_result.outcome
    reason = f" ({outcome.reason})" if outcome.reason else ""
    if not followed or not outcome.good:
        print_text(f"{outcome.job.id}: job {outcome.number} {outcome.state.lower()}{reason}")
    if not followed:
        return
    if job_result.unreadable is not None:
        file = f"; {outcome.file} has its output" if outcome.file is not None else ""
        print_text(f"{outcome.job.id}: {job_result.unreadable}{file}")
    from trainyard.api.bench_judge import causes_of_deaths
    from trainyard.cli.bench_judge import print_judged

    causes = causes_of_deaths(job_result.judged)
    for judged in job_result.judged:
        print_judged(judged, causes)
    if job_result.gpus is not None:
        _print_gpus(outcome.job.id, job_result.gpus)


def _print_gpus(id_: str, checked: GpuCheck) -> None:
    verdict = styled(checked.verdict, fg=_COLOURS[checked.verdict], bold=True)
    print_text(f"{id_}: {verdict}: {count_text(len(checked.gpus), 'GPU')}")
    for finding in checked.findings:
        print_text(f"  {finding_text(finding)}")


def _values(result: SubmissionResult) -> dict[str, Any]:
    return {
        "cluster": result.cluster,
        "results": str(result.results),
        "good": result.good,
        "jobs": [_job_values(job, result.platform) for job in result.jobs],
    }


def _job_values(job_result: JobResult, platform: Platform) -> dict[str, Any]:
    from trainyard.api.bench_judge import causes_of_deaths, values_of
    from trainyard.api.bench_submit import mpi_job_of

    outcome, causes = job_result.outcome, causes_of_deaths(job_result.judged)
    return {
        "id": outcome.job.id,
        "slurm_job": outcome.number if platform.has_slurm else None,
        "batch_job": outcome.number if platform.has_batch else None,
        "mpi_job": mpi_job_of(outcome),
        "state": outcome.state,
        "reason": outcome.reason or None,
        "nodes": outcome.job.nodes,
        "file": None if outcome.file is None else str(outcome.file),
        "good": job_result.good,
        "problem": job_result.unreadable,
        "runs": [
            {**values_of(judged.file, judged.judgement), "cause": causes.get(judged.file)}
            for judged in job_result.judged
        ],
        "gpus": None if job_result.gpus is None else _gpu_values(job_result.gpus),
    }


def _gpu_values(checked: GpuCheck) -> dict[str, Any]:
    return {
        "verdict": checked.verdict,
        "gpus": [gpu._asdict() for gpu in checked.gpus],
        "findings": [finding.as_json() for finding in checked.findings],
    }
