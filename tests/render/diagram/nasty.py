"""Specs that are hard to draw: large, crowded, empty, or with names that try to break out."""

from __future__ import annotations

from typing import Any

from trainyard.document.write import yaml_text

ARN = "arn:aws:resource-groups:us-east-2:123456789012:group"
REST: dict[str, Any] = {"name": "nasty", "region": "us-east-2", "platform": "parallelcluster"}
LONG = "w" * 25
IDS = [f"subnet-0123456789abcde{number:02}" for number in range(6)]
TYPES = ["p5.48xlarge", "trn1.32xlarge", "p6-b300.48xlarge", "g5.xlarge", "p9-unknown-ultra.480xlarge"]
CAPACITIES: list[Any] = ["on-demand", "spot", {"capacity_block": "cr-0123456789abcdef0"}, "on-demand", "spot"]
SELF_HOSTING = {"mode": "self-hosting"}
PEOPLE = {"allow_from": ["203.0.113.7/32", "198.51.100.0/24", "192.0.2.0/24", "203.0.113.128/25"]}
TWO_ZONES = {"availability_zone": "us-east-2a", "secondary_availability_zone": "us-east-2b"}


def _resources(queue: int) -> list[dict[str, Any]]:
    pairs = enumerate(zip(TYPES, CAPACITIES, strict=True))
    return [
        {"name": f"r{number}-{'x' * 20}", "instance_type": kind, "capacity": capacity,
         "nodes": {"min": number, "max": 1000 * (queue + 1)}}
        for number, (kind, capacity) in pairs
    ]  # fmt: skip


