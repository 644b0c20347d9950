"""What a cluster would make for itself although its environment has it."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Lustre, OpenZfs

_OF_NETWORK = ("existing", "secondary_availability_zone", "further_availability_zones")

_OF_MONITORING = {
    "certificate": "Grafana is that of",
    "instance_type": "the instance is that of",
    "alert_email": "alerts are sent by",
    "alert_receivers": "alerts are sent by",
}


def check(spec: Spec) -> Iterator[Problem]:
    """Yield keys that describe what the environment makes."""
    if spec.environment is None:
        return
    for key in _OF_NETWORK:
        if key in spec.network.written:
            yield Problem(("network", key), f"the network is that of environment {spec.environment!r}")
    for key, message in _OF_MONITORING.items():
        if key in spec.monitoring.written and getattr(spec.monitoring, key):
            yield Problem(("monitoring", key), f"{message} environment {spec.environment!r}")
    # EKS takes the ranges of its endpoint as a list of its own.
    if not platform_of(spec).has_kubernetes and len(spec.access.allow_from) > 1:
        message = (
            f"{len(spec.access.allow_from)} ranges need a prefix list, which a cluster in an environment does not make"
        )
        yield Problem(("access", "allow_from"), message, "write one range that holds them all")
    for index, file_system in enumerate(spec.file_systems):
        if isinstance(file_system.settings, Lustre | OpenZfs) and file_system.settings.id is None:
            yield Problem(
                ("file_systems", index, file_system.kind),
                f"{file_system.mount} would be made, and file systems of FSx are made by environment "
                f"{spec.environment!r}",
                "write it into the environment, and id: environment here",
            )


RULE = Rule(
    severity="error",
    title="Key of an environment in a cluster",
    rationale=(
        "A cluster with an environment makes no network, no FSx file system and no monitoring of its own. What it says "
        "about them would be ignored."
    ),
    remedy="write it into the spec of the environment, and remove it here",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/best-practices.html#organizingstacks",
    bad="environment: use2\nfile_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}]",
    good="environment: use2\nfile_systems: [{mount: /fsx, lustre: {id: environment}}]",
    check=check,
)
