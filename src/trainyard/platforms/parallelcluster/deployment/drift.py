"""How the configuration of a cluster differs now from the one that its last deployment gave to ParallelCluster.

ParallelCluster keeps a configuration as it was given, and no defaults in it, so that only what somebody has written
differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.deploy.drift import DriftDifference, differences
from trainyard.deploy.record import Deployment, read_record
from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.parallelcluster import config_of, deployed_config

_DOCUMENT = "cluster.yaml"
# An update is given the strategy that it needs, whatever the spec says: its policy is IGNORED.
_STRATEGY = ("Scheduling", "SlurmSettings", "QueueUpdateStrategy")


def config_drift(account: Account, record: Deployment | None) -> tuple[DriftDifference, ...]:
    """Return the differences; none while a deployment is not over, as it may have changed the cluster itself.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    if record is None or record.stage != "deployed" or record.cluster_config is None:
        return ()
    text = deployed_config(account, record.name)
    if text is None or text == record.cluster_config:
        return ()
    return _config_differences(record.cluster_config, config_of(text, _DOCUMENT))


def overwritten_drift(work: Work, document: Mapping[str, Any]) -> tuple[DriftDifference, ...]:
    """Return what others have changed since the last deployment, and another configuration would take back.

    Raises TrainyardError where AWS does not answer.
    """
    drift = config_drift(work.account, read_record(work.account, work.bucket, work.name))
    if not drift:
        return ()
    current = config_of(deployed_config(work.account, work.name) or "", _DOCUMENT)
    coming = list(differences(_DOCUMENT, current, document))
    return tuple(difference for difference in drift if any(map(difference.overlaps, coming)))


def _config_differences(recorded: str, current: Mapping[str, Any]) -> tuple[DriftDifference, ...]:
    found = differences(_DOCUMENT, config_of(recorded, _DOCUMENT), current)
    return tuple(difference for difference in found if difference.path != _STRATEGY)
