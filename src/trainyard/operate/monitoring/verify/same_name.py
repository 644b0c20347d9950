"""Whether two clusters of one name send to the same place: their samples cannot be told apart any more."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.nodes.durations import short_list


def same_name(situation: Situation) -> Iterator[Finding]:
    """Yield head nodes beyond the first, and nodes that are scraped and that the account does not have."""
    on_nodes = [target for target in situation.targets if target.labels.get("instance_id")]
    heads = {on_node.labels["instance_id"] for on_node in on_nodes if on_node.labels.get("node_type") == "HeadNode"}
    if len(heads) > 1:
        message = f"{len(heads)} head nodes send as {situation.spec.name}: {short_list(sorted(heads))}"
        yield finding("cluster-name-twice", message)
    elif situation.account is not None:
        own_ids = {instance.id for instance in situation.account.instances}
        strange = sorted({on_node.labels["instance_id"] for on_node in on_nodes} - own_ids)
        if strange:
            message = (
                f"nodes of {situation.spec.name} are scraped that the account does not have: {short_list(strange)}"
            )
            yield finding("cluster-name-twice", message, severity="warning")
