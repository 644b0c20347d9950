"""Compute nodes with public addresses."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.rules.multi_card_in_public_subnet import interface_count, is_public
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield queues in a public subnet. Nodes with several interfaces do not come up there: that is another rule."""
    for index, queue in enumerate(spec.queues):
        several = any(interface_count(spec, group) > 1 for group in spec.groups_in(queue))
        if is_public(spec, queue.subnet) and not several:
            message = f"nodes of queue {queue.name!r} get public addresses, which nobody needs to reach"
            yield Problem(("queues", index, "subnet"), message)


RULE = Rule(
    severity="warning",
    title="Compute nodes in a public subnet",
    rationale=(
        "Jobs run arbitrary code with the role of their node. With a public address, one security group alone is "
        "between that and everybody who scans addresses; in a private subnet there is no way in at all, and NAT or "
        "VPC endpoints are the way out."
    ),
    remedy="use subnet: private; `trainyard connect NAME --node NODE` opens a shell there all the same",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/infrastructure-security.html",
    bad="""\
queues:
  - name: cpu
    instance_type: m5.8xlarge
    subnet: public
""",
    good="""\
queues:
  - name: cpu
    instance_type: m5.8xlarge
    subnet: private
""",
    check=check,
)
