"""Whether nodes start from an image with the driver of their accelerators.

eksctl chooses the image of a node group by a list of instance types of its own. One that does not know a type takes the
image without drivers, and nodes become Ready that have no GPU: https://github.com/eksctl-io/eksctl/issues/7794
"""

from __future__ import annotations

from trainyard.deploy.work import Work
from trainyard.edge.aws import eks
from trainyard.errors import TrainyardError
from trainyard.launch.launch import compute_launches
from trainyard.platforms.eks.rendering.node_groups import node_group_name

# Types of images, by what their names hold: https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
_WITH_DRIVER = {"nvidia": "NVIDIA", "neuron": "NEURON"}
_OF_THE_USER = "CUSTOM"


def refuse_images_without_driver(work: Work) -> None:
    """Raise TrainyardError for the first node group whose nodes cannot use their accelerators."""
    for launch in compute_launches(work.wanted()):
        driver = _WITH_DRIVER.get(launch.instance.accelerator or "")
        there = eks.find_node_group(work.account, work.name, node_group_name(launch.nodes)) if driver else None
        if there is None or driver is None or driver in there.image_type or there.image_type in ("", _OF_THE_USER):
            continue
        program = work.eksctl(work.account).program
        raise TrainyardError(
            f"node group {there.name} has images of type {there.image_type}, without a driver for "
            f"{launch.instance.name}: eksctl {program.version} does not know that type",
            where=there.arn,
            hint=f"install a newer eksctl, remove the group with `eksctl delete nodegroup --cluster {work.name} "
            f"--region {work.account.region} --name {there.name}`, and run the command again",
        )
