"""What network and monitoring cost an hour."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog import prices
from trainyard.deploy.cost_line import Line, by_the_hour, by_the_month
from trainyard.deploy.cost_of_amp import amp_lines
from trainyard.render.cloudformation.network import has_load_balancer
from trainyard.spec.cluster import Spec

_WITHOUT_TRAFFIC = "without the traffic through it"


def network_lines(spec: Spec) -> Iterator[Line]:
    """Yield what a network of the cluster's own costs."""
    if spec.network.existing is not None or spec.environment is not None:
        return
    if spec.network.internet == "none":
        yield by_the_hour("interface endpoints", "network", (1, 1), None, "each endpoint in each zone, and its traffic")
        return
    gateway = prices.service("nat_gateway_hour", spec.region)
    yield by_the_hour("NAT gateway", "gateway", (1, 1), gateway, _WITHOUT_TRAFFIC)
    yield _addresses(spec, "address of the NAT gateway", 1)


def monitoring_lines(spec: Spec) -> Iterator[Line]:
    """Yield what keeps the metrics. In an environment that is shared, and what a cluster sends there is its own."""
    match spec.monitoring.mode:
        case "self-hosting":
            yield from () if spec.environment is not None else _self_hosted(spec)
        case "amp-only":
            yield from amp_lines(spec)
        case "amp+amg":
            yield from amp_lines(spec)
            yield from () if spec.environment is not None else (_editor(spec),)


def _self_hosted(spec: Spec) -> Iterator[Line]:
    instance = prices.instance_hour(spec.monitoring.instance_type, spec.region)
    what = f"instance with Prometheus and Grafana, {spec.monitoring.instance_type}"
    yield by_the_hour(what, "instance", (1, 1), instance, "on demand, always")
    if has_load_balancer(spec):
        balancer = prices.service("application_load_balancer_hour", spec.region)
        yield by_the_hour("load balancer of Grafana", "load balancer", (1, 1), balancer, _WITHOUT_TRAFFIC)
        if spec.network.internet == "nat":
            yield _addresses(spec, "addresses of the load balancer of Grafana", 2)
    yield by_the_hour("volume of the instance with Prometheus", "volume", (1, 1), None, "as large as its template says")


def _editor(spec: Spec) -> Line:
    price = prices.service("grafana_editor_month", spec.region)
    basis = "by the people who use it in a month; counted with the one editor that every workspace has"
    return by_the_month("Amazon Managed Grafana", "editor", (1, 1), price, basis)


def _addresses(spec: Spec, what: str, count: int) -> Line:
    price = prices.service("public_ipv4_hour", spec.region)
    return by_the_hour(what, "public IPv4 address", (count, count), price, "every public IPv4 address, used or not")
