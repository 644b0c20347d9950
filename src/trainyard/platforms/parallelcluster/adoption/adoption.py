"""A spec that renders a given configuration of ParallelCluster.

The sections say what a spec can say. That is rendered and held against the configuration. What is missing goes to the
overlay; what renders otherwise is taken out of the spec again, and so goes to the overlay too.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from trainyard.document.plain_data import at
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import subnets
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.aws.parallelcluster import cluster_config
from trainyard.edge.aws.stacks import find_stack
from trainyard.errors import InputError, TrainyardError
from trainyard.finding import Path
from trainyard.platform_parts import AdoptableConfig, AdoptedConfig, ConfigNames
from trainyard.platforms.parallelcluster.adoption.comments import comments_on
from trainyard.platforms.parallelcluster.adoption.sections import spec_data
from trainyard.platforms.parallelcluster.adoption.stand_ins import with_subnets
from trainyard.platforms.parallelcluster.deployment.cluster import VERSION_TAG
from trainyard.platforms.parallelcluster.rendering.cluster import cluster, plain_cluster
from trainyard.platforms.parallelcluster.rendering.origin import spec_path
from trainyard.render.overlay import differences, residue, with_lists
from trainyard.render.stand_ins import Ids
from trainyard.rules.parallelcluster.placeholders import placeholder_in
from trainyard.spec.cluster import Spec
from trainyard.spec.draft_data import is_valid, remove, valid_spec

# Every round takes something out of the spec or changes the overlay; a file of the largest allowed size has fewer keys.
_MOST_ROUNDS = 300
# Of the stack that pcluster makes: CLUSTER_NAME_TAG in pcluster/constants.py.
_NAME_TAG = "parallelcluster:cluster-name"


def adopted_config(adoptable: AdoptableConfig) -> AdoptedConfig:
    """Return a spec that renders a configuration, and where it does not.

    Raises InputError where the configuration has not what every spec needs.
    """
    config, stand_ins = with_subnets(with_lists(adoptable.config))
    if (scheduler := at(config, "Scheduling", "Scheduler")) != "slurm":
        raise InputError(
            f"the scheduler is {scheduler!r}, and a spec for ParallelCluster has slurm",
            where="Scheduling.Scheduler",
            hint="for AWS Batch write a spec with platform batch: `trainyard new` starts one",
        )
    data = spec_data({**copy.deepcopy(config), "Region": adoptable.region}, adoptable)
    left_out = {} if "Region" in config else {"Region": None}
    for _ in range(_MOST_ROUNDS):
        spec = valid_spec(data)
        _drop_unused_names(data)
        further, conflicts = residue(config, plain_cluster(spec, Ids({})))
        missing = {**left_out, **further}
        if missing != data["parallelcluster"].get("overlay", {}):
            data["parallelcluster"]["overlay"] = missing
        elif not any(_take_out(data, spec, conflict) for conflict in conflicts):
            break
    if not data["parallelcluster"].get("overlay"):
        data["parallelcluster"].pop("overlay", None)
    rendered = with_lists(cluster(valid_spec(data), Ids({})))
    different = tuple(differences(config, rendered))
    return AdoptedConfig(data, different, comments_on(adoptable, config, data, stand_ins))


def names_in(config: Mapping[str, Any]) -> ConfigNames:
    """Return the region that a configuration says; it names no cluster."""
    region = config.get("Region")
    return ConfigNames(None, region if isinstance(region, str) and placeholder_in(region) is None else None)


def config_of_cluster(account: Account, name: str) -> AdoptableConfig | None:
    """Return what ParallelCluster was given last for a cluster; None where there is none of it. Asks only."""
    stack = find_stack(account, name)
    config = None if stack is None or stack.tags.get(_NAME_TAG) != name else cluster_config(account, name)
    if stack is None or config is None:
        return None
    return AdoptableConfig(config, name, account.region, stack.tags.get(VERSION_TAG), _vpc(account, config))


def _vpc(account: Account, config: Mapping[str, Any]) -> str | None:
    """Return the VPC of the head node's subnet; None where nobody may look."""
    subnet = at(config, "HeadNode", "Networking", "SubnetId")
    try:
        described = subnets(account, (str(subnet),)).get(str(subnet))
    except NotAllowedError:
        return None
    return None if described is None else described.get("VpcId")


def _drop_unused_names(data: dict[str, Any]) -> None:
    """Leave names to file systems that the spec has: all others are called in the overlay."""
    section = data["parallelcluster"]
    mounts = {file_system.get("mount") for file_system in data.get("file_systems", ())}
    names = {mount: name for mount, name in section.pop("storage_names", {}).items() if mount in mounts}
    section.update({"storage_names": names} if names else {})


def _renders(data: dict[str, Any]) -> bool:
    try:
        plain_cluster(valid_spec(data), Ids({}))
    except TrainyardError:
        return False
    return True


def _take_out(data: dict[str, Any], spec: Spec, conflict: Path) -> bool:
    """Take out of the data what renders a path; return whether there was anything."""
    if conflict and conflict[-1] == "CapacityType":
        queue = data["queues"][int(conflict[2])]
        taken_out = [nodes.pop("capacity", None) for nodes in (queue, *queue.get("compute_resources", ()))]
        return any(taken_out)
    path = spec_path(spec, conflict)
    while len(path) > 1:
        tried = copy.deepcopy(data)
        if remove(tried, path) and is_valid(tried) and _renders(tried):
            data.clear()
            data.update(tried)
            return True
        if isinstance(path[-1], int) and path[0] != "file_systems":
            return False
        path = path[:-1]
    return False
