"""What the nodes of a cluster should be: how many by the spec as deployed, how soon, and which release they run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from trainyard.deploy.plan.time_bounds import bounds
from trainyard.deploy.record import Deployment, read_record
from trainyard.deploy.work import folder
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.s3_lookup import first_bytes
from trainyard.errors import TrainyardError
from trainyard.finding import path_text
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

# The default of both timeouts in spec/parallelcluster.py, for a cluster whose spec nobody has.
_TIMEOUT_S = 2100
_MOST_BYTES = 1000
# The form that the launcher reads: bootstrap/assets/launch.sh.
_POINTER = re.compile(rb"([0-9a-f]{64}) +[A-Za-z0-9][A-Za-z0-9._-]*\s*")
_NONE = b"none"


class Group(NamedTuple):
    """Nodes that are alike, and how many of them there should be."""

    role: str
    """head, login, compute or monitoring."""
    name: str | None
    """The queue of compute nodes, the pool of login nodes."""
    compute_resource: str | None
    least: int
    most: int
    path: str
    """Where they stand in the spec."""


class ReleasePointer(NamedTuple):
    """What the release pointer of a cluster says."""

    release: str | None
    """SHA-256 of what new nodes run; None where nothing is published."""
    problem: str | None = None
    """Why it cannot be read; new nodes fail then."""


class ExpectedNodes(NamedTuple):
    """What there should be."""

    deployment: Deployment | None
    groups: tuple[Group, ...]
    """Empty where nobody knows the spec."""
    problem: str | None
    """Why nobody knows the spec; None where it is known."""
    published: ReleasePointer
    timeouts_s: Mapping[str, int]
    """How long a node may take to come up, by role."""


def expected_nodes(account: Account, bucket: str, name: str) -> ExpectedNodes:
    """Return what the bucket says about a cluster's nodes.

    Raises TrainyardError where the name is that of an environment without any instance, or the account cannot be used.
    """
    pointer = first_bytes(account, bucket, f"{folder(name)}/release", _MOST_BYTES)
    return expected_of(read_record(account, bucket, name), None if pointer is None else pointer.content)


def expected_of(deployment: Deployment | None, pointer: bytes | None) -> ExpectedNodes:
    """Return what a deployment record and a release pointer say; None stands for one that is not there.

    Raises TrainyardError where it is an environment without an instance that keeps metrics, or a cluster of a platform
    whose nodes run no release.
    """
    published = _published(_NONE if pointer is None else pointer)
    if deployment is None:
        return ExpectedNodes(None, (), "nobody remembers the spec", published, _timeouts(None))
    try:
        spec = parse(str(deployment.spec_text), "the spec as deployed").spec
    except TrainyardError as error:
        problem = f"the spec as deployed cannot be read: {error.problem}"
        return ExpectedNodes(deployment, (), problem, published, _timeouts(None))
    if spec.is_environment and not spec.has_monitoring_instance:
        name = deployment.name
        raise TrainyardError(f"{name} is an environment and has no nodes", where=name, hint="name a cluster in it")
    if not spec.is_environment and not platform_of(spec).nodes_run_release:
        raise TrainyardError(
            f"{deployment.name} is a cluster of {platform_of(spec).title}, whose nodes report nothing to its bucket",
            where=deployment.name,
            hint=f"`trainyard status {deployment.name}` says which nodes there are",
        )
    return ExpectedNodes(deployment, tuple(_groups(spec)), None, published, _timeouts(spec))


def _published(content: bytes) -> ReleasePointer:
    if content.strip() == _NONE:
        return ReleasePointer(None)
    match = _POINTER.fullmatch(content)
    return ReleasePointer(match[1].decode()) if match else ReleasePointer(None, "it holds no SHA-256 and file name")


def _timeouts(spec: Spec | None) -> dict[str, int]:
    if spec is None or spec.is_environment:
        return dict.fromkeys(("head", "login", "compute", "monitoring"), _TIMEOUT_S)
    kinds = {"head": "head", "login": "login", "compute": f"queue/{spec.queues[0].name}"}
    return {role: bounds(spec, kind)[0].seconds for role, kind in kinds.items()} | {"monitoring": _TIMEOUT_S}


def _groups(spec: Spec) -> Iterator[Group]:
    if spec.has_monitoring_instance:
        yield Group("monitoring", None, None, 1, 1, "monitoring.mode")
    if spec.is_environment:
        return
    yield Group("head", None, None, 1, 1, "head_node")
    for path, pool in spec.login_pools():
        yield Group("login", pool.name, None, pool.count, pool.count, path_text((*path, "count")))
    for group in spec.node_groups():
        where = path_text((*group.path, "nodes"))
        yield Group("compute", group.queue.name, group.name, group.min_nodes, group.max_nodes, where)
