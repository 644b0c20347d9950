"""``trainyard lab up``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from trainyard.cli import suggestions
from trainyard.cli.output import finding_text, json_option, print_json, print_text, reporter


@click.command()
@click.argument("spec", metavar="SPEC", shell_complete=suggestions.files)
@click.option("--as", "name", metavar="NAME", help="Name of the lab, and of its cluster in Slurm. Default: the spec's.")
@click.option("--root", type=click.Path(path_type=Path), metavar="FOLDER", help="A folder with another Debian, as "
              "debootstrap makes it, whose newer Slurm is run. Takes root.")  # fmt: skip
@click.option("--share", "share", type=click.Path(exists=True, file_okay=False), multiple=True, metavar="FOLDER",
              help="With --root, a folder that jobs see too, such as one with their programs; may be repeated. They "
              "see this folder, your home and /tmp.")  # fmt: skip
@click.option("--nodes", "most_nodes", type=click.IntRange(1, 2000), metavar="N", help="At most so many of each kind "
              "of nodes. Default: as many as the spec has.")  # fmt: skip
@click.option("--idle", "idle_s", type=click.IntRange(10, 86400), default=600, show_default=True, metavar="SECONDS",
              help="A dynamic node that is idle for so long stops.")  # fmt: skip
@click.option("--accounting/--no-accounting", default=None, help="Keep account of jobs, with slurmdbd and a MariaDB of "
              "the lab's own, so that sacct answers. Default: where the spec has accounting.")  # fmt: skip
@click.option("--metrics/--no-metrics", default=False, help="Serve what exporters would say of the nodes, with "
              "simulated GPUs, and start a Prometheus and the page of dashboards. Default: neither.")  # fmt: skip
@json_option
def command(  # noqa: PLR0913  one for each option
    *,
    spec: str,
    name: str | None,
    root: Path | None,
    share: tuple[str, ...],
    most_nodes: int | None,
    idle_s: int,
    accounting: bool | None,
    metrics: bool,
    as_json: bool,
) -> None:
    """Start the Slurm of the file SPEC on this machine, and wait until its nodes are idle.

    Prints what a shell needs to use it. It takes slurmctld, slurmd and munged of
    this machine, or of another Debian with --root; what the spec's version of
    ParallelCluster ships may be newer. Nodes that do not answer are down after
    10 s, or 30 s in a lab of 1,000 nodes, instead of three minutes.

    \b
    Exit status: 0 fine, 1 the spec has errors or the lab does not come up,
    2 the command line is wrong, or Slurm is not there.

    \b
    Example:
      eval "$(trainyard lab up cluster.yaml)"
      sbatch --nodes 2 job.sh
      trainyard lab up cluster.yaml --nodes 64 --root /srv/trixie
    """
    from trainyard.api.lab import start_lab

    started = start_lab(
        spec, reporter(), name=name, root=None if root is None else str(root), share=share, most_nodes=most_nodes,
        idle_s=idle_s, accounting=accounting, metrics=metrics,
    )  # fmt: skip
    lab = started.lab
    if lab is None:
        findings = started.checked.findings
        if as_json:
            print_json({"ok": False, "findings": [finding.as_json() for finding in findings]})
        else:
            for finding in findings:
                print_text(finding_text(finding), err=True)
        click.get_current_context().exit(1)
    if as_json:
        nodes = [node._asdict() for node in lab.nodes]
        values = {"name": lab.name, "folder": str(lab.folder), "slurm": started.version, "variables": lab.variables}
        print_json({**values, "addresses": dict(lab.addresses), "nodes": nodes})
        return
    for variable, value in lab.variables.items():
        print_text(f"export {variable}={shlex.quote(value)}")
    for what, url in lab.addresses.items():
        print_text(f"{what}: {url}", err=True)
    print_text(
        f"lab {lab.name} is up, with Slurm {started.version}: next sbatch, sinfo or trainyard lab break", err=True
    )
