"""Which node this is: its place in the cluster, and the machine that it is."""

from __future__ import annotations

import os
import re
import shlex
import socket
from pathlib import Path
from typing import NamedTuple

from trainyard_node.clock import Clock
from trainyard_node.errors import NodeError
from trainyard_node.imds import InstanceIdentity, this_instance
from trainyard_node.places import Places

# https://github.com/aws/aws-parallelcluster/blob/develop/cli/src/pcluster/templates/cluster_stack.py (HeadNode),
# login_nodes_stack.py (LoginNode) and queues_stack.py (ComputeFleet) beside it. The last one is no node of
# ParallelCluster's: trainyard's own user data writes it, follow-releases.sh.
KINDS = {"HeadNode": "head", "LoginNode": "login", "ComputeFleet": "queue", "MonitoringInstance": "monitoring"}


class Membership(NamedTuple):
    """What a node is in its cluster."""

    entry: str
    """The name of its plan: head, login, monitoring or queue/NAME."""
    queue: str
    """Its queue, or nothing."""
    region: str

    @property
    def is_compute(self) -> bool:
        """Whether jobs run on it."""
        return bool(self.queue)


class Host(NamedTuple):
    """What a node runs on."""

    instance: InstanceIdentity
    hostname: str
    os: str
    """Its ID and version without dots, such as ubuntu2404 and alinux2023."""
    arch: str
    """x86_64 or aarch64."""


def membership(places: Places) -> Membership:
    """Return what ParallelCluster says about the node."""
    settings = assignments(places.cfnconfig)
    kind = KINDS.get(settings.get("cfn_node_type", ""))
    queue = settings.get("cfn_scheduler_queue_name", "") if kind == "queue" else ""
    region = settings.get("cfn_region", "")
    if kind is None or (kind == "queue" and not queue) or not re.fullmatch(r"[a-z0-9-]+", region):
        raise NodeError(
            f"{places.cfnconfig} does not say which node this is (cfn_node_type is {settings.get('cfn_node_type')!a}, "
            f"cfn_scheduler_queue_name {settings.get('cfn_scheduler_queue_name')!a:.60}, cfn_region {region!a:.60}): "
            "use an image and a version of ParallelCluster that trainyard knows"
        )
    return Membership(f"queue/{queue}" if queue else kind, queue, region)


def machine(places: Places, clock: Clock) -> Host:
    """Return what the node runs on."""
    return Host(this_instance(clock), socket.gethostname(), system(places), os.uname().machine)


def system(places: Places) -> str:
    """Return the system's name, as in os-release(5): amzn is what Amazon Linux calls itself."""
    settings = assignments(places.os_release)
    name = {"amzn": "alinux"}.get(settings.get("ID", ""), settings.get("ID", ""))
    return re.sub(r"[^a-z0-9]", "", f"{name}{settings.get('VERSION_ID', '')}".lower()) or "unknown"


def assignments(path: Path) -> dict[str, str]:
    """Return the assignments of a shell file without running it. What is more than a word is left out."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise NodeError(f"{path} cannot be read ({error.strerror}): use an image that ParallelCluster made") from error
    values = {}
    for line in lines:
        name, is_assignment, value = line.strip().partition("=")
        word = _word(value)
        if is_assignment and name.isidentifier() and word is not None:
            values[name] = word
    return values


def _word(value: str) -> str | None:
    try:
        words = shlex.split(value, comments=True)
    except ValueError:
        return None
    return "".join(words) if len(words) < 2 else None
