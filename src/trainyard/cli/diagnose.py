"""``trainyard diagnose``."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainyard.cli.options import account_options
from trainyard.cli.output import json_option, print_json, print_text, reporter
from trainyard.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.api.diagnose import Diagnosis

_EVERY_S = 2.0
_UNKNOWN_ERRORS = 3


@click.command()
@click.argument("source", metavar="SOURCE")
@account_options
@click.option(
    "--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where it had its own and no stack is left."
)
@click.option(
    "--all", "read_all", is_flag=True, help="Of a cluster: read all its logs, also when the cause is certain."
)
@click.option(
    "--node", "nodes", multiple=True, metavar="NODE", help="Only lines of this node: host name or instance id."
)
@click.option("--since", metavar="WHEN", help="Only lines from then on: 30m, 1h, 2d, or a time: 2026-05-06T13:25.")
@click.option("--until", metavar="WHEN", help="Only lines before then.")
@click.option("--report", "page", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Also write a page for whoever supports the cluster: FILE.html, or Markdown.")  # fmt: skip
@click.option("--force", is_flag=True, help="With --report: replace the file.")
@click.option("--redact/--no-redact", default=None, help="Give other names to accounts, machines, people and secrets."
              " Without either: in the page, and not on the terminal.")  # fmt: skip
@json_option
def command(  # noqa: PLR0913  one for each option
    source: str,
    *,
    region: str | None,
    profile: str | None,
    bucket: str | None,
    read_all: bool,
    nodes: tuple[str, ...],
    since: str | None,
    until: str | None,
    page: Path | None,
    force: bool,
    redact: bool | None,
    as_json: bool,
) -> None:
    """Say why something failed: the root cause, the lines that prove it, and what to do.

    SOURCE is a log, a folder of logs, an archive of them, - for standard input, or the name or spec file of a cluster,
    also of one that is gone. Of AWS Batch it says why jobs stay RUNNABLE, of EKS why nodes are missing and
    pods fail; as a log it also takes what `kubectl get events -o json` prints. What exists as a file is taken as a
    file, unless it is a spec. Archives are read as they are; nothing is unpacked to the disk.

    \b
    Exit status: 0 nothing is wrong that it knows; 1 something is; 2 SOURCE could
    not be read; 3 nothing is known of it, but lines of level error are there.

    \b
    Example:
      trainyard diagnose llm-p5-logs.tar.gz
      trainyard diagnose slurm-41.out
      trainyard diagnose cluster.yaml
      trainyard diagnose llm-p5 --region us-east-2
      journalctl -k | trainyard diagnose -
      trainyard diagnose logs/ --node ip-10-0-62-204 --since 2h --report ticket.html
    """
    from trainyard.api.diagnose import (
        diagnosis_values,
        has_errors,
        has_unknown_errors,
        redact_values,
        write_diagnosis,
    )

    if force and page is None:
        raise click.UsageError("--force has no meaning without --report.")
    diagnosis = _diagnosed(
        source, region=region, profile=profile, bucket=bucket, nodes=nodes, since=since, until=until, read_all=read_all
    )
    values = diagnosis_values(diagnosis)
    hidden = redact_values(values)
    if page is not None:
        write_diagnosis(values if redact is False else hidden, page, force=force)
    shown = hidden if redact else values
    if as_json:
        print_json(shown)
    else:
        from trainyard.cli.diagnose_output import print_diagnosis

        print_diagnosis(shown)
    if page is not None:
        print_text(f"written: {page}", err=True)
    sys.exit(1 if has_errors(diagnosis) else _UNKNOWN_ERRORS if has_unknown_errors(diagnosis) else 0)


def _diagnosed(  # noqa: PLR0913  what is asked for
    source: str,
    *,
    region: str | None,
    profile: str | None,
    bucket: str | None,
    nodes: tuple[str, ...],
    since: str | None,
    until: str | None,
    read_all: bool,
) -> Diagnosis:
    from trainyard.api.cluster_reference import cluster_reference, is_spec_file, names_file
    from trainyard.api.diagnose import diagnose_cluster, diagnose_files, line_filter

    selection = line_filter(since, until, nodes, time.time())
    is_file = not is_spec_file(source) and (source == "-" or Path(source).exists() or Path(source).is_symlink())
    if is_file:
        if region is not None:
            print_text(f"{source} is here, so it is read and not a cluster", err=True)
        if read_all:
            raise click.UsageError("--all has no meaning for a file or folder: all of it is read.")
        return diagnose_files(source, selection, _progress())
    missing = f"there is no file or folder {source}"
    if names_file(source) and not is_spec_file(source):
        raise InputError(missing, where=source, hint="check the path; names of clusters have no dot and no slash")
    try:
        cluster = cluster_reference(source, region, profile)
    except InputError as error:
        if error.where != "--region" or names_file(source):
            raise
        raise InputError(f"{missing}, and {error.problem} the cluster is in", where=source, hint=error.hint) from error
    print_text(f"the cluster {cluster.name} in {cluster.account.region}", err=True)
    return diagnose_cluster(
        cluster.name, cluster.account, selection, bucket=bucket or cluster.bucket, read_all=read_all,
        report=_progress(),
    )  # fmt: skip


def _progress() -> Callable[[str], None]:
    """Return a function that shows on standard error how far a long reading is, now and then."""
    report = reporter()
    shown_at_s: float | None = None

    def show(line: str) -> None:
        nonlocal shown_at_s
        now_s = time.monotonic()
        if shown_at_s is None:  # what was loaded before this is no part of the reading
            shown_at_s = now_s
        elif now_s - shown_at_s >= _EVERY_S:
            shown_at_s = now_s
            report(line)

    return show
