"""The first part of a bundle's README: what is made or looked up before the cluster, and how its ids are written in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand import commands_for, in_the_vpc, to_look_at
from trainyard.bundle.by_hand.aws_command import assigned, aws, shell_name
from trainyard.bundle.markdown import block
from trainyard.render.assets import installs_anything

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trainyard.render.stand_ins import StandIn
    from trainyard.spec.cluster import Spec


def preparation(spec: Spec, stand_ins: Sequence[StandIn], known: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of step 1. ``known`` are the stack outputs that need no stand-in."""
    yield "## 1. Make what the cluster needs"
    yield ""
    blocks = list(_blocks(spec, stand_ins, known))
    if stand_ins:
        yield "`cluster.yaml` holds stand-ins for what is made first. A block that names one finds its value."
        yield ""
    elif not blocks:
        yield "Every id is known: nothing is left to make or to fill in."
        yield ""
    for text, commands in blocks:
        yield from block(text, commands)
    if stand_ins:
        yield from _write_in(stand_ins)


def _blocks(spec: Spec, stand_ins: Sequence[StandIn], known: Mapping[str, str]) -> Iterator[tuple[str, Sequence[str]]]:
    by_stack = {
        stack: [(f"`{one.value}`: {one.what}", commands_for(spec, one)) for one in stand_ins if one.stack == stack]
        for stack in ("network", "storage", "monitoring", "assets")
    }
    in_vpc = list(in_the_vpc(spec))
    if by_stack["network"] or by_stack["storage"] or in_vpc:
        yield "The network:", list(_network_variables(spec))
    yield from by_stack["network"]
    if (by_stack["storage"] or in_vpc) and spec.network.existing is None:
        yield "Where the nodes are, and what belongs beside them:", [f"NODES_SUBNET={_private_subnet(stand_ins)}"]
    yield from (*by_stack["storage"], *in_vpc, *by_stack["monitoring"])
    if "AssetsBucket" in known and spec.assets.bucket is None and installs_anything(spec):
        yield "Where nodes fetch from:", [f"ASSETS_BUCKET={known['AssetsBucket']}"]
    yield from (*by_stack["assets"], *to_look_at(spec))


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
    yield from block(
        "Write them in. With trainyard, from the spec, whose file stands for SPEC here:",
        [" \\\n  ".join(["trainyard render SPEC", *given])],
    )
    replaced = [f"-e 's#{one.value}#'\"${shell_name(one.output)}\"'#g'" for one in stand_ins]
    yield from block(
        "Or without, into this copy, which trainyard will then not replace without `--force`:",
        [" \\\n  ".join(["sed -i.bak", *replaced, "cluster.yaml && rm cluster.yaml.bak"])],
    )
