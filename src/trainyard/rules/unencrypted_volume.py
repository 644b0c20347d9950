"""An EBS volume that is not encrypted."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Fix, Path
from trainyard.rules import Problem, Rule
from trainyard.rules.eksctl.config import node_groups
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Ebs
from trainyard.spec.volume import RootVolume


def check(spec: Spec) -> Iterator[Problem]:
    """Yield volumes to be made without encryption."""
    for path, volume in volumes(spec):
        if not volume.encrypted:
            place = (*path, "encrypted")
            yield Problem(place, f"the volume of {_owner(spec, path)} is not encrypted", fix=Fix(place, value=True))


def check_eksctl(document: Document) -> Iterator[Problem]:
    """Yield node groups whose volume is told not to be encrypted."""
    for group in node_groups(document):
        if group.written.get("volumeEncrypted") is False:
            path = (*group.path, "volumeEncrypted")
            message = f"the volume of node group {group.name!r} is not encrypted"
            yield Problem(path, message, fix=Fix(path, value=True))


def volumes(spec: Spec) -> Iterator[tuple[Path, RootVolume | Ebs]]:
    """Yield every EBS volume that a spec makes, with its place."""
    yield ("head_node", "root_volume"), spec.head_node.root_volume
    for index, queue in enumerate(spec.queues):
        yield ("queues", index, "root_volume"), queue.root_volume
    for index, file_system in enumerate(spec.file_systems):
        if file_system.ebs is not None and file_system.ebs.id is None:
            yield ("file_systems", index, "ebs"), file_system.ebs


def _owner(spec: Spec, path: Path) -> str:
    match path:
        case ("queues", int(index), *_):
            return f"queue {spec.queues[index].name}"
        case ("file_systems", int(index), *_):
            return spec.file_systems[index].mount
        case _:
            return "the head_node"


RULE = Rule(
    severity="warning",
    title="Volume that is not encrypted",
    rationale=(
        "Volumes hold credentials, code and logs, and encryption costs no money and next to no speed. Where an "
        "organisation refuses volumes without it, nodes fail to start."
    ),
    remedy="remove the key: volumes are encrypted unless it says otherwise",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption.html",
    bad="""\
head_node: {root_volume: {encrypted: false}}
""",
    good="""\
head_node: {root_volume: {size_gib: 500}}
""",
    check=check,
)
EKSCTL = RULE.in_documents(
    "eksctl-unencrypted-volume",
    check_eksctl,
    remedy="write volumeEncrypted: true",
    bad="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge, volumeEncrypted: false}
""",
    good="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge, volumeEncrypted: true}
""",
)
