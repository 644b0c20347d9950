"""``trainyard logs``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainyard.cli.interrupts import endless, interruptible
from trainyard.cli.options import account_options, cluster_argument
from trainyard.cli.output import json_option, print_json, print_text, reporter
from trainyard.counts import count_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.api.logs import LogReader, Period
    from trainyard.edge.aws.account import Account

_LAST = 1000
_LAST_BEFORE_FOLLOWING = 10


@click.command()
@cluster_argument()
@account_options
@click.option("--node", "nodes", multiple=True, metavar="NODE", help="Host name, instance id, or Slurm's node name; "
              "of jobs of AWS Batch the index of the node.")  # fmt: skip
@click.option("--job", "jobs", multiple=True, metavar="JOB", help="Id or name of a job of AWS Batch; of EKS, a job's "
              "pods.")  # fmt: skip
@click.option("--pod", "pods", multiple=True, metavar="POD", help="Of EKS: a pod, [NAMESPACE/]NAME, with * for "
              "anything; kubectl reads its log.")  # fmt: skip
@click.option("--log", "kinds", multiple=True, metavar="LOG", help="Which log, such as slurmctld, or of jobs nccl.")
@click.option("--since", metavar="WHEN", help="From then on: 90s, 30m, 1h, 2d, or a time in UTC: 2026-05-06T13:25.")
@click.option("--until", metavar="WHEN", help="Before then.")
@click.option("--grep", metavar="RE2", help="Only events that this expression finds.")
@click.option("--tail", type=click.IntRange(0), metavar="N", help="Only the last N events.")
@click.option("--follow", is_flag=True, help="Go on with new events until Ctrl-C, or until --until.")
@click.option("--export", "file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.tar.gz",
              help="Write an archive, .tar.gz or .tgz, as `pcluster export-cluster-logs` does.")  # fmt: skip
@click.option("--force", is_flag=True, help="With --export: replace the file.")
@click.option("--no-redact", is_flag=True, help="With --export: leave passwords, keys and tokens in the logs.")
@click.option("--via-pcluster", is_flag=True, help="With --export: let ParallelCluster do it, by way of a bucket.")
@click.option("--bucket", metavar="BUCKET", help="With --via-pcluster: the bucket, in place of ParallelCluster's own.")
@click.option("--group", metavar="GROUP", help="A former log group of the cluster; by default the newest.")
@json_option
def command(  # noqa: PLR0913  one for each option
    name: str,
    *,
    region: str | None,
    profile: str | None,
    nodes: tuple[str, ...],
    jobs: tuple[str, ...],
    pods: tuple[str, ...],
    kinds: tuple[str, ...],
    since: str | None,
    until: str | None,
    grep: str | None,
    tail: int | None,
    follow: bool,
    file: Path | None,
    force: bool,
    no_redact: bool,
    via_pcluster: bool,
    bucket: str | None,
    group: str | None,
    as_json: bool,
) -> None:
    """List, print, follow or export the logs of the cluster NAME that are in CloudWatch.

    Also of clusters that trainyard did not make, and of those that are gone; of AWS Batch what jobs print; of EKS the
    control plane, and with --pod, --job or --node what pods say, by kubectl. Without
    more, or with --node and --job alone, it lists the streams; with any other choice it prints their events, the last
    1,000 where nothing says how many. Times are UTC. Where no event is what was asked for, standard error says what
    was looked at, and the exit status is 0: 1 is for logs that could not be read. An archive is without secrets.

    \b
    Example:
      trainyard logs cluster.yaml
      trainyard logs llm-p5 --region us-east-2
      trainyard logs llm-p5 --region us-east-2 --log slurmctld --since 1h
      trainyard logs llm-p5 --region us-east-2 --node ip-10-0-0-5 --grep 'Xid|NCCL'
      trainyard logs llm-p4d --region us-east-2 --job bench --node 0 --follow
      trainyard logs llm-eks --region us-east-2 --pod 'train-worker-*' --follow
      trainyard logs llm-p5 --region us-east-2 --since 2h --export logs.tar.gz
    """
    from trainyard.api.cluster_reference import cluster_reference
    from trainyard.api.logs import log_period, logs_of, refuse_other_endings

    _refuse_contradictions(locals())
    if file is not None:
        refuse_other_endings(file, "--export")
    name, where, *_ = cluster_reference(name, region, profile)
    of = log_period(since, until, where)
    if file is not None and via_pcluster:
        _export_with_pcluster(name, where, of, file, bucket, force=force, redact=not no_redact, as_json=as_json)
        return
    logs = logs_of(name, where, nodes=nodes, kinds=kinds, jobs=jobs, pods=pods, group=group)
    if file is not None:
        _export(logs, of, file, force=force, redact=not no_redact, as_json=as_json)
    elif kinds or since or until or follow or grep is not None or tail is not None:
        _print_events(logs, of, grep, tail, follow=follow, as_json=as_json)
    else:
        from trainyard.cli.logs_output import log_values, print_log

        print_json(log_values(logs)) if as_json else print_log(logs)


def _refuse_contradictions(options: dict[str, object]) -> None:
    """Raise UsageError for options that mean nothing together."""
    for option, needs in (
        ("force", "file"),
        ("no_redact", "file"),
        ("via_pcluster", "file"),
        ("bucket", "via_pcluster"),
    ):
        if options[option] and not options[needs]:
            words = {"file": "--export", "via_pcluster": "--via-pcluster"}
            raise click.UsageError(f"--{option.replace('_', '-')} has no meaning without {words[needs]}.")
    exporting = [
        option for option in ("grep", "tail", "follow") if options["file"] and options[option] not in (None, False)
    ]
    if exporting:
        raise click.UsageError(f"--{exporting[0]} has no meaning with --export, which takes all events of the period.")
    if options["pods"] and options["group"]:
        raise click.UsageError("--pod has no meaning with --group: pods are read by kubectl, not from CloudWatch.")
    chosen = [
        option for option in ("nodes", "jobs", "pods", "kinds", "group") if options["via_pcluster"] and options[option]
    ]
    if chosen:
        option = {"nodes": "node", "jobs": "job", "pods": "pod", "kinds": "log"}.get(chosen[0], chosen[0])
        raise click.UsageError(f"--{option} has no meaning with --via-pcluster, which exports all logs.")


def _print_events(  # noqa: PLR0913  what is asked for
    logs: LogReader, of: Period, grep: str | None, tail: int | None, *, follow: bool, as_json: bool
) -> None:
    from trainyard.cli.logs_output import event_printer

    show, most = event_printer(logs, as_json=as_json), _most(of, tail, follow=follow)
    number = 0
    try:
        with endless():
            for event in logs.follow(of, grep=grep, tail=most) if follow else logs.events(of, grep=grep, tail=most):
                show(event)
                number += 1
    except KeyboardInterrupt:
        sys.exit(0 if follow else 130)
    for stream, why in logs.unread.items():
        print_text(f"not read: {stream}: {why}", err=True)
    if number == 0 and tail != 0:
        from trainyard.cli.logs_output import nothing_found

        print_text(nothing_found(logs, of, grep), err=True)
    if most == number == _LAST and tail is None:
        print_text(f"these are the last {_LAST:,} events; --since or --tail shows more", err=True)


def _most(of: Period, tail: int | None, *, follow: bool) -> int | None:
    """Return how many events to print at first, or at all; None for all of them."""
    if tail is not None or of.since_ms is not None:
        return tail
    return _LAST_BEFORE_FOLLOWING if follow else _LAST


def _export(  # noqa: PLR0913  what is asked for
    logs: LogReader, of: Period, file: Path, *, force: bool, redact: bool, as_json: bool
) -> None:
    with interruptible(f"{file} was not written"):
        done = logs.export(of, file, force=force, redact=redact, report=_progress())
    if as_json:
        print_json({**done._asdict(), "file": str(done.file)})
        return
    print_text(f"wrote {file}: {count_text(done.events, 'event')} of {count_text(done.streams, 'stream')}")
    sentence = (
        f"and {count_text(done.stack_events, 'event')} of the stack"
        if done.left_out is None
        else f"no events of the stack: {done.left_out}"
    )
    print_text(sentence)
    if done.containers or done.kubernetes_left_out:
        print_text(f"and {count_text(done.container_lines, 'line')} of {count_text(done.containers, 'container')}")
    if done.kubernetes_left_out:
        print_text(f"of Kubernetes not all: {done.kubernetes_left_out}")


def _export_with_pcluster(  # noqa: PLR0913  what is asked for
    name: str, where: Account, of: Period, file: Path, bucket: str | None, *, force: bool, redact: bool, as_json: bool
) -> None:
    from trainyard.api.logs import export_with_pcluster

    with interruptible(f"{file} was not written; what CloudWatch has put into the bucket stays there"):
        export_with_pcluster(name, where, bucket, of, file, force=force, redact=redact, report=reporter())
    if as_json:
        print_json({"file": str(file)})
    else:
        print_text(f"wrote {file}")


def _progress() -> Callable[[str], None]:
    """Return a function that shows progress on standard error: where nobody looks, only now and then."""
    report, calls = reporter(), iter(range(sys.maxsize))
    every = 1 if sys.stderr is not None and sys.stderr.isatty() else 50

    def show(line: str) -> None:
        if next(calls) % every == 0:
            report(line)

    return show
