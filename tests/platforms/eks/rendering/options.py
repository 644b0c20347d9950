"""Specs for Amazon EKS: every reference architecture with every option, as plain data."""

from __future__ import annotations

from functools import cache
from typing import Any

import yaml

from tests.architectures.by_platform import architectures_on
from trainyard.document.write import yaml_text
from trainyard.render.rendering import render
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

ARN = "arn:aws:iam::123456789012:policy/p"
KEY = "arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012"
GROUP = "arn:aws:resource-groups:us-east-2:123456789012:group/g"
CAPACITIES: dict[str, Any] = {
    "on-demand": "on-demand",
    "spot": "spot",
    "reservation": {"reservation": "cr-0123456789abcdef0"},
    "reservations": {"reservations": ["cr-0123456789abcdef0", "cr-0123456789abcdef1"]},
    "reservation-group": {"reservation_group": GROUP},
    "capacity-block": {"capacity_block": "cr-0123456789abcdef0"},
}
# What is said beside the architecture, and what is said of its queue.
OPTIONS: dict[str, dict[str, Any]] = {
    "as-it-is": {},
    "metrics": {"monitoring": {"mode": "amp-only", "detailed": True}},
    "grafana": {"monitoring": {"mode": "amp+amg", "logs": False}},
    "roles": {"iam": {"permissions_boundary": ARN, "policies": [ARN], "kms_key": KEY}},
    "access": {"access": {"allow_from": ["203.0.113.7/32"], "ssh_key": "mine"}, "tags": {"team": "a b"}},
    "private-endpoint": {"eks": {"endpoint": "private", "node_repair": False, "operators": []}},
    "other-version": {
        "eks": {
            "kubernetes_version": "1.33",
            "administrators": ["arn:aws:iam::123456789012:role/ml"],
            "node_policies": ["autoScaler", "ebs", "efs", "fsx", "cloudWatch", "imageBuilder"],
            "control_plane_logs": ["api", "audit", "authenticator", "controllerManager", "scheduler"],
            "system_nodes": {"instance_type": "m6i.xlarge", "count": 3},
        }
    },
}
OF_QUEUE: dict[str, dict[str, Any]] = {
    **{name: {"capacity": capacity} for name, capacity in CAPACITIES.items()},
    "own-image": {"ami": "ami-0123456789abcdef0"},
    "volume": {
        "root_volume": {"size_gib": 900, "type": "io2", "iops": 4000, "encrypted": False},
    },
    "without-efa": {"efa": False},
    "without-placement-group": {"placement_group": False, "capacity": "on-demand"},
    "with-placement-group": {"placement_group": True},
    "p6-b300": {"instance_type": "p6-b300.48xlarge"},
}
NAMES = [(one.name, option) for one in architectures_on("eks") for option in (*OPTIONS, *OF_QUEUE)]
# Every architecture, and every option with one of them.
SOME = [(name, option) for name, option in NAMES if option == "as-it-is" or name == NAMES[0][0]]


def spec_with(architecture: str, option: str) -> Spec:
    """Return the spec of an architecture with an option."""
    text = next(one.text for one in architectures_on("eks") if one.name == architecture)
    written: dict[str, Any] = yaml.safe_load(text)
    for section, values in OPTIONS.get(option, {}).items():
        written[section] = {**written.get(section, {}), **values}
    written["queues"][0].update(OF_QUEUE.get(option, {}))
    return parse(yaml_text(written), "spec.yaml").spec


@cache
def cluster_with(architecture: str, option: str) -> dict[str, Any]:
    """Return the ClusterConfig of an architecture with an option. It is shared: nobody changes it."""
    return cluster_of(spec_with(architecture, option))


def cluster_of(spec: Spec) -> dict[str, Any]:
    """Return the ClusterConfig of a spec, with stand-ins."""
    found: dict[str, Any] = render(spec, {}).documents["cluster.yaml"]
    return found
