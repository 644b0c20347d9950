"""``trainyard rehearse``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.interrupts import interruptible
from trainyard.cli.output import finding_text, json_option, print_json, print_lines, print_text, severity_counts
from trainyard.cli.progress import watcher

if TYPE_CHECKING:
    from trainyard.finding import Finding


@click.command()
@click.argument("spec", metavar="[SPEC|NAME]", required=False, shell_complete=suggestions.files)
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where the report goes. Default: build/NAME-rehearsal.",
)
@click.option(
    "--archive",
    metavar="FILE.tar.gz",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep logs and events of the deployment for `trainyard diagnose`.",
)
@click.option(
    "--environment",
    metavar="FILE",
    type=click.Path(),
    help="Spec of the environment that the cluster is in, which is made before it.",
)
@click.option(
    "--break", "breakdown", metavar="WHAT", help="Let one thing go wrong on purpose; --break list names them."
)
@click.option(
    "--force",
    is_flag=True,
    help="Replace a DIR that trainyard did not make, which is moved aside, and the FILE of --archive.",
)
@click.option("--keep", is_flag=True, help="Leave the account up, with what was deployed, for any other command.")
@click.option("--as", "name", metavar="NAME", help="With --keep: what it is called. Default: the name of the spec.")
@click.option("--list", "lists", is_flag=True, help="List the rehearsals that are kept, with their age.")
@click.option("--stop", "stops", is_flag=True, help="End the kept rehearsal NAME; nothing is left of it.")
@click.option("--all", "stops_all", is_flag=True, help="With --stop: end all that are kept.")
@json_option
def command(  # noqa: PLR0913  one for each option
    spec: str | None,
    *,
    folder: Path | None,
    archive: Path | None,
    environment: str | None,
    breakdown: str | None,
    force: bool,
    keep: bool,
    name: str | None,
    lists: bool,
    stops: bool,
    stops_all: bool,
    as_json: bool,
) -> None:
    """Deploy a spec into an emulated AWS account on this machine, and destroy it again.

    The real aws-parallelcluster validates, synthesises and creates; the account is an emulation, and on Amazon EKS so
    are eksctl, kubectl and Kubernetes. Needs no AWS account, no network (but for the first time, when ParallelCluster
    is installed) and no Docker.
    Writes rehearsal.json and rehearsal.html.

    With --break something fails that really happens: the deployment, and the logs in the --archive, are then what they
    would be. It is how to practise `trainyard diagnose`.

    With --keep the account stays up, and standard output has the variables that lead a shell there: status, logs,
    connect, nodes, plan, deploy, destroy and diagnose then ask it in place of AWS, and say so. NAME is one that is
    kept: alone it prints the variables again, with --break something fails there from now on (--break nothing mends
    it), and --stop ends it. One that is not asked for a day ends by itself.

    \b
    Exit status: 0 all went well and nothing was left behind; 1 something went wrong.

    \b
    Example:
      trainyard rehearse cluster.yaml
      trainyard rehearse cluster.yaml --environment use2.yaml
      trainyard rehearse --break list
      trainyard rehearse cluster.yaml --break no-capacity --archive logs.tar.gz
      eval "$(trainyard rehearse cluster.yaml --keep)"
      trainyard rehearse llm-p5 --break fabric-manager
      trainyard rehearse llm-p5 --stop
    """
    from trainyard.api.cluster_reference import names_file
    from trainyard.api.rehearse import refuse_folder, rehearse_file, write_report
    from trainyard.cli import rehearse_kept

    _refuse_contradictions(locals())
    if breakdown == "list":
        _print_breakdowns(as_json=as_json)
        return
    if lists:
        rehearse_kept.print_list(as_json=as_json)
        return
    if stops:
        rehearse_kept.stop_kept(spec, every=stops_all, as_json=as_json)
        return
    if spec is None:
        raise click.MissingParameter(param_hint="'SPEC'", param_type="argument")
    if keep:
        with interruptible("the emulated account is gone, and nothing is left of it"):
            sys.exit(rehearse_kept.keep(spec, name, environment=environment, breakdown=breakdown, as_json=as_json))
    if not names_file(spec):
        rehearse_kept.use_kept(spec, breakdown, as_json=as_json)
        return
    if folder is not None:
        refuse_folder(folder, force=force)
    with interruptible("the emulated account is gone, and nothing is left of it"):
        checked, result = rehearse_file(
            spec, watcher(), archive=archive, force=force, breakdown=breakdown, environment=environment
        )
    if result is None:
        print_refused(checked.findings, as_json=as_json)
        sys.exit(1)
    written = write_report(result, folder, force=force)
    if as_json:
        print_json({name: value for name, value in result.items() if name != "schema"})
    else:
        _print(result)
        print_text(f"the whole report: {written / 'rehearsal.html'}", err=True)
        _print_next(result, spec)
    sys.exit(0 if result["ok"] else 1)


def _refuse_contradictions(options: dict[str, Any]) -> None:
    """Raise UsageError for options that mean nothing together."""
    for option, needs in (("name", "keep"), ("stops_all", "stops")):
        if options[option] and not options[needs]:
            words = {"name": "--as", "stops_all": "--all", "keep": "--keep", "stops": "--stop"}
            raise click.UsageError(f"{words[option]} has no meaning without {words[needs]}.")
    way = next((word for word in ("keep", "lists", "stops") if options[word]), None)
    if way is None:
        return
    words = {"keep": "--keep", "lists": "--list", "stops": "--stop"}
    others = ["folder", "archive", "force", *(() if way == "keep" else ("environment", "breakdown", "keep"))]
    if beside := next((other for other in others if options[other]), None):
        word = {"folder": "--output", "breakdown": "--break"}.get(beside, f"--{beside}")
        raise click.UsageError(f"{word} has no meaning with {words[way]}.")


def print_refused(findings: tuple[Finding, ...], *, as_json: bool) -> None:
    """Print why nothing was rehearsed."""
    if as_json:
        print_json({"ok": False, "steps": [], "findings": [finding.as_json() for finding in findings]})
        return
    for finding in findings:
        print_text(finding_text(finding), err=True)
    print_text(f"nothing was rehearsed: {severity_counts(findings)}", err=True)


def _print_breakdowns(*, as_json: bool) -> None:
    from trainyard.api.rehearse import what_can_break_down

    breakdowns = what_can_break_down()
    if as_json:
        print_json({"breakdowns": [{"name": name, "what": what} for name, what in breakdowns.items()]})
        return
    width = max(map(len, breakdowns))
    for name, what in breakdowns.items():
        print_text(f"{name:<{width}}  {what}")


def _print_next(result: dict[str, Any], spec: str) -> None:
    """Say where the logs are, and how to find out from them what went wrong."""
    archive, breakdown = result["archive"], result["breakdown"]
    if archive is not None:
        print_text(f"logs and events of the deployment: {archive}", err=True)
    failed = any(step["status"] == "failed" for step in result["steps"])
    if breakdown is not None and not failed:
        print_text(
            f"no step failed of {breakdown}: nodes alone did, which their logs tell, or this spec needs nothing of it",
            err=True,
        )
    if failed or breakdown is not None:
        if archive is None:
            print_text(f"next: trainyard rehearse {shlex.quote(spec)} --archive logs.tar.gz", err=True)
        print_text(f"next: trainyard diagnose {shlex.quote(archive or 'logs.tar.gz')}", err=True)


def _print(result: dict[str, Any]) -> None:
    from trainyard.api.rehearse import report_summary

    print_lines(report_summary(result))
