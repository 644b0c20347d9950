"""The README of a bundle: what each file is, and how to deploy it by hand without trainyard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand.assets import upload
from trainyard.bundle.markdown import block
from trainyard.bundle.preparation import preparation
from trainyard.render.assets import installs_anything

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trainyard.render.stand_ins import StandIn
    from trainyard.spec.cluster import Spec


def readme(spec: Spec, stand_ins: Sequence[StandIn], known: Mapping[str, str]) -> str:
    """Return the README of a spec's bundle. ``known`` are the stack outputs that need no stand-in."""
    before = preparation(spec, stand_ins, known)
    sections = (_files(spec), _not_in_here(spec), before, _deploy(spec), _use(spec), _remove(spec))
    return "\n".join(line for section in sections for line in section)


def _files(spec: Spec) -> Iterator[str]:
    yield f"# {spec.name}"
    yield ""
    yield f"A training cluster in {spec.region}, for AWS ParallelCluster {spec.parallelcluster.version}."
    yield "Made from a spec by trainyard; making it again from the same spec gives the same bytes."
    yield ""
    for group in spec.node_groups():
        nodes = (
            str(group.max_nodes) if group.min_nodes == group.max_nodes else f"{group.min_nodes} to {group.max_nodes}"
        )
        types = " or ".join(group.instance_types)
        yield f"- queue `{group.queue.name}`: {nodes} × {types}, {group.capacity_kind.replace('_', ' ')}"
    yield ""
    yield "| File | What it is |"
    yield "|---|---|"
    yield "| `cluster.yaml` | configuration for `pcluster create-cluster` |"
    yield "| `stand-ins.json` | ids that only a deployment knows: where they stand, and which stack output fills them |"
    if installs_anything(spec):
        yield "| `assets/launch.sh` | what every node runs when it starts: it fetches and runs what is published |"
        yield "| `assets/nodes.json` | what each kind of nodes is to have |"
        yield "| `assets/release` | which release is published: none yet |"
    yield "| `.trainyard.json` | what trainyard wrote here, so that it never overwrites anything else |"
    yield ""


def _not_in_here(spec: Spec) -> Iterator[str]:
    missing = []
    setups = {queue.setup or spec.software.setup for queue in spec.queues}
    if setups != {"none"} or spec.software.containers:
        missing.append(
            "`software`: the launcher finds no release yet and installs nothing; install what you need with "
            "`custom_actions`, or name an `ami` that has it"
        )
    if spec.monitoring.mode != "none":
        missing.append("`monitoring`: no exporters, collectors or dashboards are installed on the nodes")
    if spec.monitoring.mode == "self-hosting":
        missing.append("`monitoring.mode`: the instance is made in step 1, without Prometheus and Grafana")
    if spec.network.existing is None:
        missing.append("`network`: no VPC is made; choose or make one in step 1")
    if missing:
        yield "## In the spec, but not in this bundle"
        yield ""
        yield "This version of trainyard does not render these yet:"
        yield ""
        yield from (f"- {text}" for text in missing)
        yield ""


def _deploy(spec: Spec) -> Iterator[str]:
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
    uploads = list(upload(spec))
    if uploads:
        yield from block("What nodes fetch when they start. It has to be there before they are:", uploads)
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


def _remove(spec: Spec) -> Iterator[str]:
    pcluster = f"~/pcluster-{spec.parallelcluster.version}/bin/pcluster"
    yield "## 4. Remove"
    yield ""
    yield from block(
        "What was made in step 1 stays, with its data and its price.",
        [f"{pcluster} delete-cluster --region {spec.region} --cluster-name {spec.name}"],
    )
