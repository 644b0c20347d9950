"""The people in front of the cluster, and the ways that are open to them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platform_table import platform_of
from trainyard.render.cloudformation.network import has_load_balancer
from trainyard.render.diagram.card import Card
from trainyard.render.diagram.words import few
from trainyard.spec.cluster import Spec


def people_card(spec: Spec) -> Card:
    """Return the card of the people."""
    return Card("people", "people", "People", tuple(platform_of(spec).picture().ways_in(spec)))


def open_ways(spec: Spec) -> dict[str, str]:
    """Return what is open from outside to things in public subnets, by their role. Nothing where nobody may come."""
    if not spec.access.allow_from or platform_of(spec).has_kubernetes:
        return {}
    ways = {"login": "SSH", "head": "SSH"}
    return ways | ({"load balancer": "HTTPS"} if has_load_balancer(spec) else {})


def ways_to_nodes(spec: Spec) -> Iterator[str]:
    """Yield by which ways people reach nodes and Grafana; of an environment, Grafana alone."""
    open_to_some = {"SSH": _reached_by_ssh(spec), "Grafana": has_load_balancer(spec)}
    ways = " and ".join(way for way, is_open in open_to_some.items() if is_open)
    if ways and spec.access.allow_from:
        yield f"{ways} from {few(spec.access.allow_from, 3)}"
    elif ways:
        yield "from outside no port is open: access.allow_from is empty"
    self_hosted = spec.monitoring.mode == "self-hosting"
    forwarded = ", also forwarded to Grafana," if self_hosted and not has_load_balancer(spec) else ""
    if spec.is_environment:
        yield "come in through the clusters, and to Grafana where there is one"
        if forwarded:
            yield f"Session Manager{forwarded} over HTTPS, as IAM allows"
        return
    managed = " and Grafana" if spec.monitoring.mode == "amp+amg" else forwarded
    yield f"Session Manager{managed} over HTTPS, as IAM allows"


def _reached_by_ssh(spec: Spec) -> bool:
    pools = (pool.subnet for _, pool in spec.login_pools())
    return not spec.is_environment and "public" in (spec.head_node.subnet, *pools)
