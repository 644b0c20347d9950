"""The stack of launch templates for node groups that eksctl's own would not fit: nodes.yaml, filled for each."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from trainyard.errors import TrainyardError
from trainyard.launch.launch import Launch
from trainyard.platforms.eks.rendering.node_groups import node_group_name
from trainyard.platforms.eks.rendering.node_role import own_templates, pods_need_node_role
from trainyard.render.launch_template import launch_parameters, network_interface, root_volume_parameters
from trainyard.render.networking import security_groups
from trainyard.render.repeated_sections import for_each_queue
from trainyard.render.slots import Slot
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec


def needs_launch_templates(spec: Spec) -> bool:
    """Return whether there is a stack of launch templates."""
    return bool(own_templates(spec))


def launch_templates(spec: Spec) -> str:
    """Return the text of the template. Raises TrainyardError for a node group that cannot have one."""
    return for_each_queue(
        native_template(), {node_group_name(launch.nodes): _slots(spec, launch) for launch in own_templates(spec)}
    )


def launch_template_parameters(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return the parameters, as far as the spec decides them: those of all node groups first."""
    key = {} if spec.access.ssh_key is None else {"EC2KeyPair": spec.access.ssh_key}
    parameters = {
        "ClusterName": spec.name,
        "SecurityGroups": ",".join(reversed(security_groups(spec, "Compute", ids)["AdditionalSecurityGroups"])),
        **key,
        "MetadataHops": "2" if pods_need_node_role(spec) else "1",
        "DetailedMonitoring": str(spec.monitoring.detailed).lower(),
    }
    for number, launch in enumerate(own_templates(spec), 1):
        own = _of_group(launch, ids)
        parameters |= own if number == 1 else {f"{name}{number}": value for name, value in own.items()}
    return parameters


@cache
def native_template() -> str:
    """Return the file as it lies in the package, with marks and comments."""
    return Path(__file__).with_name("nodes.yaml").read_text(encoding="utf-8")


def _slots(spec: Spec, launch: Launch) -> dict[str, Any]:
    where, facts = ".".join(map(str, launch.paths.nodes)), launch.instance.facts
    if launch.image is not None:
        raise TrainyardError(
            f"nodes of {launch.title} have an image and a launch template of their own, and nothing would "
            "tell them how to join the cluster",
            where=where,
            hint="leave the image to EKS, or make the node group by hand once the cluster is there",
        )
    if facts is None or facts.cards is None:
        raise TrainyardError(
            f"the network cards of {launch.instance.name} are unknown, and its launch template names them",
            where=where,
            hint="choose a type that `trainyard instances` lists, or leave placement_group and the volume's type alone",
        )
    interfaces = launch.instance.known_plan().interfaces
    return {
        "instance-type": Slot.REMOVE if len(launch.instances) > 1 else launch.instance.name,
        "interfaces": [network_interface(interface, {"Ref": "SecurityGroups"}) for interface in interfaces],
        "user-data": Slot.KEEP if launch.instance.has_drives else Slot.REMOVE,
        "tags": [{"Key": key, "Value": value} for key, value in spec.tags.items() if key != "Name"],
    }


def _of_group(launch: Launch, ids: Ids) -> dict[str, str]:
    return {
        "QueueName": node_group_name(launch.nodes),
        **launch_parameters(launch, ids),
        **root_volume_parameters(launch.nodes.queue.root_volume),
    }
