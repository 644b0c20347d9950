"""A key pair of a login pool, which ParallelCluster no longer knows."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# https://github.com/aws/aws-parallelcluster/pull/7241
_REMOVED_IN = (3, 15)


def check(spec: Spec) -> Iterator[Problem]:
    """Yield keys of pools that the version refuses, and those that an earlier version takes but does not honour."""
    version = spec.parallelcluster.version
    for path, key in _keys(spec):
        if tuple(int(number) for number in version.split(".")) >= _REMOVED_IN:
            yield Problem(path, f"ParallelCluster {version} refuses a key of a login pool, here {key}", _remedy(spec))
        elif spec.access.ssh_key not in (None, key):
            # Both write the same authorized_keys: https://github.com/aws/aws-parallelcluster/issues/6811
            problem = f"login nodes share /home with the head node, whose key {spec.access.ssh_key} replaces {key}"
            yield Problem(path, problem, severity="warning")


def _keys(spec: Spec) -> Iterator[tuple[Path, str]]:
    for path, pool in spec.login_pools():
        if pool.ssh_key is not None:
            yield (*path, "ssh_key"), pool.ssh_key


def _remedy(spec: Spec) -> str | None:
    return "name it in access.ssh_key, which login nodes have as well" if spec.access.ssh_key is None else None


RULE = Rule(
    severity="error",
    title="Key of a login pool",
    rationale=(
        "Login nodes share /home, and with it the authorized keys, with the head node. A second key never worked "
        "beside the head node's, and since 3.15 ParallelCluster refuses a configuration that has one."
    ),
    remedy="remove it: login nodes have access.ssh_key",
    source="https://github.com/aws/aws-parallelcluster/pull/7241",
    bad="""\
access: {ssh_key: ml-key}
login_nodes: {count: 1, ssh_key: login-key}
""",
    good="""\
access: {ssh_key: ml-key}
login_nodes: {count: 1}
""",
    check=check,
)
