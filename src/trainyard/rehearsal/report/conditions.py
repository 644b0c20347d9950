"""What a spec has, by names that the lists of a rehearsal use."""

from __future__ import annotations

from collections.abc import Callable

from trainyard.catalog.efa import uses_efa
from trainyard.catalog.instances import find
from trainyard.deploy.steps.grafana import has_workspace
from trainyard.monitoring.cloudwatch_body import wants_dashboards
from trainyard.platforms.eks.rendering.launch_templates import needs_launch_templates
from trainyard.platforms.eks.rendering.names import accelerator
from trainyard.render.cloudformation.monitoring import needs_monitoring
from trainyard.render.cloudformation.network import has_load_balancer
from trainyard.render.needed_assets import needed_assets
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import FileSystem


def conditions(spec: Spec) -> frozenset[str]:
    """Return the names of everything that a spec has."""
    return frozenset(name for name, holds in CONDITIONS.items() if holds(spec))


def _capacity(*kinds: str) -> Callable[[Spec], bool]:
    return lambda spec: any(group.capacity_kind in kinds for group in spec.node_groups())


def _efa(spec: Spec) -> bool:
    return any(uses_efa(group.instance_type, group.efa) for group in spec.node_groups())


def _accelerators(spec: Spec) -> bool:
    known = (find(group.instance_type) for group in spec.node_groups())
    return any(facts is not None and facts.accelerators is not None for facts in known)


def _nvidia(spec: Spec) -> bool:
    return any(accelerator(group) == "nvidia" for group in spec.node_groups())


def _own_scripts(spec: Spec) -> bool:
    pools = (pool.custom_actions for _, pool in spec.login_pools())
    actions = (spec.head_node.custom_actions, *pools, *(queue.custom_actions for queue in spec.queues))
    return any(getattr(own, moment) for own in actions for moment in own.field_names())


def _images(spec: Spec) -> list[str | None]:
    """Return the image of every kind of node, None for the official one."""
    pools = (pool.ami for _, pool in spec.login_pools())
    own = (spec.head_node.ami, *pools, *(queue.ami for queue in spec.queues))
    return [ami or spec.image.ami for ami in own]


def _fsx_made(spec: Spec) -> bool:
    return any(one.settings.id is None for one in spec.file_systems if one.kind in ("lustre", "openzfs"))


def _data_repository(spec: Spec) -> bool:
    return any(one.lustre is not None and one.lustre.data_repository is not None for one in spec.file_systems)


def _is_named(file_system: FileSystem) -> bool:
    return file_system.settings.id not in (None, "environment")


def _secrets(spec: Spec) -> bool:
    slurm = spec.parallelcluster.slurm
    database = slurm.accounting is not None and slurm.accounting.database is not None
    return spec.access.directory_service is not None or slurm.munge_secret is not None or database


def _on(platform: str, holds: Callable[[Spec], bool] = lambda _: True) -> Callable[[Spec], bool]:
    return lambda spec: spec.platform == platform and not spec.is_environment and holds(spec)


CONDITIONS: dict[str, Callable[[Spec], bool]] = {
    "accelerators": _accelerators,
    "accelerators_of_eks": _on("eks", _accelerators),
    "accounting": lambda spec: spec.parallelcluster.slurm.accounting is not None,
    "batch": _on("batch"),
    "batch_capacity_block": _on("batch", _capacity("capacity_block")),
    "batch_efa": _on("batch", _efa),
    "batch_image": _on("batch", lambda spec: None in _images(spec)),
    "capacity_block": _capacity("capacity_block"),
    "dashboards": wants_dashboards,
    "data_repository": _data_repository,
    "directory_service": lambda spec: spec.access.directory_service is not None,
    "downloads": lambda spec: bool(needed_assets(spec)),
    "efa": _efa,
    "environment": lambda spec: spec.environment is not None,
    "eks": _on("eks"),
    "eks_capacity_block": _on("eks", _capacity("capacity_block")),
    "eks_efa": _on("eks", _efa),
    "eks_endpoint_private": _on("eks", lambda spec: spec.eks.endpoint == "private"),
    "eks_fsx": _on("eks", lambda spec: any(one.lustre is not None for one in spec.file_systems)),
    "eks_launch_templates": _on("eks", needs_launch_templates),
    "eks_nvidia": _on("eks", _nvidia),
    "existing_file_systems": lambda spec: any(_is_named(one) for one in spec.file_systems),
    "existing_network": lambda spec: spec.network.existing is not None,
    "fsx_made": _fsx_made,
    "grafana_load_balancer": has_load_balancer,
    "installs_anything": lambda spec: spec.installs_anything,
    "kms_key": lambda spec: spec.iam.kms_key is not None,
    "managed_grafana": lambda spec: spec.monitoring.mode == "amp+amg",
    "managed_prometheus": lambda spec: needs_monitoring(spec) and spec.monitoring.mode != "self-hosting",
    "monitored": lambda spec: spec.monitoring.mode != "none",
    "nodes": lambda spec: not spec.is_environment,
    "no_internet": lambda spec: spec.network.internet == "none",
    "official_image": _on("parallelcluster", lambda spec: None in _images(spec)),
    "on_demand": _capacity("on-demand"),
    "own_grafana": has_workspace,
    "own_image": lambda spec: any(_images(spec)),
    "parallelcluster": _on("parallelcluster"),
    "parallelcluster_efa": _on("parallelcluster", _efa),
    "own_network": lambda spec: spec.network.existing is None and spec.environment is None,
    "own_scripts": _own_scripts,
    "proxy": lambda spec: spec.network.http_proxy is not None,
    "reservation": _capacity("reservation", "reservation_group"),
    "secrets": _secrets,
    "self_hosting": lambda spec: spec.has_monitoring_instance,
    "spot": _capacity("spot"),
}
