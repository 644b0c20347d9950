"""EFA of a Lustre file system that the nodes do not use."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue

# https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html#efa-prerequisites
_EXCLUDED_FAMILY = "trn2"
# EFA of the first generation belongs to Nitro v3: https://docs.aws.amazon.com/ec2/latest/instancetypes/ec2-nitro-instances.html
_TOO_OLD = 1


def check(spec: Spec) -> Iterator[Problem]:
    """Yield file systems with EFA, where no nodes can use it or nobody configures those that could."""
    with_efa = [(path, mount) for path, mount, lustre in spec.new_lustre() if lustre.efa]
    if spec.is_environment or not with_efa:
        return
    clients = [queue for queue in spec.queues if _can_use_it(spec, queue)]
    for path, mount in with_efa:
        if not clients:
            yield Problem((*path, "efa"), f"no queue has nodes that reach {mount} by EFA", _OTHER_NODES)
        elif not any(queue.custom_actions.on_start for queue in clients):
            yield Problem((*path, "efa"), f"no queue has a script that lets its nodes reach {mount} by EFA")


def _can_use_it(spec: Spec, queue: Queue) -> bool:
    from trainyard.launch.launch import compute_launches  # noqa: PLC0415  every check imports this rule

    instances = (instance for launch in compute_launches(spec, queue) for instance in launch.instances)
    return any(instance.efa and _is_client(instance.name) for instance in instances)


def _is_client(name: str) -> bool:
    facts = find(name)
    too_old = facts is not None and facts.efa_generation == _TOO_OLD
    return not (too_old or name.startswith(_EXCLUDED_FAMILY))


_OTHER_NODES = "remove efa, or give a queue nodes of Nitro v4 or later with EFA, such as p5.48xlarge; not of trn2"

RULE = Rule(
    severity="warning",
    title="EFA of a file system that no node uses",
    rationale=(
        "Nodes reach a file system with EFA over TCP until the Lustre network is configured for EFA on each of them, "
        "which images do not. It takes instances of Nitro v4 or later with EFA, without trn2, and Amazon Linux 2023, "
        "RHEL 9.5 or Ubuntu with kernel 6.8."
    ),
    remedy=(
        "put AWS's configure-efa-fsx-lustre-client.sh into a bucket and write it as the queue's "
        "custom_actions.on_start, where the image does not do it"
    ),
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/tutorial-efa-enabled-fsx-lustre.html",
    bad="""\
queues: [{name: train, instance_type: p5.48xlarge}]
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 1000, efa: true}}
""",
    good="""\
timeouts: {head_node_s: 3600, compute_node_s: 2400}
queues:
  - name: train
    instance_type: p5.48xlarge
    custom_actions: {on_start: [{script: "s3://my-bucket/configure-efa-fsx-lustre-client.sh"}]}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 1000, efa: true}}
""",
    check=check,
)
