"""The README of a bundle for ParallelCluster: how to make, use and remove a cluster with pcluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainyard.bundle.by_hand.dashboards import deleted, put
from trainyard.bundle.markdown import block
from trainyard.bundle.readme_contents import ReadmeContents, published, removed_after_cluster
from trainyard.render.rendering import Rendering
from trainyard.spec.cluster import Spec

CREATE_COMMAND = "pcluster create-cluster"
BENCH_FILES = (
    "| `bench/*.sbatch` | NCCL bandwidth tests: copy `bench/` to where all nodes see it, and submit them |",
    "| `bench/*.sh` | what they run: it says what the nodes are, and tests them |",
)


def made_for(spec: Spec) -> str:
    """Return which version the cluster is for."""
    return f"for AWS ParallelCluster {spec.parallelcluster.version}"


def steps(spec: Spec, contents: ReadmeContents) -> Iterator[str]:
    """Yield the lines of the steps from the second on."""
    yield from _deploy(spec, contents)
    yield from _use(spec, contents.known)
    yield from _remove(spec, contents.rendering)


def _deploy(spec: Spec, contents: ReadmeContents) -> Iterator[str]:
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
    yield from published(spec, contents)
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
    pcluster = f"~/pcluster-{spec.parallelcluster.version}/bin/pcluster"
    yield "## 4. Remove"
    yield ""
    yield from block(
        "What was made in step 1 stays, with its data and its price.",
        [f"{pcluster} delete-cluster --region {spec.region} --cluster-name {spec.name}"],
    )
    if dashboards := list(deleted(spec)):
        yield from block("The dashboards in CloudWatch:", dashboards)
    yield from removed_after_cluster(spec, rendering.stacks)
