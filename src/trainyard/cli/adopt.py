"""``trainyard adopt``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.options import account_options
from trainyard.cli.output import json_option, print_json, print_plain, print_text
from trainyard.errors import InputError
from trainyard.foreign_text import one_line

if TYPE_CHECKING:
    from trainyard.api.adopt import Adoption


@click.command()
@click.argument("file", required=False, shell_complete=suggestions.files)
@click.option("--cluster", metavar="NAME", help="Adopt this cluster, which runs, instead of a file.")
@click.option("--name", metavar="NAME", help="Name of the cluster that FILE is for. Default: after the file.")
@account_options
@click.option("-o", "--output", metavar="SPEC", type=click.Path(dir_okay=False, path_type=Path), help="Write it here.")
@click.option("--force", is_flag=True, help="Replace SPEC if it exists.")
@json_option
def command(  # noqa: PLR0913  one for each option
    file: str | None, cluster: str | None, name: str | None, region: str | None, profile: str | None,
    *, output: Path | None, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Make a spec of a configuration of ParallelCluster or eksctl, or of a cluster that runs.

    The spec renders the same configuration: what none of its keys says goes to its overlay, and what still differs is
    listed. FILE may be - for standard input. Of a cluster of ParallelCluster, the configuration is read from the
    bucket in which ParallelCluster keeps it; of one of Amazon EKS, AWS is asked. Nothing in the account is changed.

    \b
    Example:
      trainyard adopt cluster-config.yaml --name llm-p5 -o llm-p5.yaml
      trainyard adopt eksctl.yaml -o llm-eks.yaml
      trainyard adopt --cluster llm-p5 --region us-east-2 -o llm-p5.yaml
    """
    from trainyard.edge.new_file import write_new_file

    adoption = _adoption(file, cluster, name, region, profile)
    if output is not None:
        write_new_file(output, adoption.spec, force=force)
    if as_json:
        print_json({**_values(adoption), "file": None if output is None else str(output)})
    elif output is None:
        print_plain(adoption.spec, end="")
    else:
        _tell(adoption, one_line(str(output)))


def _adoption(
    file: str | None, cluster: str | None, name: str | None, region: str | None, profile: str | None
) -> Adoption:
    from trainyard.api.adopt import adopt_cluster, adopt_file
    from trainyard.api.cluster_reference import account_in

    if (file is None) == (cluster is None):
        raise InputError("name a file or --cluster, one of the two", where="adopt", hint="see trainyard adopt --help")
    if file is not None:
        return adopt_file(file, name, region)
    if name is not None:
        raise InputError("a cluster has its name already", where="--name", hint="leave --name out")
    return adopt_cluster(str(cluster), account_in(region, profile))


def _values(adoption: Adoption) -> dict[str, Any]:
    return {
        "source": adoption.source,
        "platform": adoption.platform,
        "name": adoption.name,
        "equal": not adoption.differences,
        "overlay": list(adoption.overlay),
        "differences": [difference._asdict() for difference in adoption.differences],
        "placeholders": [placeholder._asdict() for placeholder in adoption.placeholders],
        "spec": adoption.spec,
    }


def _tell(adoption: Adoption, file: str) -> None:
    count, overlay = len(adoption.differences), len(adoption.overlay)
    same = "the same configuration" if not count else f"a configuration with {count} difference{'s' * (count > 1)}"
    print_text(f"{file} written; it renders {same}, with {overlay} key{'s' * (overlay != 1)} in its overlay")
    for difference in adoption.differences:
        print_text(f"  differs: {difference.path}: {difference.adopted} becomes {difference.rendered}")
    for placeholder in adoption.placeholders:
        print_text(f"  to be replaced: {placeholder.name} in line {placeholder.line}, {placeholder.path}")
    print_text(f"next: trainyard check {file}")
