"""The README of a bundle: what each file is, and how to deploy it by hand without trainyard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand.assets import mirrored, upload
from trainyard.bundle.by_hand.reservations import ungrouped
from trainyard.bundle.by_hand.stacks import removed
from trainyard.bundle.contents import files, not_in_here, not_locked
from trainyard.bundle.markdown import block
from trainyard.bundle.preparation import preparation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trainyard.bundle.asset_lock import AssetLock
    from trainyard.render.rendering import Rendering
    from trainyard.spec.cluster import Spec


def readme(spec: Spec, rendering: Rendering, known: Mapping[str, str], lock: AssetLock) -> str:
    """Return the README of a spec's bundle.

    ``known`` are the stack outputs that need no stand-in, ``lock`` is what is locked for its nodes.
    """
    before = (files(spec, rendering), not_locked(spec, lock), not_in_here(spec), preparation(spec, rendering, known))
    after = () if spec.is_environment else (_deploy(spec, lock), _use(spec))
    sections = (*before, *after, _remove(spec, rendering))
    return "\n".join(line for section in sections for line in section)


def _deploy(spec: Spec, lock: AssetLock) -> Iterator[str]:
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
    if lock.assets:
        yield from block("What nodes install, each file compared with what was locked:", [*mirrored(spec, lock)])
    if spec.installs_anything:
        yield from block(
            "What nodes fetch when they start. It has to be there before they are, the pointer last:",
            upload(spec),
        )
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


def _use(spec: Spec) -> Iterator[str]:
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


def _remove(spec: Spec, rendering: Rendering) -> Iterator[str]:
    if spec.is_environment:
        yield "## 2. Remove"
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
    if groups := list(ungrouped(spec)):
        yield from block("The groups of reservations; the reservations themselves stay:", groups)
    if rendering.stacks:
        text = f"Once the cluster is gone and nothing else needs them, the stacks, the last one first. {_STAY}"
        yield from block(text, list(removed(spec, rendering.stacks)))


_STAY = (
    "File systems and metrics in Amazon Managed Prometheus outlive their stack and go on costing money until you "
    "delete them yourself; the network cannot be deleted before the file systems."
)
