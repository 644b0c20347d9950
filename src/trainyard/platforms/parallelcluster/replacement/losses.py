"""What a cluster of ParallelCluster has that the one which takes over from it would not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.deploy.replacement_loss import ReplacementLoss

_HOME = "/home"
# Where each kind of storage has the id of what exists:
# https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html
_IDS = ("FileSystemId", "VolumeId", "FileCacheId")


def losses(former: Mapping[str, Any], successor: Mapping[str, Any]) -> Iterator[ReplacementLoss]:
    """Yield what is lost between the configurations of two clusters."""
    yield from _lost_storage(_storage(former), _storage(successor))
    yield from _lost_accounting(_slurm(former), _slurm(successor))
    queues = {queue["Name"] for queue in successor["Scheduling"]["SlurmQueues"]}
    for queue in former["Scheduling"]["SlurmQueues"]:
        if (name := queue["Name"]) not in queues:
            what = f"queue {name}, to which nobody could submit any more"
            yield ReplacementLoss(name, what, "give the new spec a queue of this name")


def _storage(config: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the file system of each mount point; None where it is ParallelCluster's own and goes with its cluster."""
    return {entry["MountDir"]: _id(entry) for entry in config.get("SharedStorage") or ()}


def _id(entry: Mapping[str, Any]) -> str | None:
    settings = [section for key, section in entry.items() if key.endswith("Settings") and section]
    return next((section[key] for section in settings for key in _IDS if section.get(key)), None)


def _lost_storage(former: Mapping[str, str | None], successor: Mapping[str, str | None]) -> Iterator[ReplacementLoss]:
    if _HOME not in former:
        yield ReplacementLoss(
            _HOME,
            "/home on the root volume of its head node, which goes with it",
            "copy what people have there to a file system that both clusters mount",
        )
    for mount, id_ in former.items():
        if id_ is None:
            yield ReplacementLoss(
                mount,
                f"{mount}, which ParallelCluster has made and which is its cluster's own",
                "copy its files to a file system that both clusters mount",
            )
        elif successor.get(mount) != id_:
            there = successor.get(mount) or "another file system or none"
            yield ReplacementLoss(
                mount,
                f"{mount} is {id_}, and {there} in the new spec",
                f"mount it there: id: {id_}, or id: environment",
            )


def _slurm(config: Mapping[str, Any]) -> Mapping[str, Any]:
    settings: Mapping[str, Any] = config["Scheduling"].get("SlurmSettings") or {}
    return settings


def _lost_accounting(former: Mapping[str, Any], successor: Mapping[str, Any]) -> Iterator[ReplacementLoss]:
    """Yield accounting that does not stay: only a slurmdbd of its own keeps that of several clusters.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-accounting-v3.html
    https://github.com/aws/aws-parallelcluster/issues/6214
    """
    shared = former.get("ExternalSlurmdbd")
    if shared and successor.get("ExternalSlurmdbd") != shared:
        yield ReplacementLoss(
            "accounting",
            f"accounting by the slurmdbd at {shared['Host']}",
            "name the same slurmdbd in parallelcluster.slurm.accounting, and the same munge_secret",
        )
    if database := former.get("Database"):
        yield ReplacementLoss(
            "accounting",
            f"accounting in a database at {database['Uri']} that its own slurmdbd writes to: history, accounts and "
            "limits stay there",
            "two slurmdbd cannot share a database; let both clusters use one that runs elsewhere, or make the accounts "
            "anew",
        )
