"""More vCPUs than the account may run, by family and by how they are bought."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.catalog.deployment_file import ServiceQuota
from trainyard.catalog.service_quotas import vcpu_quota
from trainyard.deploy.account_state.instances import is_own, vcpus_of
from trainyard.deploy.account_state.reservations import COMING
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import ec2, service_quotas
from trainyard.launch.launch import Launch, launches
from trainyard.rules import Problem

_CONSOLE = "https://console.aws.amazon.com/servicequotas/home/services"


class Demand(NamedTuple):
    """What some nodes take of a quota."""

    launch: Launch
    least: int
    most: int


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield the nodes that take the most of a quota where all that count towards it do not fit."""
    for quota, demands in _demands(context):
        allowed = context.ask(service_quotas.quota, quota.service, quota.code)
        if allowed is None:
            message = f"AWS does not say how many vCPUs {_listed(demands)} may have"
            yield Problem(
                demands[0].launch.paths.node_count, message, f"look for {quota.code} in Service Quotas", "info"
            )
            continue
        used = _used(context, quota)
        least, most = sum(demand.least for demand in demands), sum(demand.most for demand in demands)
        free = int(allowed.value) - used
        if most > free:
            biggest = max(demands, key=lambda demand: demand.most)
            vcpus = least if least > free else most
            message = (
                f"{_listed(demands)}: {vcpus:,} vCPUs of {allowed.name!r} are needed, and the account may run "
                f"{allowed.value:,.0f}, of which {used:,} are in use"
            )
            remedy = f"ask for {used + most:,} or more: {_CONSOLE}/{quota.service}/quotas/{quota.code}"
            yield Problem(biggest.launch.paths.node_count, message, remedy, "error" if least > free else "warning")


def _demands(context: PreflightContext) -> list[tuple[ServiceQuota, list[Demand]]]:
    # Reserved capacity was counted when it was reserved, and a Capacity Block is paid for beforehand.
    buying = [launch for launch in launches(context.spec) if not launch.capacity.is_reserved and launch.max_nodes]
    vcpus = vcpus_of(context, frozenset(name for launch in buying for name in launch.instance_types))
    demands: dict[str, tuple[ServiceQuota, list[Demand]]] = {}
    for launch in buying:
        quota = vcpu_quota(launch.instance_types[0], launch.capacity.kind)
        each = max((vcpus.get(name, 0) for name in launch.instance_types), default=0)
        if quota is not None and each:
            demand = Demand(launch, launch.first_nodes * each, launch.max_nodes * each)
            demands.setdefault(quota.name, (quota, []))[1].append(demand)
    return list(demands.values())


def _used(context: PreflightContext, quota: ServiceQuota) -> int:
    """Return the vCPUs that others use of a quota. What this cluster runs already is among what it needs."""
    types = [
        *(
            instance["InstanceType"]
            for instance in context.ask(ec2.used_instances)
            if _counts(context, instance, quota)
        ),
        *(name for name in _reserved(context, quota) if quota.purchase == "on-demand"),
    ]
    vcpus = vcpus_of(context, frozenset(types))
    return sum(vcpus.get(name, 0) for name in types)


def _counts(context: PreflightContext, instance: ec2.Described, quota: ServiceQuota) -> bool:
    bought = instance.get("InstanceLifecycle", "on-demand")
    same = vcpu_quota(instance["InstanceType"], bought)
    reserved = instance.get("CapacityReservationId") in _own_reservations(context)
    return same is not None and same.name == quota.name and not reserved and not is_own(context, instance)


def _reserved(context: PreflightContext, quota: ServiceQuota) -> Iterator[str]:
    """Yield the type of every reserved instance: they count as a whole, whether used or not."""
    for reservation in _own_reservations(context).values():
        same = vcpu_quota(reservation["InstanceType"], "on-demand")
        if same is not None and same.name == quota.name:
            yield from [reservation["InstanceType"]] * int(reservation.get("TotalInstanceCount", 0))


def _own_reservations(context: PreflightContext) -> dict[str, ec2.Described]:
    return {
        id_: reservation
        for id_, reservation in context.ask(ec2.capacity_reservations).items()
        if reservation.get("State") in ("active", *COMING)
        and reservation.get("ReservationType", "default") == "default"
        and reservation.get("OwnerId", context.account.id) == context.account.id
    }


def _listed(demands: list[Demand]) -> str:
    return ", ".join(f"{demand.launch.title} ({demand.launch.instance_types[0]})" for demand in demands)


PREFLIGHT = Preflight(
    severity="error",
    title="Quota for vCPUs that is too small",
    rationale=(
        "An account may run so many vCPUs of a family at once, in each region, on-demand and as spot apart. New "
        "accounts begin with 0 for P, Trn and G instances, and people at AWS decide about more, which takes days. "
        "Reservations count towards the quota even while nothing runs in them. Static nodes that do not fit keep the "
        "cluster from coming up; dynamic ones keep jobs waiting."
    ),
    remedy="ask for a higher quota in Service Quotas, in this region",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-on-demand-instances.html",
    permissions=(
        "servicequotas:GetServiceQuota",
        "servicequotas:GetAWSDefaultServiceQuota",
        "ec2:DescribeInstances",
        "ec2:DescribeCapacityReservations",
        "ec2:DescribeInstanceTypes",
    ),
    check=check,
)
