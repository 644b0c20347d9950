"""How a node that runs already is told of a new release, and what is said where it has to be."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shlex import quote

from trainyard.deploy.work import folder
from trainyard.finding import Finding
from trainyard.finding_kinds import FindingKind, finding_of, kinds_beside


def kinds() -> Mapping[str, FindingKind]:
    """Return the kinds by their ids."""
    return kinds_beside(Path(__file__))


def command_to_tell(region: str, bucket: str, name: str) -> str:
    """Return the command that lets a node run what is published, as the cluster's own user types it there.

    ParallelCluster runs the launcher so too: with the folder that it lies in as its only argument. Others than that
    user and root have no credentials of the node, and root does not find the command line on all systems. It is no
    pipe, whose status would be that of a shell without anything to do where nothing could be fetched.
    https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#HeadNode-v3-Imds
    """
    place = f"s3://{bucket}/{folder(name)}"
    launcher = quote(f"{place}/launch.sh")
    return f'F=$(mktemp) && aws s3 cp --region {quote(region)} {launcher} "$F" && sudo bash "$F" {quote(place)}'


def not_told(id_: str, message: str, remedy: str, file: str) -> Finding:
    """Return a finding of a kind."""
    return finding_of(kinds(), id_, message, remedy, file=file)
