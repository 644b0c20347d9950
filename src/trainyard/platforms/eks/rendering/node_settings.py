"""What trainyard-node is told of the nodes of a queue, by which it sees what is missing."""

from __future__ import annotations

from trainyard.platforms.eks.rendering.job_pods import efa_interfaces
from trainyard.platforms.eks.rendering.names import accelerator
from trainyard.render.node_hardware import hardware
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

_SETUPS = {"nvidia": "gpu", "neuron": "neuron", None: "cpu"}


def node_settings(spec: Spec, group: NodeGroup, instance_type: str) -> str:
    """Return the text of node.env, in the form of src/trainyard_node/node_env.py. What is unknown is left empty."""
    found = hardware(spec, group.queue)[instance_type]
    efa = efa_interfaces(group, instance_type)
    settings = {
        "CLUSTER": spec.name,
        "REGION": spec.region,
        "ROLE": f"compute-{group.queue.name}",
        "QUEUE": group.queue.name,
        "INSTANCE_TYPE": instance_type,
        "SETUP": _SETUPS[accelerator(group)],
        "MONITORING": spec.monitoring.mode,
        "EFA_INTERFACES": "" if efa is None else str(efa),
        "GPUS": "" if found.gpus is None else str(found.gpus),
        "FABRIC": found.fabric,
        # Pods mount the shared file systems, and not the node.
        "SHARED": "",
    }
    return "".join(f"TRAINYARD_{name}='{value}'\n" for name, value in settings.items())
