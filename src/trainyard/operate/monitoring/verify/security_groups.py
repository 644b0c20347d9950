"""Whether exporters are reached: by security groups, and at the port where each listens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_address, ip_network
from typing import Any

from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.in_account import InAccount, ScrapedInstance
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.monitoring.verify.targets import place, runs

_KEEPER_PORT = 9090


def security_groups(situation: Situation) -> Iterator[Finding]:
    """Yield the ports that the head node cannot reach, by kind of nodes."""
    account = situation.account
    head = account.head if account else None
    if account is None or head is None:
        return
    situation.looked_at["security groups"] += len(account.groups)
    closed: dict[tuple[str, int, str, str], str] = {}
    for exporter in situation.exporters:
        for instance in account.discoverable:
            if instance.id != head.id and runs(exporter, instance.node_type, instance.queue):
                why = _why_closed(account, head, instance.groups, instance.address, exporter.port)
                if why is not None:
                    closed[exporter.job, exporter.port, instance.node_type, instance.queue] = why
    for (job, port, node_type, queue), why in sorted(closed.items()):
        message = f"the head node cannot reach {job} of {place(node_type, queue)}: {why} port {port}"
        yield finding("port-closed", message)
    yield from _keeper(account, head)


def ports(situation: Situation) -> Iterator[Finding]:
    """Yield one finding for each exporter that is scraped at another port than its own."""
    for exporter in situation.exporters:
        scraped = [
            target.labels.get("instance", "")
            for target in situation.targets
            if target.labels.get("job") == exporter.job
        ]
        wrong = sorted({address.rpartition(":")[2] for address in scraped} - {str(exporter.port)})
        if wrong:
            message = f"{exporter.job} is scraped at port {' and '.join(wrong)}, and listens on {exporter.port}"
            yield finding("target-port-wrong", message)


def _keeper(account: InAccount, head: ScrapedInstance) -> Iterator[Finding]:
    if account.keeper_groups:
        address = account.outputs.get("MonitoringInstancePrivateIp")
        why = _why_closed(account, head, account.keeper_groups, address, _KEEPER_PORT)
        if why is not None:
            yield finding("port-closed", f"the head node cannot send to the instance: {why} port {_KEEPER_PORT}")


def _why_closed(
    account: InAccount, head: ScrapedInstance, groups: tuple[str, ...], address: str | None, port: int
) -> str | None:
    """Return which end lets nothing through, None where both do."""
    into = [rule for group in groups for rule in _rules(account, group, "IpPermissions")]
    out_of = [rule for group in head.groups for rule in _rules(account, group, "IpPermissionsEgress")]
    if not any(_allows(rule, port, head.groups, head.address) for rule in into):
        return f"no rule of {' and '.join(groups)} lets it in at"
    if not any(_allows(rule, port, groups, address) for rule in out_of):
        return f"no rule of its own {' and '.join(head.groups)} lets it out to"
    return None


def _rules(account: InAccount, group: str, direction: str) -> Iterable[Mapping[str, Any]]:
    rules: Iterable[Mapping[str, Any]] = account.groups.get(group, {}).get(direction, ())
    return rules


def _allows(rule: Mapping[str, Any], port: int, groups: tuple[str, ...], address: str | None) -> bool:
    """Return whether a rule lets a port through to or from somebody. What a prefix list holds is not asked: it may.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html
    """
    protocol = rule.get("IpProtocol")
    within = protocol == "-1" or (protocol == "tcp" and rule.get("FromPort", 0) <= port <= rule.get("ToPort", 65535))
    named = any(pair.get("GroupId") in groups for pair in rule.get("UserIdGroupPairs", ()))
    ranges = [ip_range_["CidrIp"] for ip_range_ in rule.get("IpRanges", ())]
    ranged = address is not None and any(ip_address(address) in ip_network(range_, strict=False) for range_ in ranges)
    return within and (named or ranged or bool(rule.get("PrefixListIds")))
