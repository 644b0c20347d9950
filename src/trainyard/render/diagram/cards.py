"""A card: one thing of the cluster with its icon, its name and some lines about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree as ET

from trainyard.counts import count_text
from trainyard.platform_table import platform_of
from trainyard.render.assets import folder
from trainyard.render.cloudformation.monitoring import needs_monitoring
from trainyard.render.cloudformation.network import has_load_balancer
from trainyard.render.diagram.canvas import LINE, NAME, Box, group, icon, rectangle, text
from trainyard.render.diagram.text_width import printable, wrap
from trainyard.render.diagram.words import few
from trainyard.spec.cluster import Spec

_PADDING = 10
_ICON = 24
"""Width of an icon with the space after it."""
_LEADING = 15


class Card(NamedTuple):
    """What a card says."""

    icon: str
    look: str
    """compute, storage, network, people, watch or bucket."""
    name: str
    lines: tuple[str, ...] = ()

    def height(self, width: float) -> float:
        """Return how high it is in a column of a width."""
        names = len(_wrapped_name(self, width))
        return _PADDING * 2 + 18 + _LEADING * (names - 1 + len(_wrapped_lines(self, width)))

    def draw(self, parent: ET.Element, box: Box) -> None:
        """Draw it into a box that may be higher than it needs."""
        element = group(parent, ", ".join((self.name, *self.lines)))
        rectangle(element, box, "ty-card", radius=6)
        icon(element, self.icon, (box.x + _PADDING, box.y + _PADDING), self.look)
        base = box.y + _PADDING + 14
        for shown in _wrapped_name(self, box.width):
            text(element, (box.x + _PADDING + _ICON, base), shown, NAME, _room(box.width) - _ICON, whole=self.name)
            base += _LEADING
        for shown, line in _wrapped_lines(self, box.width):
            place = (box.x + _PADDING, base + 3)
            text(element, place, shown, LINE, _room(box.width), look="ty-muted", whole=line)
            base += _LEADING


def _room(width: float) -> float:
    return width - 2 * _PADDING


def _wrapped_name(card: Card, width: float) -> tuple[str, ...]:
    return wrap(printable(card.name), NAME, _room(width) - _ICON)


def _wrapped_lines(card: Card, width: float) -> list[tuple[str, str]]:
    """Return each line as it is shown, with the text that it is a part of."""
    lines = (printable(line) for line in card.lines)
    return [(shown, line) for line in lines for shown in wrap(line, LINE, _room(width))]


def services_of_head(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield what people use, and what the head node talks to, by role."""
    yield from platform_of(spec).picture().head_services(spec)
    if spec.monitoring.mode == "amp+amg":
        yield "grafana", Card("chart", "watch", "Grafana", ("Amazon Managed Grafana", "with IAM Identity Center"))
    if spec.monitoring.mode in ("amp-only", "amp+amg"):
        yield "prometheus", Card("watch", "watch", "Prometheus", ("Amazon Managed Service for Prometheus",))
        yield from _alerts(spec)


def services_of_nodes(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield what every node talks to, by role."""
    yield from platform_of(spec).picture().node_services(spec)
    if spec.monitoring.mode == "self-hosting":
        yield from _alerts(spec)


def _alerts(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield the topic that alerts go to, unless it is that of the environment."""
    if needs_monitoring(spec):
        told = spec.monitoring.alert_email or "reach whoever subscribes"
        alerts = "alerts of the monitoring instance" if spec.monitoring.mode == "self-hosting" else "alerts"
        yield "alerts", Card("people", "people", "SNS topic", (alerts, told))


def session_manager() -> tuple[str, Card]:
    """Return the way to a shell."""
    return "session manager", Card("shell", "people", "Session Manager", ("a shell on any node, no open port",))


def registry() -> tuple[str, Card]:
    """Return where containers come from."""
    return "images", Card("bucket", "bucket", "ECR", ("images of containers",))


def cloudwatch(spec: Spec, *, alarms: bool) -> Iterator[tuple[str, Card]]:
    """Yield CloudWatch, where anything is sent there. ``alarms`` says whether there are any."""
    monitoring = spec.monitoring
    lines = [f"logs, kept {count_text(monitoring.log_retention_days, 'day')}"] if monitoring.logs else []
    shown = [name for name, on in (("dashboard", monitoring.dashboard), ("alarms", alarms)) if on]
    lines += [" and ".join(shown)] if shown else []
    if lines:
        yield "cloudwatch", Card("watch", "watch", "CloudWatch", tuple(lines))


def assets(spec: Spec) -> Iterator[tuple[str, Card]]:
    """Yield the bucket that nodes or the monitoring instance fetch from."""
    if spec.installs_anything:
        lines = (spec.assets.bucket or "a bucket of the account", f"{folder(spec)}/")
        yield "assets", Card("bucket", "bucket", "S3 assets", lines)


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
