"""Instances that run and that ECS does not know, and subnets from which none gets to ECS."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.account_state.subnets import way_out
from trainyard.edge.aws import ec2
from trainyard.edge.aws.batch_instances import container_instances, instances_of
from trainyard.edge.aws.batch_queues import ComputeEnvironment
from trainyard.platforms.batch.diagnosis.cluster_facts import BatchFacts
from trainyard.platforms.batch.diagnosis.launch_settings import launch_data

# A big instance boots for minutes, and mounts its file systems before its agent starts.
_LATE_S = 900
# https://docs.aws.amazon.com/AmazonECS/latest/developerguide/vpc-endpoints.html
_OF_INSTANCES = ("EC2", "SPOT")
_ENDPOINTS = ("ecs", "ecs-agent", "ecs-telemetry")


def registration_lines(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each such instance and subnet."""
    for environment in facts.environments:
        if environment.kind in _OF_INSTANCES:
            yield from _instances(facts, environment)
            yield from _subnets(facts, environment)


def _instances(facts: BatchFacts, environment: ComputeEnvironment) -> Iterator[str]:
    instances = facts.ask("its instances", instances_of, environment)
    registered_instances = facts.ask("instances that ECS knows", container_instances, environment.ecs_cluster)
    if instances is None or registered_instances is None:
        return
    cluster, now_s = environment.ecs_cluster.rpartition("/")[2], facts.account.clock.now()
    agents = {instance.instance: instance.agent_connected for instance in registered_instances}
    for instance in instances:
        id_, age_s = instance["InstanceId"], now_s - instance["LaunchTime"].timestamp()
        where = f"of compute environment {environment.name}"
        if instance["State"]["Name"] == "running" and age_s > _LATE_S and id_ not in agents:
            yield f"instance {id_} {where} runs for {age_s / 60:.0f} minutes and is not in ECS cluster {cluster}"
        elif agents.get(id_) is False:
            yield f"the ECS agent of instance {id_} {where} is not connected to ECS cluster {cluster}"


def _subnets(facts: BatchFacts, environment: ComputeEnvironment) -> Iterator[str]:
    subnets = (facts.ask("its subnets", ec2.subnets, environment.subnets) or {}) if environment.subnets else {}
    for id_, described in subnets.items():
        why = _closed(facts, environment, described)
        if why is not None and (missing := _missing_endpoints(facts, described["VpcId"])):
            subnet = f"subnet {id_} of compute environment {environment.name}"
            yield f"{subnet} has no way to ECS: {why}, and {described['VpcId']} has no endpoint for {missing}"


def _closed(facts: BatchFacts, environment: ComputeEnvironment, subnet: ec2.Described) -> str | None:
    """Return why no instance in a subnet gets to the internet; None where it does, or nobody may look."""
    tables = facts.ask("its routes", ec2.route_tables, subnet["VpcId"])
    if tables is None:
        return None
    target = way_out(_table_of(subnet["SubnetId"], tables))
    if target is None:
        return "no default route"
    public = subnet.get("MapPublicIpOnLaunch") or _takes_public_address(facts, environment)
    if not target.startswith("igw-") or public:
        return None
    return f"its default route leads to {target}, nodes get no public address"


def _takes_public_address(facts: BatchFacts, environment: ComputeEnvironment) -> bool:
    interfaces = launch_data(facts, environment).get("NetworkInterfaces", ())
    return any(interface.get("AssociatePublicIpAddress") for interface in interfaces)


def _table_of(subnet: str, tables: tuple[ec2.Described, ...]) -> ec2.Described | None:
    """Return the route table that a subnet follows: its own, otherwise the main one."""
    associated = [(table, association) for table in tables for association in table.get("Associations", ())]
    own = [table for table, association in associated if association.get("SubnetId") == subnet]
    return next(iter([*own, *(table for table, association in associated if association.get("Main"))]), None)


def _missing_endpoints(facts: BatchFacts, vpc: str) -> str:
    endpoints = facts.ask("its endpoints", ec2.vpc_endpoints, vpc)
    if endpoints is None:
        return ""
    available = {str(endpoint["ServiceName"]).rpartition(".")[2] for endpoint in endpoints}
    return ", ".join(endpoint_name for endpoint_name in _ENDPOINTS if endpoint_name not in available)