_SPECS: dict[str, dict[str, Any]] = {
    "least": {"queues": [{"name": "q", "instance_type": "m5.large"}]},
    "ten-queues-of-five": {
        "name": "n" * 60,
        "access": PEOPLE,
        "login_nodes": [{"name": f"pool-{number}-{'y' * 17}", "count": number} for number in range(8)],
        "queues": [{"name": f"q{number}-{'z' * 21}", "compute_resources": _resources(number)} for number in range(10)],
        "file_systems": [
            *({"mount": f"/{'m' * 60}/{number}", "ebs": {"size_gib": 65536, "iops": 64000}} for number in range(5)),
            *({"mount": f"/fsx{number}", "lustre": {"size_gib": 120000, "throughput_mb_s_per_tib": 1000,
               "data_repository": f"s3://{'b' * 63}/{'prefix/' * 20}"}} for number in range(3)),
        ],
        "software": {"setup": "gpu", "containers": True},
        "monitoring": {"mode": "amp+amg"},
    },
    "existing-network": {
        "network": {"existing": {"vpc": "vpc-0123456789abcdef0", "public_subnets": IDS, "private_subnets": IDS},
                    "http_proxy": "http://a-proxy-with-a-long-name.example.internal:3128"},
        "access": PEOPLE,
        "head_node": {"subnet": "public", "elastic_ip": True, "dcv": {}},
        "login_nodes": {"count": 3},
        "queues": [{"name": LONG, "instance_types": ["g5.12xlarge", "g6.12xlarge", "g6e.12xlarge"], "nodes": 12}],
        "file_systems": [{"mount": "/efs", "efs": {"id": "fs-0123456789abcdef9"}},
                         {"mount": "/home", "openzfs": {"id": "fsvol-0123456789abcdef9"}}],
    },
    "existing-network-private-only": {
        "network": {"existing": {"vpc": "vpc-0123456789abcdef0", "private_subnets": IDS[:1]}},
        "login_nodes": [{"name": "a", "subnet": "private"}, {"name": "b", "subnet": IDS[3]}],
        "queues": [{"name": "q", "instance_type": "p5.48xlarge", "nodes": {"min": 2, "max": 64}}],
        "monitoring": {"mode": "amp-only"},
    },
    "several-zones": {
        "network": TWO_ZONES,
        "queues": [
            {"name": "here", "instance_type": "p5.48xlarge", "nodes": 2},
            {"name": "there", "instance_type": "p5.48xlarge", "availability_zone": "us-east-2b",
             "capacity": {"capacity_block": "cr-0123456789abcdef0"}, "nodes": 16},
            {"name": "anywhere", "instance_type": "c6i.large", "nodes": {"min": 0, "max": 100},
             "availability_zone": ["us-east-2a", "us-east-2b", "us-east-2c"]},
            {"name": "outside", "instance_type": "m5.large", "subnet": "public"},
            {"name": "elsewhere", "instance_type": "m5.large", "subnet": IDS[0], "nodes": 1},
        ],
        "file_systems": [{"mount": "/efs", "efs": {}}],
    },
    "self-hosting": {
        "network": TWO_ZONES, "monitoring": SELF_HOSTING, "access": PEOPLE,
        "login_nodes": {"count": 2},
        "queues": [{"name": "q", "instance_type": "p6-b300.48xlarge", "nodes": 4}],
    },
    "self-hosting-public-head": {
        "network": TWO_ZONES, "monitoring": SELF_HOSTING, "access": PEOPLE,
        "head_node": {"subnet": "public"},
        "login_nodes": {"count": 2},
        "queues": [{"name": "q", "instance_type": "p4d.24xlarge", "nodes": 4}],
    },
    "no-internet": {
        "network": {"internet": "none", "availability_zone": "us-east-2a"},
        "login_nodes": {"subnet": "private"},
        "monitoring": {"mode": "none", "logs": False, "dashboard": False, "alarms": False},
        "queues": [{"name": "q", "instance_type": "trn1.32xlarge", "nodes": 4}],
    },
    "self-hosting-without-internet": {
        "network": {**TWO_ZONES, "internet": "none"}, "monitoring": SELF_HOSTING, "access": PEOPLE,
        "queues": [{"name": "q", "instance_type": "p5.48xlarge", "nodes": 4}],
    },
    "in-an-environment": {
        "environment": "use2",
        "login_nodes": {"count": 2},
        "queues": [{"name": "q", "instance_type": "p5.48xlarge", "nodes": 4}],
        "file_systems": [{"mount": "/fsx", "lustre": {"id": "environment"}}],
        "monitoring": {"mode": "amp+amg"},
    },
    "hostile": {
        "queues": [
            {"name": "q", "instance_type": "m5.large",
             "capacity": {"reservation_group": f"{ARN}/<script>alert(1)</script>&\"'evil]]>"}},
        ],
        "access": {"ssh_key": "</text><script>", "directory_service": {
            "domain": "example.com", "addresses": ["ldaps://example.com"], "read_only_user": "cn=<&>,dc=com",
            "password_secret": "arn:aws:secretsmanager:us-east-2:123456789012:secret:name-AbCdEf"}},
        "file_systems": [
            {"mount": "/fsx", "lustre": {"size_gib": 4800, "throughput_mb_s_per_tib": 250, "auto_export": [],
             "data_repository": 's3://bucket/<img/src=x/onerror=alert(1)>&amp;"日本語𝕏🚂🚀' + "é" * 40}},
        ],
    },
}  # fmt: skip

_ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "least-environment": {},
    "environment": {
        "network": TWO_ZONES,
        "access": PEOPLE,
        "file_systems": [{"mount": "/fsx", "lustre": {"size_gib": 4800, "throughput_mb_s_per_tib": 250,
                                                      "data_repository": "s3://data/sets"}}],
        "monitoring": {"mode": "amp+amg"},
    },
    "self-hosting-environment": {"network": TWO_ZONES, "access": PEOPLE, "monitoring": SELF_HOSTING},
}  # fmt: skip

_CLUSTERS = {name: {**REST, **spec} for name, spec in _SPECS.items()}
_SHARED = {"kind": "environment", "name": "use2", "region": "us-east-2"}
NASTY = {
    name: yaml_text(spec)
    for name, spec in (_CLUSTERS | {name: {**_SHARED, **spec} for name, spec in _ENVIRONMENTS.items()}).items()
}
