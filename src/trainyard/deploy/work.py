"""What every step of a deployment works on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from trainyard.bundle.asset_lock import FILE_NAME, AssetLock, parse_lock
from trainyard.deploy.cluster_update import ClusterUpdate
from trainyard.deploy.stack_change import ReviewedStack
from trainyard.edge.asset_cache import AssetCache
from trainyard.edge.aws.account import Account
from trainyard.edge.eksctl import Eksctl, eksctl_of
from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.edge.pcluster_command import Pcluster
from trainyard.errors import TrainyardError
from trainyard.finding import Finding
from trainyard.foreign_text import BAR
from trainyard.render.tags import CLUSTER
from trainyard.spec.cluster import Spec

EventKind = Literal["start", "progress", "done", "failed"]


class Event(NamedTuple):
    """Something that happened, for whoever watches."""

    at: float
    """Seconds since 1970, by the clock of the account."""
    step: str
    kind: EventKind
    text: str


@dataclass(frozen=True, slots=True)
class Options:
    """What the person at the command line decides."""

    rollback_on_failure: bool = False
    """Remove a cluster whose making failed, with everything that would say why."""
    recreate: bool = False
    """Delete a cluster whose making failed and make it again."""
    create_key_pair: Path | None = None
    """Where to write the private key, where the key pair of the spec does not exist yet."""
    delete_data: bool = False
    """Delete file systems, volumes, logs and edited dashboards too, which stay otherwise."""
    before_cluster: bool = False
    """Make all that the cluster needs, and stop before the cluster itself."""
    kubeconfig: Path | None = None
    """The file that gets a context for a cluster of EKS, and loses it again; None for the one that kubectl reads."""
    overwrite_dashboards: bool = False
    """Write dashboards anew that trainyard made and people edited, which stay as they are otherwise."""
    overwrite_changes: bool = False
    """Take back what somebody else has changed of a cluster since its last deployment."""
    all_drift: bool = False
    """Compare the resources of all stacks with their templates, and not only those of stacks that change."""
    give_up: frozenset[str] = frozenset()
    """Logical ids of resources whose data an update may take away."""
    end_jobs: bool = False
    """End jobs that run on nodes which an update of the cluster ends, or those of a cluster that is destroyed."""
    wait_for_jobs_s: float = 0
    """How long an update of the cluster waits for such jobs to end by themselves."""
    wait_for_capacity_s: float = 0
    """How long to wait for reservations and Capacity Blocks that have still to begin."""
    replaces: str | None = None
    """The cluster that this one takes over from, whose capacity it gets when that has left it."""


@dataclass
class Work:
    """A deployment or a destruction under way."""

    account: Account
    name: str
    spec: Spec | None
    """None where a cluster is destroyed whose spec nobody has any more."""
    bucket: str
    """The bucket that nodes fetch from, and that remembers what is deployed."""
    listener: Callable[[Event], None] = lambda _: None
    options: Options = field(default_factory=Options)
    outputs: dict[str, str] = field(default_factory=dict)
    """Outputs of the stacks, and whatever else takes the place of a stand-in."""
    kept: list[str] = field(default_factory=list)
    """What a destruction left on purpose, and why."""
    refused: list[str] = field(default_factory=list)
    """What it was to delete and AWS refuses to, and why."""
    step: str = ""
    """Name of the step that is at work."""
    assets_lock: bytes | None = None
    """The assets.lock.json of the spec; None where it has none."""
    asset_cache: AssetCache | None = None
    """Where the files of the lock are; by default in the user's cache, downloaded where they are missing."""
    reviewed: dict[str, ReviewedStack] = field(default_factory=dict)
    """The stacks whose update was looked at and is still to be made, by name."""
    removals: list[ReviewedStack] = field(default_factory=list)
    """Those of them that only lose resources, which go when nothing uses them any more."""
    cluster_update: ClusterUpdate | None = None
    """What is to be changed of a cluster that exists; None where nothing, or where its platform says so otherwise."""
    nodes_to_start: bool = False
    """Whether the cluster was made without nodes that it is to have."""
    untold: tuple[Finding, ...] = ()
    """Which nodes that run already will have to be told of the release, once it is published."""
    findings: list[Finding] = field(default_factory=list)
    """What became clear on the way and is no error."""
    tag: str = CLUSTER
    """Tag of everything that belongs to it; of an environment another one. What does not carry it is never touched."""
    parallelcluster: Callable[[str], Pcluster] | None = None
    """Gives the ParallelCluster of a version; None where the work needs none."""
    eksctl: Callable[[Account], Eksctl] = eksctl_of
    """Gives the eksctl that works on an account; raises TrainyardError where there is none."""
    kubectl: Callable[[Account, str], AbstractContextManager[Kubectl]] = kubectl_of
    """Gives the kubectl for a cluster of an account, by the cluster's name."""

    @property
    def lock(self) -> AssetLock:
        """Return what is locked for the nodes; nothing where there is no lock."""
        return parse_lock(self.assets_lock, FILE_NAME)

    def owns(self, tags: Mapping[str, str]) -> bool:
        """Return whether something with these tags belongs to it.

        What a cluster makes in an environment has the tags of both, and belongs to the cluster.
        """
        return tags.get(self.tag) == self.name and (self.tag == CLUSTER or CLUSTER not in tags)

    def tell(self, text: str, kind: EventKind = "progress") -> None:
        """Say what is happening."""
        self.listener(Event(self.account.clock.now(), self.step, kind, text))

    def relay(self, line: str) -> None:
        """Tell what a program prints, behind a bar: it may be the words of anybody."""
        self.tell(f"{BAR}{line}")

    def pcluster(self, version: str) -> Pcluster:
        """Return the ParallelCluster of a version."""
        if self.parallelcluster is None:
            raise TrainyardError(f"ParallelCluster {version} is needed for {self.name}, but not at hand")
        return self.parallelcluster(version)

    def required_spec(self) -> Spec:
        """Return the spec, where a step cannot do without. Raises TrainyardError where there is none."""
        if self.spec is None:
            raise TrainyardError(
                f"nothing says how cluster {self.name} was made",
                where=f"s3://{self.bucket}/{folder(self.name)}/deployment.json",
                hint="delete what is left in the console",
            )
        return self.spec


def folder(name: str) -> str:
    """Return the folder of a cluster in the bucket."""
    return f"trainyard/{name}"
