"""``trainyard versions suggest``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from trainyard.cli import suggestions
from trainyard.cli.output import json_option, print_json, print_text, styled
from trainyard.cli.versions_check import print_incompatibilities, type_option

if TYPE_CHECKING:
    from trainyard.api.versions import VersionSuggestion


@click.command()
@click.argument("sources", metavar="[NAME|NAME=VERSION|FILE]…", nargs=-1, shell_complete=suggestions.files)
@type_option
@json_option
def command(sources: tuple[str, ...], instance_types: tuple[str, ...], *, as_json: bool) -> None:
    """Say which versions complete a set, or which of it exclude one another.

    NAME=VERSION and FILE give versions, as in `trainyard versions check`; NAME asks for one. Without a NAME,
    versions of the EFA installer, driver, CUDA, NCCL and its plugin are chosen: the newest ones that no known
    case excludes, only from versions that this trainyard knows. That does not prove that somebody has tried them.

    \b
    Exit status: 0 there is a set; 1 no set is left; 2 a component, a version or a
    file is not known.

    \b
    Example:
      trainyard versions suggest --on p5.48xlarge
      trainyard versions suggest nccl aws-ofi-nccl cuda=12.9.1 --on p6-b200.48xlarge
      trainyard versions suggest cluster.yaml nccl --json
    """
    from trainyard.api.versions import suggest_versions

    suggestion = suggest_versions(sources, instance_types)
    if as_json:
        _print_json(suggestion)
    else:
        _print_lines(suggestion)
    sys.exit(1 if suggestion.completion.reasons else 0)


def _print_json(suggestion: VersionSuggestion) -> None:
    from trainyard.compatibility.judgement import versions_json

    print_json(
        {
            "versions": versions_json(suggestion.completion.versions),
            "instance_types": list(suggestion.instance_types),
            "unknown": list(suggestion.completion.unknown),
            "excluded": list(suggestion.completion.reasons),
            "incompatible": [one.as_json() for one in suggestion.incompatibilities],
            "notes": list(suggestion.notes),
        }
    )


def _print_lines(suggestion: VersionSuggestion) -> None:
    from trainyard.catalog.version_conflicts import components

    for name, version in suggestion.completion.versions.items():
        print_text(f"{components()[name].title:22} {version.shown:26} {styled(version.origin, dim=True)}")
    for name in suggestion.completion.unknown:
        print_text(f"{components()[name].title:22} unknown: this trainyard knows no version of it")
    if suggestion.completion.reasons:
        print_text(styled("no set of known versions is left, because", bold=True))
    for reason in suggestion.completion.reasons:
        print_text(f"  {reason}")
    print_incompatibilities(suggestion.incompatibilities)
    for note in suggestion.notes:
        print_text(f"{styled('note', bold=True)}: {note}")
