"""``trainyard rehearse``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.interrupting import interruptible
from trainyard.cli.output import counted, finding_text, json_option, one_line, print_json, print_text
from trainyard.cli.watching import watcher

if TYPE_CHECKING:
    from trainyard.finding import Finding


@click.command()
@click.argument("spec", metavar="SPEC", shell_complete=suggestions.files)
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where the report goes. Default: build/NAME-rehearsal.",
)
@click.option("--force", is_flag=True, help="Replace a DIR that trainyard did not make; it is moved aside.")
@json_option
def command(spec: str, folder: Path | None, *, force: bool, as_json: bool) -> None:
    """Deploy a spec into an emulated AWS account on this machine, and destroy it again.

    The real aws-parallelcluster validates, synthesises and creates; the account is an emulation. Needs no AWS
    account, no network (but for the first time, when ParallelCluster is installed) and no Docker.
    Writes rehearsal.json and rehearsal.html.

    \b
    Exit status: 0 all went well and nothing was left behind; 1 something went wrong.

    \b
    Example:
      trainyard rehearse cluster.yaml
    """
    from trainyard.api.rehearse import rehearse_file, write_report

    with interruptible("the emulated account is gone, and nothing is left of it"):
        checked, result = rehearse_file(spec, watcher())
    if result is None:
        _print_refused(checked.findings, as_json=as_json)
        sys.exit(1)
    written = write_report(result, folder, force=force)
    if as_json:
        print_json({name: value for name, value in result.items() if name != "schema"})
    else:
        _print(result)
        print_text(one_line(f"the whole report: {written / 'rehearsal.html'}"), err=True)
    sys.exit(0 if result["ok"] else 1)


def _print_refused(findings: tuple[Finding, ...], *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": False, "steps": [], "findings": [finding._asdict() for finding in findings]})
        return
    for finding in findings:
        print_text(finding_text(finding), err=True)
    print_text(f"nothing was rehearsed: {counted(findings)}", err=True)


def _print(result: dict[str, Any]) -> None:
    from trainyard.api.rehearse import report_summary

    print_text(report_summary(result))
