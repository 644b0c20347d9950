"""A remote desktop on a port that it cannot have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.rules.dcv_open_to_world import remote_desktops
from trainyard.spec.cluster import Spec

# What listens on head and login nodes, by first and last port.
# https://docs.amazonaws.cn/en_us/parallelcluster/latest/ug/security-groups-configuration.html
_TAKEN = {"SSH": (22, 22), "NFS": (2049, 2049), "Slurm": (6817, 6829)}
_LEAST, _MOST = 1024, 65_535


def check(spec: Spec) -> Iterator[Problem]:
    """Yield remote desktops whose port, or the next one, for its authenticator, is another service's or none."""
    for path, dcv in remote_desktops(spec):
        if (owner := _owner(dcv.port)) is not None:
            yield Problem((*path, "port"), f"DCV on port {dcv.port} {owner}")


def _owner(port: int) -> str | None:
    for service, (first, last) in _TAKEN.items():
        for used, whose in ((port, "takes"), (port + 1, "has its authenticator on")):
            if first <= used <= last:
                return f"{whose} port {used} of {service}"
    if port < _LEAST:
        return f"is below {_LEAST}, where it does not listen"
    return "leaves no port for its authenticator, which is the next one" if port == _MOST else None


RULE = Rule(
    severity="error",
    title="Port that a remote desktop cannot have",
    rationale=(
        "DCV listens on ports from 1024 on, and the authenticator that ParallelCluster puts beside it on the port that "
        "follows. Where another service of the node listens already, one of the two does not start, and the node fails."
    ),
    remedy="leave it out, which makes it 8443, or choose a free port below 65535",
    source="https://github.com/aws/aws-parallelcluster-cookbook/blob/develop/cookbooks/aws-parallelcluster-platform/templates/dcv/dcv.conf.erb",
    bad="""\
head_node: {dcv: {port: 22}}
""",
    good="""\
head_node: {dcv: {port: 8443}}
""",
    check=check,
)
