"""``trainyard check``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from trainyard.cli import suggestions
from trainyard.cli.output import reporter
from trainyard.cli.today import today
from trainyard.counts import count_text

if TYPE_CHECKING:
    from trainyard.checking.spec_file import FileFindings

FORMATS = ("text", "json", "sarif", "github", "gitlab")


_WITH_VERSION = ("--with-parallelcluster", "--with-kubernetes")


class CheckCommand(click.Command):
    """A command with an option whose value may be left out without the next word being taken for it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Write the value that stands for none behind the option where it has none."""
        return super().parse_args(ctx, [f"{arg}=" if arg in _WITH_VERSION else arg for arg in args])


@click.command(cls=CheckCommand)
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
@click.option(
    "--with-parallelcluster",
    metavar="[=VERSION]",
    callback=lambda _ctx, _param, version: version and _known(version),
    help="Also load specs, as they render, and configurations of ParallelCluster with the real ParallelCluster: with "
    "VERSION, or with the one that a spec names and the newest for other files.",
)
@click.option("--with-cfn-lint", is_flag=True, help="Also let cfn-lint judge templates of CloudFormation.")
@click.option(
    "--with-kubernetes",
    metavar="[=VERSION]",
    callback=lambda _ctx, _param, version: version if version is None else _kubernetes(version),
    help="Also hold manifests against the schemas of Kubernetes, of VERSION or the newest, and those of JobSet, Kueue, "
    "MPIJob, PyTorchJob and TrainJob.",
)
@click.option(
    "--update-from",
    metavar="OLD",
    shell_complete=suggestions.files,
    help="Also say what no update changes of a cluster that was made of OLD: a spec or a configuration of "
    "ParallelCluster, as PATH is. Its own policies are asked, of the version of --with-parallelcluster.",
)
@click.option("--baseline", metavar="FILE", help="Leave out the findings that this file lists.")
@click.option("--write-baseline", metavar="FILE", help="Write all findings into this file, for --baseline, and end.")
@click.option("--skip-unknown", is_flag=True, help="Say nothing of files that are not judged; they are no error then.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and do nothing else.")
@click.option("--fix", is_flag=True, help="Put right what has one right answer: show the change, ask, and write it.")
@click.option("--yes", is_flag=True, help="With --fix, do not ask.")
def command(  # noqa: PLR0913, PLR0917  as many as the command line has
    paths: tuple[str, ...],
    format_: str,
    with_parallelcluster: str | None,
    with_kubernetes: str | None,
    baseline: str | None,
    write_baseline: str | None,
    update_from: str | None,
    *,
    with_cfn_lint: bool,
    skip_unknown: bool,
    diff: bool,
    fix: bool,
    yes: bool,
) -> None:
    """Find what is wrong with specs, and with files of other tools, before it costs money.

    Reads each PATH, every file below it where it is a folder, or standard input for -. Whose file it is
    is told by its content; of a file that is not judged, the output says why. Needs no AWS account and no
    network, except that --with-parallelcluster makes an environment with aws-parallelcluster on first
    use (about 100 MB). --with-cfn-lint and --with-kubernetes need trainyard[judges].

    \b
    Exit status: 0 no errors; 1 findings of severity error; 2 a file could not be
    read, or nothing was judged. The other files are checked all the same.
    With --diff: 1 where --fix would change something, else 0.

    \b
    Example:
      trainyard check cluster.yaml
      trainyard check --format github *.yaml
      trainyard check infrastructure/
      trainyard check --with-cfn-lint --with-kubernetes=1.34 infrastructure/
      trainyard check --fix infrastructure/
      trainyard check --baseline known.json infrastructure/
      trainyard check --with-parallelcluster --json cluster.yaml
      trainyard check --with-parallelcluster=3.15.1 cluster-config.yaml
      trainyard check --update-from old-cluster.yaml cluster.yaml
    """
    from trainyard.api.check import check_files
    from trainyard.cli.formats import PRINTERS

    if diff or fix:
        from trainyard.cli.check_fixes import show_fixes, write_shown_fixes

        fixed = show_fixes(paths, err=not diff)
        if diff:
            sys.exit(bool(fixed))
        write_shown_fixes(fixed, ask=not yes)
    known = None
    if baseline is not None:
        from trainyard.checking.baseline import read_baseline, without_known

        known = read_baseline(baseline)
    checked = list(
        check_files(
            paths,
            with_parallelcluster=with_parallelcluster is not None,
            parallelcluster_version=with_parallelcluster or None,
            with_cfn_lint=with_cfn_lint,
            kubernetes_version=with_kubernetes,
            report=reporter(),
            today=today(),
            update_from=update_from,
        )
    )
    if skip_unknown:
        checked = [file for file in checked if file.not_judged is None]
    if write_baseline is not None:
        from trainyard.api.check import write_baseline as write
        from trainyard.cli.output import print_text

        print_text(
            f"{count_text(write(write_baseline, checked), 'finding is', 'findings are')} in {write_baseline} now"
        )
        return
    if known is not None:
        checked = list(without_known(checked, known))
    PRINTERS[format_](checked)
    sys.exit(_exit_status(checked))


def _known(version: str) -> str:
    from trainyard.edge.pcluster_environment import known_versions

    if version not in known_versions():
        raise click.BadParameter(f"{version!r} is not among the locked versions {', '.join(known_versions())}")
    return version


def _kubernetes(version: str) -> str:
    from trainyard.checking.kubernetes_schema import checked_version

    return checked_version(version or None)


def _exit_status(checked: list[FileFindings]) -> int:
    unread = any(file.findings and not (file.parsed or file.foreign or file.not_judged) for file in checked)
    if unread or (checked and all(checked_file.not_judged for checked_file in checked)):
        return 2
    return 1 if any(checked_file.has_errors for checked_file in checked) else 0
