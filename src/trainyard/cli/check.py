"""``trainyard check``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from trainyard.cli import suggestions
from trainyard.cli.output import reporter
from trainyard.cli.today import today

if TYPE_CHECKING:
    from trainyard.checking.spec_file import FileFindings

FORMATS = ("text", "json", "sarif", "github")


@click.command()
@click.argument("paths", metavar="PATH…", nargs=-1, required=True, shell_complete=suggestions.files)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How findings are printed.",
)
@click.option("--json", "format_", flag_value="json", help="The same as --format json.")
@click.option("--with-parallelcluster", is_flag=True, help="Also load the result with the real ParallelCluster.")
def command(paths: tuple[str, ...], format_: str, *, with_parallelcluster: bool) -> None:
    """Find what is wrong with specs, and with files of other tools, before it costs money.

    Reads each PATH, every file below it where it is a folder, or standard input for -. Whose file it is
    is told by its content; of a file that is not judged, the output says why. Needs no AWS account and no
    network, except that --with-parallelcluster makes an environment with aws-parallelcluster on first
    use (about 100 MB).

    \b
    Exit status: 0 no errors; 1 findings of severity error; 2 a file could not be
    read, or nothing was judged. The other files are checked all the same.

    \b
    Example:
      trainyard check cluster.yaml
      trainyard check --format github *.yaml
      trainyard check infrastructure/
      trainyard check --with-parallelcluster --json cluster.yaml
    """
    from trainyard.api.check import check_files
    from trainyard.cli.formats import PRINTERS

    checked = list(check_files(paths, with_parallelcluster=with_parallelcluster, report=reporter(), today=today()))
    PRINTERS[format_](checked)
    sys.exit(_exit_status(checked))


def _exit_status(checked: list[FileFindings]) -> int:
    unread = any(not (file.parsed or file.foreign or file.not_judged) for file in checked)
    if unread or all(checked_file.not_judged for checked_file in checked):
        return 2
    return 1 if any(checked_file.has_errors for checked_file in checked) else 0
