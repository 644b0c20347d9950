"""The README of a bundle: what each file is, and how to deploy it by hand without trainyard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand import commands_for
from trainyard.bundle.by_hand.aws_command import assigned, aws, shell_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainyard.render.stand_ins import StandIn
    from trainyard.spec.cluster import Spec


def readme(spec: Spec, stand_ins: Sequence[StandIn]) -> str:
    """Return the README of a spec's bundle."""
    sections = (_files(spec), _not_in_here(spec), _fill_in(spec, stand_ins), _deploy(spec), _use(spec), _remove(spec))
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
        yield f"- queue `{group.queue.name}`: {nodes} × {group.instance_type}, {group.capacity_kind.replace('_', ' ')}"
    yield ""
    yield "| File | What it is |"
    yield "|---|---|"
    yield "| `cluster.yaml` | configuration for `pcluster create-cluster` |"
    yield "| `stand-ins.json` | ids that only a deployment knows: where they stand, and which stack output fills them |"
    yield "| `.trainyard.json` | what trainyard wrote here, so that it never overwrites anything else |"
    yield ""


def _not_in_here(spec: Spec) -> Iterator[str]:
    missing = []
    if spec.software.setup != "none" or spec.software.containers or any(queue.setup for queue in spec.queues):
        missing.append("`software`: nodes boot the plain image; install what you need yourself or name an `ami`")
    if spec.monitoring.mode != "none":
        missing.append("`monitoring`: no exporters, collectors or dashboards are installed on the nodes")
    if spec.network.existing is None:
        internet = " with endpoints instead of NAT" if spec.network.internet == "none" else ""
        missing.append(f"`network`: no VPC is made; choose or make one{internet} in step 1")
    if spec.assets.bucket is not None:
        missing.append("`assets.bucket`: nodes fetch nothing yet")
    if missing:
        yield "## In the spec, but not in this bundle"
        yield ""
        yield "This version of trainyard does not render these yet:"
        yield ""
        yield from (f"- {text}" for text in missing)
        yield ""


def _fill_in(spec: Spec, stand_ins: Sequence[StandIn]) -> Iterator[str]:
    yield "## 1. Fill in the ids"
    yield ""
    if not stand_ins:
        yield "Every id is known: nothing is left to fill in."
        yield ""
        return
    yield "`cluster.yaml` holds stand-ins for what is made before the cluster. Each block below gives one value."
    yield ""
    yield from _block("The network:", list(_network_variables(spec)))
    made = False
    for stand_in in stand_ins:
        if stand_in.stack == "storage" and not made and spec.network.existing is None:
            made = True
            yield from _block("Where the file systems go:", [f"FILE_SYSTEM_SUBNET={_private_subnet(stand_ins)}"])
        yield from _block(f"`{stand_in.value}`: {stand_in.what}", commands_for(spec, stand_in))
    yield from _write_in(stand_ins)


def _network_variables(spec: Spec) -> Iterator[str]:
    existing = spec.network.existing
    yield "VPC_ID=vpc-…   # your VPC" if existing is None else f"VPC_ID={existing.vpc}"
    query = ("--query", "Vpcs[0].CidrBlock", "--output", "text")
    asked = aws(spec.region, "ec2 describe-vpcs", "--vpc-ids", "$VPC_ID", *query)
    yield assigned("VPC_RANGE", asked)


def _private_subnet(stand_ins: Sequence[StandIn]) -> str:
    private = (one for one in stand_ins if one.stack == "network" and "PrivateSubnet" in one.output)
    first = next(private, None)
    return "subnet-…   # where the nodes are" if first is None else f'"${shell_name(first.output)}"'


def _write_in(stand_ins: Sequence[StandIn]) -> Iterator[str]:
    given = [f'--stack-output {one.output}="${shell_name(one.output)}"' for one in stand_ins]
    yield from _block(
        "Write them in. With trainyard, from the spec, whose file stands for SPEC here:",
        [" \\\n  ".join(["trainyard render SPEC", *given])],
    )
    replaced = [f"-e 's#{one.value}#'\"${shell_name(one.output)}\"'#g'" for one in stand_ins]
    yield from _block(
        "Or without, into this copy, which trainyard will then not replace without `--force`:",
        [" \\\n  ".join(["sed -i.bak", *replaced, "cluster.yaml && rm cluster.yaml.bak"])],
    )


def _deploy(spec: Spec) -> Iterator[str]:
    version = spec.parallelcluster.version
    yield "## 2. Deploy"
    yield ""
    yield from _block(
        "ParallelCluster in an environment of its own, on Python 3.9 to 3.13. It also needs `node`, version 20 or 22.",
        [
            f"python3 -m venv ~/pcluster-{version}",
            f"~/pcluster-{version}/bin/pip install aws-parallelcluster=={version}",
        ],
    )
    create = f"~/pcluster-{version}/bin/pcluster create-cluster --region {spec.region} --cluster-name {spec.name}"
    create += " --cluster-configuration cluster.yaml"
    yield from _block(
        "A dry run asks AWS about all that can be known beforehand. It exits with status 1 even when it succeeds; "
        "success reads `Request would have succeeded, but DryRun flag is set.`",
        [f"{create} --dryrun true"],
    )
    yield from _block(
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
    yield from _block("Until it says `CREATE_COMPLETE`:", [f"{pcluster} describe-cluster {place}"])
    yield from _block(
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
    yield from _block(
        "File systems, volumes and networks that were made in step 1 stay, with their data and their price.",
        [f"{pcluster} delete-cluster --region {spec.region} --cluster-name {spec.name}"],
    )


def _block(text: str, commands: Sequence[str]) -> Iterator[str]:
    yield text
    yield ""
    yield "```bash"
    yield from commands
    yield "```"
    yield ""
