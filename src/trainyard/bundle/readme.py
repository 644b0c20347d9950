"""The README of a bundle: what each file is, and how to deploy it by hand without trainyard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from trainyard.bundle.asset_lock import AssetLock
from trainyard.bundle.assets import PLAN
from trainyard.bundle.by_hand.assets import mirrored, repacked, upload
from trainyard.bundle.by_hand.dashboards import deleted, put
from trainyard.bundle.by_hand.reservations import ungrouped
from trainyard.bundle.by_hand.stacks import removed
from trainyard.bundle.contents import files, not_locked
from trainyard.bundle.markdown import block
from trainyard.bundle.preparation import preparation
from trainyard.bundle.release import Release
from trainyard.platforms.batch import readme as batch_readme
from trainyard.platforms.eks import readme as eks_readme
from trainyard.render.collection import collection
from trainyard.render.rendering import Rendering
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec


class Parts(NamedTuple):
    """What the README is about."""

    rendering: Rendering
    release: Release | None
    """None where nodes install nothing."""
    monitoring: Mapping[str, bytes]
    """The files below monitoring/, by name."""


def readme(spec: Spec, parts: Parts, known: Mapping[str, str], lock: AssetLock) -> str:
    """Return the README of a spec's bundle.

    ``known`` are the stack outputs that need no stand-in, ``lock`` is what is locked for its nodes.
    """
    rendering, made = parts.rendering, parts.release
    others = {**({} if made is None else {PLAN: made.plan}), **parts.monitoring}
    before = (files(spec, rendering, parts.monitoring), not_locked(spec, lock))
    deployed = () if spec.is_environment else _deployed(spec, parts, known, lock)
    after = (_publish(spec, parts, lock),) if spec.is_environment and spec.installs_anything else deployed
    removal = _remove(spec, rendering) if spec.is_environment else _REMOVED[spec.platform](spec, rendering)
    sections = (*before, preparation(spec, rendering, known, others), *after, removal)
    return "\n".join(line for section in sections for line in section)


def _deployed(spec: Spec, parts: Parts, known: Mapping[str, str], lock: AssetLock) -> tuple[Iterator[str], ...]:
    if spec.platform == "batch":
        return batch_readme.deploy(spec, parts.rendering), batch_readme.use(spec)
    if spec.platform == "eks":
        return eks_readme.deploy(spec), eks_readme.use(spec, parts.rendering)
    return _deploy(spec, parts, lock), _use(spec, known)


def _deploy(spec: Spec, parts: Parts, lock: AssetLock) -> Iterator[str]:
    version = spec.parallelcluster.version
    yield "## 2. Deploy"
    yield ""
    yield from block(
        "ParallelCluster in an environment of its own, on Python 3.9 to 3.13. It also needs `node`, version 20 or 22.",
        [
            f"python3 -m venv ~/pcluster-{version}",
            f"~/pcluster-{version}/bin/pip install aws-parallelcluster=={version}",
        ],
    )
    yield from _published(spec, parts, lock)
    create = f"~/pcluster-{version}/bin/pcluster create-cluster --region {spec.region} --cluster-name {spec.name}"
    create += " --cluster-configuration cluster.yaml"
    yield from block(
        "A dry run asks AWS about all that can be known beforehand. It exits with status 1 even when it succeeds; "
        "success reads `Request would have succeeded, but DryRun flag is set.`",
        [f"{create} --dryrun true"],
    )
    yield from block(
        "With rollback off, a failed cluster stays up and keeps its logs. It costs money until you delete it, and it "
        "cannot be resumed, only deleted and created again.",
        [f"{create} --rollback-on-failure false"],
    )


def _publish(spec: Spec, parts: Parts, lock: AssetLock) -> Iterator[str]:
    yield "## 2. Publish what the monitoring instance runs"
    yield ""
    yield "It looks for that every five minutes, and installs Prometheus, Alertmanager and Grafana."
    yield ""
    yield from _published(spec, parts, lock)


def _published(spec: Spec, parts: Parts, lock: AssetLock) -> Iterator[str]:
    if lock.assets:
        yield from block("What nodes install, each file compared with what was locked:", [*mirrored(spec, lock)])
    if parts.release is not None and parts.release.stand_ins:
        yield from block(
            "The release was packed before its ids were known. It is packed anew with the files that they were written "
            "into; nodes would send their metrics nowhere otherwise:",
            [*repacked(collection(spec, Ids({})))],
        )
    if spec.installs_anything:
        yield from block(
            "What nodes fetch when they start. It has to be there before they are, the pointer last:",
            upload(spec),
        )


def _use(spec: Spec, known: Mapping[str, str]) -> Iterator[str]:
    pcluster = f"~/pcluster-{spec.parallelcluster.version}/bin/pcluster"
    place = f"--region {spec.region} --cluster-name {spec.name}"
    query = "--query 'instances[0].instanceId' | tr -d '\"'"
    yield "## 3. Use"
    yield ""
    yield from block("Until it says `CREATE_COMPLETE`:", [f"{pcluster} describe-cluster {place}"])
    yield from block(
        "A shell on the head node, without any open port:",
        [
            f"HEAD_NODE=$({pcluster} describe-cluster-instances {place} --node-type HeadNode {query})",
            f'aws ssm start-session --region {spec.region} --target "$HEAD_NODE"',
        ],
    )
    if commands := list(put(spec, known)):
        yield from block("Dashboards in CloudWatch, of which an account has the first three free:", commands)


def _remove(spec: Spec, rendering: Rendering) -> Iterator[str]:
    if spec.is_environment:
        yield f"## {3 if spec.installs_anything else 2}. Remove"
        yield ""
        yield from block(f"When no cluster uses it any more. {_STAY}", list(removed(spec, rendering.stacks)))
        return
    pcluster = f"~/pcluster-{spec.parallelcluster.version}/bin/pcluster"
    yield "## 4. Remove"
    yield ""
    yield from block(
        "What was made in step 1 stays, with its data and its price.",
        [f"{pcluster} delete-cluster --region {spec.region} --cluster-name {spec.name}"],
    )
    if dashboards := list(deleted(spec)):
        yield from block("The dashboards in CloudWatch:", dashboards)
    if groups := list(ungrouped(spec)):
        yield from block("The groups of reservations; the reservations themselves stay:", groups)
    if rendering.stacks:
        text = f"Once the cluster is gone and nothing else needs them, the stacks, the last one first. {_STAY}"
        yield from block(text, list(removed(spec, rendering.stacks)))


_STAY = (
    "File systems and metrics in Amazon Managed Prometheus outlive their stack and go on costing money until you "
    "delete them yourself; the network cannot be deleted before the file systems."
)
_REMOVED: Mapping[str, Callable[[Spec, Rendering], Iterator[str]]] = {
    "parallelcluster": _remove,
    "batch": lambda spec, rendering: batch_readme.remove(spec, rendering, _STAY),
    "eks": lambda spec, rendering: eks_readme.remove(spec, rendering, _STAY),
}
