"""``trainyard versions check``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from trainyard.cli import suggestions
from trainyard.cli.output import finding_text, json_option, print_json, print_text, severity_counts, styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainyard.api.versions import VersionCheck
    from trainyard.compatibility.judgement import Incompatibility

type_option = click.option(
    "--on",
    "instance_types",
    metavar="TYPE",
    multiple=True,
    shell_complete=suggestions.instance_types,
    help="Instance type that the versions meet on. May be given more than once.",
)
"""Adds ``--on`` to a command."""


@click.command()
@click.argument("sources", metavar="NAME=VERSION|FILE…", nargs=-1, required=True, shell_complete=suggestions.files)
@type_option
@json_option
def command(sources: tuple[str, ...], instance_types: tuple[str, ...], *, as_json: bool) -> None:
    """Say which of a set of versions do not go together, and who says so.

    Versions come from the command line, and from what is printed by `trainyard-node versions --json`,
    `docker inspect IMAGE`, `env` in a container or NCCL with NCCL_DEBUG=INFO, or from a spec; - is standard
    input. A later one replaces a former one, and NAME=VERSION replaces what files say. Every case has its
    source, the day when it was read, and the kind of evidence. No case is no proof that somebody has tried it.

    \b
    Exit status: 0 no errors; 1 versions that do not go together; 2 a component, a
    version or a file is not known.

    \b
    Example:
      trainyard versions check nccl=2.28.3 aws-ofi-nccl=1.17.2 efa=1.47.0 --on p5.48xlarge
      trainyard versions check node.json image.json nccl=2.28.9-1 --json
      docker inspect my-image | trainyard versions check - driver=580.126.20 --on p6-b200.48xlarge
    """
    from trainyard.api.versions import check_versions

    check = check_versions(sources, instance_types)
    if as_json:
        _print_json(check)
    else:
        _print_lines(check)
    sys.exit(1 if check.has_errors else 0)


def print_incompatibilities(incompatibilities: Sequence[Incompatibility]) -> None:
    """Print each case on a line, and on another one who says so."""
    from trainyard.catalog.version_conflicts import source_of

    for one in incompatibilities:
        print_text(finding_text(one.finding()))
        source = source_of(one.conflict)
        evidence = one.conflict.evidence.replace("-", " ")
        print_text(f"  {one.case}: {evidence}, {one.conflict.confidence}, {source.url}, read on {source.read}")


def _print_json(check: VersionCheck) -> None:
    from trainyard.compatibility.judgement import versions_json

    print_json(
        {
            "versions": versions_json(check.versions),
            "instance_types": list(check.instance_types),
            "incompatible": [one.as_json() for one in check.incompatibilities],
            "notes": list(check.notes),
        }
    )


def _print_lines(check: VersionCheck) -> None:
    from trainyard.catalog.version_conflicts import components

    for name, version in check.versions.items():
        print_text(f"{components()[name].title:22} {version.shown:26} {styled(version.origin, dim=True)}")
    print_incompatibilities(check.incompatibilities)
    for note in check.notes:
        print_text(f"{styled('note', bold=True)}: {note}")
    findings = [one.finding() for one in check.incompatibilities]
    print_text(severity_counts(findings) if findings else "no known case is against this set")
