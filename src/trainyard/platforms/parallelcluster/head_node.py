"""The head node of a cluster, by Systems Manager: where its Slurm is asked and told."""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.errors import TrainyardError


def head_node(name: str, account: Account) -> SsmSlurm:
    """Return it. Raises TrainyardError where none runs."""
    heads = [node for node in nodes(account, name) if node.role == "HeadNode"]
    running = [node for node in heads if node.state == "running"]
    if not running:
        states = ", ".join(f"{node.id} is {node.state}" for node in heads) or "there is none"
        hint = f"`trainyard status {name} --region {account.region}` says how the cluster is"
        raise TrainyardError(f"no head node of {name} runs: {states}", where=name, hint=hint)
    return SsmSlurm(account, running[0].id)
