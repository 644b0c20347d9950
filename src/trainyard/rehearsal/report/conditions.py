"""The two lists at the end of a rehearsal, what it proved and what only AWS can tell, and when their lines hold.

Breakdowns need conditions as well: what they strike has to be there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.catalog.instances import find, uses_efa
from trainyard.deploy.steps.grafana import has_workspace
from trainyard.monitoring.cloudwatch_body import wants_dashboards
from trainyard.platform_table import platform_of
from trainyard.render.cloudformation.monitoring import needs_monitoring
from trainyard.render.cloudformation.network import has_load_balancer
from trainyard.render.cloudformation.resources import resources
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.needed_assets import needed_assets
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import FileSystem
from trainyard.spec.network import local_zone_place

Condition = Callable[[Spec], bool]


def conditions(spec: Spec) -> frozenset[str]:
    """Return the names of everything that a spec has."""
    own = platform_of(spec).rehearsal().CONDITIONS
    return frozenset(name for name, holds in {**CONDITIONS, **own}.items() if holds(spec))


def has_capacity(*kinds: str) -> Condition:
    """Return whether nodes are bought in one of these ways."""
    return lambda spec: any(group.capacity_kind in kinds for group in spec.node_groups())


def has_efa(spec: Spec) -> bool:
    """Return whether any node uses EFA."""
    return any(uses_efa(group.instance_type, group.efa) for group in spec.node_groups())


def has_accelerators(spec: Spec) -> bool:
    """Return whether any instance type of the catalog among the nodes' has accelerators."""
    all_facts = (find(group.instance_type) for group in spec.node_groups())
    return any(facts is not None and facts.accelerators is not None for facts in all_facts)


def _own_scripts(spec: Spec) -> bool:
    pools = (pool.custom_actions for _, pool in spec.login_pools())
    actions = (spec.head_node.custom_actions, *pools, *(queue.custom_actions for queue in spec.queues))
    return any(getattr(own, moment) for own in actions for moment in own.field_names())


def has_official_image(spec: Spec) -> bool:
    """Return whether any kind of node takes the image that AWS publishes."""
    return None in _images(spec)


def _images(spec: Spec) -> list[str | None]:
    """Return the image of every kind of node, None for the official one."""
    pools = (pool.ami for _, pool in spec.login_pools())
    own = (spec.head_node.ami, *pools, *(queue.ami for queue in spec.queues))
    return [ami or spec.image.ami for ami in own]


def _fsx_made(spec: Spec) -> bool:
    return any(
        file_system.settings.id is None
        for file_system in spec.file_systems
        if file_system.kind in ("lustre", "openzfs")
    )


def _static_nodes(spec: Spec) -> bool:
    """Return whether nodes start with the cluster itself. Batch starts them for jobs."""
    return not platform_of(spec).has_batch and any(group.desired_nodes > 0 for group in spec.node_groups())


def _roles_made(spec: Spec) -> bool:
    """Return whether a stack makes a role; those of clusters always do."""
    own = (resource.type for stack in stacks(spec, Ids({})) for resource in resources(stack))
    return not spec.is_environment or "AWS::IAM::Role" in own


def _data_repository(spec: Spec) -> bool:
    return any(file_system.lustre is not None and file_system.lustre.links for file_system in spec.file_systems)


def _is_named(file_system: FileSystem) -> bool:
    return file_system.settings.id not in (None, "environment")


def _secrets(spec: Spec) -> bool:
    slurm = spec.parallelcluster.slurm
    database = slurm.accounting is not None and slurm.accounting.database is not None
    return spec.access.directory_service is not None or slurm.munge_secret is not None or database


def _local_zone(spec: Spec) -> bool:
    zones = {spec.network.availability_zone, *(zone for queue in spec.queues for zone in queue.zones)}
    return any(zone is not None and local_zone_place(zone) for zone in zones)


CONDITIONS: dict[str, Condition] = {
    "accelerators": has_accelerators,
    "accounting": lambda spec: spec.parallelcluster.slurm.accounting is not None,
    "capacity_block": has_capacity("capacity_block"),
    "dashboards": wants_dashboards,
    "data_repository": _data_repository,
    "directory_service": lambda spec: spec.access.directory_service is not None,
    "downloads": lambda spec: bool(needed_assets(spec)),
    "efa": has_efa,
    "environment": lambda spec: spec.environment is not None,
    "existing_file_systems": lambda spec: any(_is_named(file_system) for file_system in spec.file_systems),
    "existing_network": lambda spec: spec.network.existing is not None,
    "fsx_made": _fsx_made,
    "grafana_load_balancer": has_load_balancer,
    "installs_anything": lambda spec: spec.installs_anything,
    "kms_key": lambda spec: spec.iam.kms_key is not None,
    "local_zone": _local_zone,
    "launched_nodes": lambda spec: platform_of(spec).has_batch or _static_nodes(spec),
    "managed_grafana": lambda spec: spec.monitoring.mode == "amp+amg",
    "managed_prometheus": lambda spec: needs_monitoring(spec) and spec.monitoring.mode != "self-hosting",
    "monitored": lambda spec: spec.monitoring.mode != "none",
    "nodes": lambda spec: not spec.is_environment,
    "no_internet": lambda spec: spec.network.internet == "none",
    "on_demand": has_capacity("on-demand"),
    "own_grafana": has_workspace,
    "own_image": lambda spec: any(_images(spec)),
    "own_network": lambda spec: spec.network.existing is None and spec.environment is None,
    "own_scripts": _own_scripts,
    "proxy": lambda spec: spec.network.http_proxy is not None,
    "reservation": has_capacity("reservation", "reservation_group"),
    "roles_made": _roles_made,
    "secrets": _secrets,
    "self_hosting": lambda spec: spec.has_monitoring_instance,
    "spot": has_capacity("spot"),
    "static_nodes": _static_nodes,
}


STAGES = ("checked", "deployed", "destroyed", "nothing_left", "eksctl_schema", "eksctl_dry_run")
"""What is no step and has to have succeeded for a claim of claims.yaml all the same."""


def proved_claims(spec: Spec, succeeded: Collection[str]) -> list[str]:
    """Return what a rehearsal of a spec proved, each claim with its source at the end.

    ``succeeded`` has the names of the steps of its deployment that ended well, and stages: see ``STAGES``.
    """
    return [_claim(entry) for entry in applicable_entries("claims.yaml", spec) if needs(entry) <= {*succeeded}]


def needs(claim: Mapping[str, Any]) -> set[str]:
    """Return the steps and stages without which nothing has proved a claim."""
    after = claim["after"]
    return {after} if isinstance(after, str) else set(after)


def only_aws_can_tell(spec: Spec, reached: Collection[str] = ()) -> list[str]:
    """Return what no rehearsal of a spec can know that came as far as it did, each with its source at the end."""
    every = applicable_entries("only_aws_can_tell.yaml", spec)
    return [_claim(entry) for entry in every if entry.get("unless") not in reached]


def applicable_entries(file: str, spec: Spec) -> list[dict[str, Any]]:
    """Return the entries of one of the two lists that apply to a spec."""
    holding = conditions(spec)
    return [entry for entry in entries(file) if "when" not in entry or entry["when"] in holding]


def _claim(entry: Mapping[str, Any]) -> str:
    return f"{entry['text']} ({entry['source']})"


@cache
def entries(file: str) -> list[dict[str, Any]]:
    """Return the entries of one of the two lists, whatever they apply to."""
    with Path(__file__).with_name(file).open("rb") as opened:
        all_entries: list[dict[str, Any]] = yaml.load(opened, Loader=yaml.CSafeLoader)
    return all_entries
