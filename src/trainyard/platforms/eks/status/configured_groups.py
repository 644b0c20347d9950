"""Node groups that the last deployment asked for, from what it remembers of its cluster.yaml."""

from __future__ import annotations

import yaml

from trainyard.deploy.record import Deployment
from trainyard.edge.kubernetes.documents import parts, text


def configured_groups(record: Deployment | None) -> tuple[str, ...]:
    """Return their names; none where nothing is remembered, or what is cannot be read."""
    if record is None or record.cluster_config is None:
        return ()
    try:
        config = yaml.load(record.cluster_config, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return ()
    return tuple(name for one in parts(config, "managedNodeGroups") if (name := text(one, "name")))
