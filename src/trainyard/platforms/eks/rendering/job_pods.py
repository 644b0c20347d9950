"""The pods of jobs on the nodes of a node group."""

from __future__ import annotations

from trainyard.launch.launch import Launch, compute_launches
from trainyard.platforms.eks.rendering.names import QUEUE, TAINT_KEYS
from trainyard.render.job_pod import (
    EFA_INTERFACES,
    GPUS,
    HUGE_PAGES_SET_ASIDE_MIB,
    NEURON_CHIPS,
    OF_NODE_FOR_JOBS,
    JobPod,
)
from trainyard.spec.cluster import Spec

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
# What the kubelet, the system and what runs on every node need beyond their share of a large node.
_LEFT_MIB = 2048
_DEVICES = {"nvidia": GPUS, "neuron": NEURON_CHIPS}


def job_pod(launch: Launch) -> JobPod:
    """Return the pod for nodes of a group."""
    instance, facts = launch.instance, launch.instance.facts
    kind, efa = instance.accelerator, instance.efa_interfaces
    memory = None if facts is None else facts.memory_mib
    vcpus = None if facts is None else facts.vcpus
    set_aside = HUGE_PAGES_SET_ASIDE_MIB if efa else 0
    return JobPod(
        {QUEUE: launch.nodes.queue.name, INSTANCE_TYPE: instance.name},
        [] if kind is None else [{"key": TAINT_KEYS[kind], "operator": "Exists", "effect": "NoSchedule"}],
        {
            **({} if kind is None else {_DEVICES[kind]: instance.accelerators}),
            **({EFA_INTERFACES: efa} if efa else {}),
        },
        None if memory is None else int((memory - set_aside) * OF_NODE_FOR_JOBS) - _LEFT_MIB,
        None if vcpus is None else max(int(vcpus * OF_NODE_FOR_JOBS), 1),
    )


def launch_with_type(spec: Spec, queue: str, instance_type: str) -> Launch:
    """Return the nodes of a queue that have an instance type."""
    launches = (launch for launch in compute_launches(spec) if launch.queue_name == queue)
    return next(launch for launch in launches if instance_type in launch.instance_types)
