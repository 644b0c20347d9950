"""EC2: what stands in a subnet, a security group or a VPC keeps it from being deleted. Moto deletes it all the same.

https://docs.aws.amazon.com/vpc/latest/userguide/delete-vpc.html
https://github.com/getmoto/moto/blob/5.2.5/moto/ec2/models/subnets.py#L630
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from moto.ec2.exceptions import DependencyViolationError
from moto.ec2.models import EC2Backend
from moto.elbv2.models import elbv2_backends

from trainyard.rehearsal.emulated.actions import wrap


def install() -> None:
    """Look before deleting; and let a NAT gateway's network interface and address go with it."""
    wrap(EC2Backend, "delete_subnet", _delete_subnet)
    wrap(EC2Backend, "delete_security_group", _delete_security_group)
    wrap(EC2Backend, "delete_vpc", _delete_vpc)
    wrap(EC2Backend, "detach_internet_gateway", _detach_internet_gateway)
    wrap(EC2Backend, "delete_nat_gateway", _delete_nat_gateway)
    wrap(EC2Backend, "create_network_interface", _create_network_interface)
    wrap(EC2Backend, "delete_managed_prefix_list", _delete_managed_prefix_list)


def _delete_subnet(former: Callable[..., Any], backend: Any, subnet_id: str) -> Any:
    standing = [
        *(eni.id for eni in _interfaces(backend) if eni.subnet.id == subnet_id),
        *(balancer.arn for balancer in _balancers(backend) if subnet_id in balancer.subnets),
    ]
    _refuse(standing, f"The subnet '{subnet_id}' has dependencies and cannot be deleted")
    return former(backend, subnet_id)


def _delete_security_group(former: Callable[..., Any], backend: Any, name: Any = None, group_id: Any = None) -> Any:
    if group_id:
        standing = [
            *(eni.id for eni in _interfaces(backend) if group_id in {group.id for group in eni.group_set}),
            *(group for group in _groups_that_name(backend, group_id) if group != group_id),
            *(endpoint.id for endpoint in _endpoints(backend) if group_id in (endpoint.security_group_ids or [])),
            *(balancer.arn for balancer in _balancers(backend) if group_id in (balancer.security_groups or [])),
        ]
        _refuse(standing, f"resource {group_id} has a dependent object")
    return former(backend, name=name, group_id=group_id)


def _delete_vpc(former: Callable[..., Any], backend: Any, vpc_id: str) -> Any:
    standing = [
        *(group.id for group in backend.groups.get(vpc_id, {}).values() if group.name != "default"),
        *(gateway.id for gateway in backend.internet_gateways.values() if gateway.vpc and gateway.vpc.id == vpc_id),
        *(endpoint.id for endpoint in _endpoints(backend) if endpoint.vpc_id == vpc_id),
    ]
    _refuse(standing, f"The vpc '{vpc_id}' has dependencies and cannot be deleted")
    return former(backend, vpc_id)


def _detach_internet_gateway(former: Callable[..., Any], backend: Any, internet_gateway_id: str, vpc_id: str) -> Any:
    in_vpc = (eni for eni in _interfaces(backend) if eni.subnet.vpc_id == vpc_id)
    mapped = {address.eni.id for address in backend.addresses if address.eni}
    standing = [eni.id for eni in in_vpc if eni.id in mapped or eni.public_ip]
    message = f"Network {vpc_id} has some mapped public address(es). Please unmap those before detaching the gateway"
    _refuse(standing, message)
    return former(backend, internet_gateway_id, vpc_id)


def _delete_nat_gateway(former: Callable[..., Any], backend: Any, nat_gateway_id: str) -> Any:
    gateway = former(backend, nat_gateway_id)
    interface = gateway._eni  # noqa: SLF001  # moto keeps it to itself
    for address in backend.addresses:
        if address.eni is interface:
            address.eni = address.association_id = None
    backend.enis.pop(interface.id, None)
    return gateway


def _create_network_interface(former: Callable[..., Any], backend: Any, *arguments: Any, **named: Any) -> Any:
    """Let the interface that RunInstances makes of its own accord go with its instance.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceNetworkInterfaceSpecification.html
    """
    if named.get("description") == "Primary network interface":  # what moto calls it
        named["delete_on_termination"] = True
    return former(backend, *arguments, **named)


def _delete_managed_prefix_list(former: Callable[..., Any], backend: Any, prefix_list_id: str) -> Any:
    _refuse(list(_groups_that_name(backend, prefix_list_id)), f"The prefix list '{prefix_list_id}' is in use")
    return former(backend, prefix_list_id)


def _interfaces(backend: Any) -> Iterator[Any]:
    """Yield the network interfaces that are there: those of terminated instances are gone."""
    for eni in backend.enis.values():
        if eni.instance is None or eni.instance.state != "terminated":
            yield eni


def _endpoints(backend: Any) -> Iterator[Any]:
    return (point for point in backend.vpc_end_points.values() if point.state != "deleted")


def _balancers(backend: Any) -> Iterator[Any]:
    return iter(elbv2_backends[backend.account_id][backend.region_name].load_balancers.values())


def _groups_that_name(backend: Any, name: str) -> Iterator[str]:
    """Yield the security groups with a rule about another group or a prefix list."""
    for groups in backend.groups.values():
        for group in groups.values():
            rules = [*group.ingress_rules, *group.egress_rules]
            if any(name in (rule.source_group.get("GroupId"), rule.prefix_list_id) for rule in rules):
                yield group.id


def _refuse(standing: list[str], message: str) -> None:
    if standing:
        raise DependencyViolationError(f"{message}: {', '.join(standing[:3])}.")
