"""``trainyard diagnose``."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainyard.cli.options import profile_option
from trainyard.cli.output import json_option, print_json, print_text, reporter
from trainyard.errors import InputError
from trainyard.foreign_text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.api.diagnose import Diagnosis

_EVERY_S = 2.0


@click.command()
@click.argument("source", metavar="SOURCE")
@click.option("--region", metavar="REGION", help="AWS region, where SOURCE is the name of a cluster.")
@profile_option
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
@click.option("--report", "page", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.md",
              help="Also write a page for whoever supports the cluster.")  # fmt: skip
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

    SOURCE is a log, a folder of logs, an archive of them, - for standard input, or, with --region, the name of a
    cluster, also of one that is gone. Of AWS Batch it says why jobs stay RUNNABLE, of EKS why nodes are missing and
    pods fail; as a log it also takes what `kubectl get events -o json` prints. What exists as a file is taken as a
    file. Archives are read as they are; nothing is unpacked to the disk.

    \b
    Exit status: 0 nothing is wrong that it knows; 1 something is; 2 SOURCE could
    not be read.

    \b
    Example:
      trainyard diagnose llm-p5-logs.tar.gz
      trainyard diagnose slurm-41.out
      trainyard diagnose llm-p5 --region us-east-2
      journalctl -k | trainyard diagnose -
      trainyard diagnose logs/ --node ip-10-0-62-204 --since 2h --report ticket.md
    """
    from trainyard.api.diagnose import diagnosis_values, has_errors, redact_values, write_diagnosis

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
        print_text(one_line(f"written: {page}"), err=True)
    sys.exit(1 if has_errors(diagnosis) else 0)


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
    from trainyard.api.diagnose import diagnose_cluster, diagnose_files, line_filter

    selection = line_filter(since, until, nodes, time.time())
    is_file = source == "-" or Path(source).exists() or Path(source).is_symlink()
    if not is_file and region is None:
        hint = "check the path; for a cluster of that name, add --region"
        raise InputError(f"there is no file or folder {source}", where=source, hint=hint)
    if region is not None:
        taken = f"{source} is here, so it is read and not a cluster" if is_file else f"the cluster {source} in {region}"
        print_text(one_line(taken), err=True)
    if is_file and read_all:
        raise click.UsageError("--all has no meaning for a file or folder: all of it is read.")
    if is_file:
        return diagnose_files(source, selection, _progress())
    from trainyard.api.deploy import account

    return diagnose_cluster(
        source, account(region or "", profile), selection, bucket=bucket, read_all=read_all, report=_progress()
    )


def _progress() -> Callable[[str], None]:
    """Return a function that shows on standard error how far a long reading is, now and then."""
    report, shown_at = reporter(), [time.monotonic()]

    def show(line: str) -> None:
        if time.monotonic() - shown_at[0] >= _EVERY_S:
            shown_at[0] = time.monotonic()
            report(line)

    return show
