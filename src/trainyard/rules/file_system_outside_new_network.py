"""File systems that exist, where the network is yet to be made."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield file systems with interfaces in a VPC, named by their ids beside a network that is none that exists."""
    if spec.network.existing is not None or spec.environment is not None or _names_subnets(spec):
        return
    for index, file_system in enumerate(spec.file_systems):
        id_ = file_system.settings.id
        if file_system.kind != "ebs" and id_ not in (None, "environment"):
            yield Problem(
                ("file_systems", index, file_system.kind, "id"),
                f"{id_} exists, and a network that is yet to be made cannot be the one it stands in",
            )


def _names_subnets(spec: Spec) -> bool:
    """Return whether nodes stand in a subnet that exists, of which the account knows the VPC."""
    of_queues = (queue.subnet for queue in spec.queues)
    places = [spec.head_node.subnet, *of_queues, *(pool.subnet for _, pool in spec.login_pools())]
    return any(place not in ("private", "public") for place in places)


RULE = Rule(
    severity="warning",
    confidence="possible",
    title="File system outside the network to be made",
    rationale=(
        "A file system of FSx or EFS has its interfaces in one VPC, and is reached from there and from VPCs that are "
        "connected with it. A VPC that is yet to be made is neither: ParallelCluster refuses the file system then "
        "(ExistingFsxNetworkingValidator), and on Batch and EKS mounting it fails. deploy looks its VPC up before it "
        "makes anything. Where the file system stands in a network that an earlier deployment of this name has made, "
        "all is well."
    ),
    remedy="name its VPC and subnets in network.existing, or leave out the id and let one be made",
    source="https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/access-within-aws.html",
    bad="""\
network: {availability_zone: us-east-2a}
file_systems:
  - {mount: /fsx, lustre: {id: fs-0123456789abcdef0}}
""",
    good="""\
network:
  existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}
file_systems:
  - {mount: /fsx, lustre: {id: fs-0123456789abcdef0}}
""",
    check=check,
)
