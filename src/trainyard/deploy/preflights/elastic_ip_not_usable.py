"""Elastic IP addresses that the account does not own, or that something else uses."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.instances import own_instances
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import ec2
from trainyard.rules import Problem

_PATH = ("head_node", "elastic_ip")


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the address of the head node where it cannot be had."""
    address = context.spec.head_node.elastic_ip
    if not isinstance(address, str):
        return
    address_facts = context.ask(ec2.addresses).get(address)
    if address_facts is None:
        yield Problem(_PATH, f"account {context.account.id} owns no address {address} in {context.spec.region}")
    elif address_facts.get("AssociationId") and not _is_ours(context, address_facts):
        user = address_facts.get("InstanceId") or address_facts.get("NetworkInterfaceId") or "something else"
        yield Problem(_PATH, f"address {address} is in use by {user}", "free it, or name another one")


def _is_ours(context: PreflightContext, address_facts: ec2.Described) -> bool:
    return any(instance["InstanceId"] == address_facts.get("InstanceId") for instance in own_instances(context))


PREFLIGHT = Preflight(
    severity="error",
    title="Elastic IP address that cannot be used",
    rationale=(
        "An Elastic IP address belongs to one region of one account and serves one interface at a time. Taking one "
        "that is in use would cut somebody off."
    ),
    remedy="name one of `aws ec2 describe-addresses` that is free, or write true for a new one",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/elastic-ip-addresses-eip.html",
    permissions=("ec2:DescribeAddresses", "ec2:DescribeInstances"),
    check=check,
)
