"""What the bucket remembers of a cluster: the spec as it was deployed, by which version, and how far it came."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from trainyard.deploy.work import folder
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec
from trainyard.version import __version__

Stage = Literal["deploying", "prepared", "deployed", "destroying"]
"""Prepared: all that the cluster needs is there, and the deployment has stopped before it, as it was told to."""


class Deployment(NamedTuple):
    """A cluster as it was deployed last."""

    name: str
    region: str
    stage: Stage
    trainyard_version: str
    parallelcluster_version: str | None
    """None where ParallelCluster makes no part of it; records of earlier deployments may name a version there too."""
    spec_text: str
    cluster_config: str | None
    """The configuration that ParallelCluster or eksctl was given; None before that."""
    since: str
    """When this stage began, as an ISO 8601 time."""
    fleet_stopped: bool = False
    """Whether the deployment has stopped the fleet of compute nodes and has still to start it."""
    replaces: str | None = None
    """The cluster that it takes over from, or has taken over from; None in records of earlier versions."""
    closed_queues: tuple[str, ...] = ()
    """Queues that the deployment has closed to new jobs and has still to open."""


def new_record(spec: Spec, spec_text: str, former: Deployment | None, *, replaces: str | None = None) -> Deployment:
    """Return the record of a deployment that begins; ``former`` is that of the cluster as it was deployed before."""
    return Deployment(
        name=spec.name,
        region=spec.region,
        stage="deploying",
        trainyard_version=__version__,
        parallelcluster_version=(
            spec.parallelcluster.version if platform_of(spec).made_by == "parallelcluster" else None
        ),
        spec_text=spec_text,
        cluster_config=former.cluster_config if former else None,
        since="",
        fleet_stopped=former is not None and former.fleet_stopped,
        replaces=replaces or (former.replaces if former else None),
        closed_queues=former.closed_queues if former else (),
    )


def key(name: str) -> str:
    """Return where the record of a cluster lies in the bucket."""
    return f"{folder(name)}/deployment.json"


def read_record(account: Account, bucket: str, name: str) -> Deployment | None:
    """Return the record of a cluster, None where there is none.

    Raises TrainyardError where it cannot be understood.
    """
    stored = s3.get(account, bucket, key(name))
    if stored is None:
        return None
    try:
        return parsed_record(stored.content)
    except (ValueError, KeyError, TypeError) as error:
        raise TrainyardError(
            f"what is remembered of {name} cannot be read: {error!r}",
            where=f"s3://{bucket}/{key(name)}",
            hint="it may be of a later version of trainyard; use that one",
        ) from error


def parsed_record(content: bytes) -> Deployment:
    """Return what a record says. Raises ValueError, KeyError or TypeError where it is none."""
    values = {**Deployment._field_defaults, **json.loads(content)}
    record = Deployment(**{field: values[field] for field in Deployment._fields})
    return record._replace(closed_queues=tuple(record.closed_queues))


def write_record(account: Account, bucket: str, record: Deployment) -> None:
    """Write the record of a cluster. Only whoever holds the lock of the cluster may."""
    content = json.dumps({"schema": 1, **record._asdict()}, indent=2) + "\n"
    s3.put(account, bucket, key(record.name), content.encode())


def remember_config(account: Account, bucket: str, name: str, text: str) -> None:
    """Write down what the cluster is to be in the end, or has become by an update."""
    record = read_record(account, bucket, name)
    if record is not None and record.cluster_config != text:
        write_record(account, bucket, record._replace(cluster_config=text))


def record_at_stage(record: Deployment, stage: Stage, account: Account) -> Deployment:
    """Return the record at another stage, which begins now, by this version."""
    now = datetime.fromtimestamp(account.clock.now(), UTC).isoformat(timespec="seconds")
    return record._replace(stage=stage, since=now, trainyard_version=__version__)
