"""Puts seeds into the emulated account: what exists there before anybody deploys anything."""

from __future__ import annotations

import base64
import ipaddress
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from moto.acm.models import CertBundle, acm_backends
from moto.ec2 import models as ec2_models
from moto.ec2.models import ec2_backends, security_groups, subnets, vpcs
from moto.ec2.models.amis import Ami
from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend
from moto.ec2.utils import random_ami_id
from moto.efs.models import efs_backends
from moto.iam.models import iam_backends
from moto.kms.models import kms_backends
from moto.moto_api._internal import mock_random
from moto.secretsmanager.models import secretsmanager_backends

from trainyard.rehearsal.emulated import faults
from trainyard.rehearsal.emulated.apis import ec2_capacity, fsx, resource_groups
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.instance_types import plant_instance_types, plant_local_zones

VARIABLE = "TRAINYARD_EMULATED_SEEDS"
# Amazon's own account behind the official images is known by the alias alone.
_AMAZON = "247102896272"
_STATEMENT = {"Effect": "Allow", "Action": "*", "Resource": "*"}
_DOCUMENT = json.dumps({"Version": "2012-10-17", "Statement": [_STATEMENT]})
_CIDR = "10.0.0.0/16"
_UNNAMED = "10.0.240.0/20"


def plant_from_environment() -> None:
    """Plant the seeds in the file that TRAINYARD_EMULATED_SEEDS names, if it names one."""
    file = os.environ.get(VARIABLE)
    if file:
        plant(json.loads(Path(file).read_text(encoding="utf-8")))


def plant(seeds: Mapping[str, Any]) -> None:
    """Plant seeds. Anything may be missing except the region."""
    seeds = _with_zones(seeds)
    account, region = seeds.get("account_id", "123456789012"), seeds["region"]
    _plant_images(account, region, seeds)
    plant_instance_types(region, seeds)
    plant_local_zones(region, seeds)
    _plant_capacity(account, region, seeds)
    plant_network(account, region, seeds.get("network"))
    _plant_storage(account, region, seeds)
    _plant_identity(account, region, seeds)
    faults.plant(seeds.get("faults", {}))


def _with_zones(seeds: Mapping[str, Any]) -> dict[str, Any]:
    """Return seeds in which every subnet has a zone, and every reservation that of the subnet that it names."""
    network = seeds.get("network")
    if network is None:
        return dict(seeds)
    placed = {**network}
    for key in ("public", "private"):
        used = {subnet["zone"] for subnet in network[key]}
        free = (zone.name for zone in RegionsAndZonesBackend.zones[seeds["region"]] if zone.name not in used)
        placed[key] = [{**subnet, "zone": subnet["zone"] or next(free)} for subnet in network[key]]
    zones = {subnet["id"]: subnet["zone"] for subnet in placed["private"]}

    def in_zone(reservation: Mapping[str, Any]) -> dict[str, Any]:
        other = {key: value for key, value in reservation.items() if key != "SubnetId"}
        zone = zones.get(reservation.get("SubnetId", ""), reservation["AvailabilityZone"])
        return {**other, "AvailabilityZone": zone}

    reservations = [in_zone(reservation) for reservation in seeds.get("reservations", [])]
    groups = [
        {**group, "reservations": [in_zone(reservation) for reservation in group["reservations"]]}
        for group in seeds.get("reservation_groups", [])
    ]
    return {**seeds, "network": placed, "reservations": reservations, "reservation_groups": groups}


def _plant_images(account: str, region: str, seeds: Mapping[str, Any]) -> None:
    backend = ec2_backends[account][region]
    for image in seeds.get("images", []):
        is_official = image["owner"] == "amazon"
        name = image.get("id") or random_ami_id()
        backend.amis[name] = Ami(
            backend,
            name,
            name=image["name"],
            owner_id=_AMAZON if is_official else account,
            owner_alias="amazon" if is_official else None,
            public=is_official,
            architecture=image["architecture"],
            virtualization_type="hvm",
            root_device_type="ebs",
            region_name=f"{region}a",
            tags=image["tags"],
        )


def _plant_capacity(account: str, region: str, seeds: Mapping[str, Any]) -> None:
    for wanted in seeds.get("reservations", []):
        ec2_capacity.reserve(account, region, wanted)
    for group in seeds.get("reservation_groups", []):
        made = [ec2_capacity.reserve(account, region, wanted) for wanted in group["reservations"]]
        arns = [reservation["CapacityReservationArn"] for reservation in made]
        resource_groups.plant_group(account, region, group["arn"], arns)


def _plant_storage(account: str, region: str, seeds: Mapping[str, Any]) -> None:
    inside = InProcessAccount(region, account)
    for bucket in seeds.get("buckets", []):
        place = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
        inside.client("s3").create_bucket(Bucket=bucket["name"], **place)
        for key in bucket["keys"]:
            inside.client("s3").put_object(Bucket=bucket["name"], Key=key, Body=b"#!/bin/sh\n")
    subnets, group = _place(account, region, seeds)
    where = {"SubnetIds": subnets[:1], "SecurityGroupIds": [group]}
    for name in seeds.get("lustre", []):
        configuration = {"DeploymentType": "PERSISTENT_2"}
        asked = {"FileSystemType": "LUSTRE", "StorageCapacity": 4800, "LustreConfiguration": configuration, **where}
        fsx.make_file_system(account, region, asked, name)
    for name in seeds.get("zfs_volumes", []):
        asked = {"FileSystemType": "OPENZFS", "StorageCapacity": 512, **where}
        fsx.make_file_system(account, region, asked, root_volume=name)
    for file_system in seeds.get("efs", []):
        _plant_efs(account, region, file_system, subnets, group)
    for volume in seeds.get("volumes", []):
        with given_id(ec2_models.elastic_block_store, "random_volume_id", volume["id"]):
            ec2_backends[account][region].create_volume(200, volume["zone"], volume_type="gp3")


def _place(account: str, region: str, seeds: Mapping[str, Any]) -> tuple[list[str], str]:
    """Return where file systems stand: in the network that the seeds have, else in the default VPC."""
    backend = ec2_backends[account][region]
    network = seeds.get("network")
    subnets = (
        [backend.get_subnet(one["id"]) for one in network["private"]]
        if network
        else list(backend.get_default_subnets().values())
    )
    vpc = backend.get_vpc(subnets[0].vpc_id)
    group = backend.get_security_group_from_name("file-systems", vpc_id=vpc.id) or backend.create_security_group(
        "file-systems", "lets the VPC in", vpc_id=vpc.id
    )
    if not group.ingress_rules:
        inside = InProcessAccount(region, account).client("ec2")
        inside.authorize_security_group_ingress(
            GroupId=group.id, IpPermissions=[{"IpProtocol": "-1", "IpRanges": [{"CidrIp": vpc.cidr_block}]}]
        )
    return [subnet.id for subnet in subnets], group.id


def _plant_efs(account: str, region: str, file_system: Mapping[str, Any], subnets: list[str], group: str) -> None:
    backend, name = efs_backends[account][region], file_system["id"]
    digits = name.removeprefix("fs-")
    with given_id(mock_random, "get_random_hex", digits):
        backend.create_file_system(name, "generalPurpose", True, "", "bursting", 0, "", False, [])  # noqa: FBT003
    zones: dict[str, str] = {}
    for subnet in subnets:
        zones.setdefault(ec2_backends[account][region].get_subnet(subnet).availability_zone, subnet)
    for subnet in zones.values():
        backend.create_mount_target(name, subnet, security_groups=[group])
    for access_point in file_system["access_points"]:
        with given_id(mock_random, "get_random_hex", access_point.removeprefix("fsap-")):
            backend.create_access_point(access_point, [], name, {}, {})


def _plant_identity(account: str, region: str, seeds: Mapping[str, Any]) -> None:
    inside = InProcessAccount(region, account)
    for name in seeds.get("key_pairs", []):
        inside.client("ec2").create_key_pair(KeyName=name, KeyType="ed25519")
    for address in seeds.get("elastic_ips", []):
        ec2_backends[account][region].allocate_address("vpc", str(ipaddress.ip_address(address)))
    for arn in seeds.get("policies", []):
        path, _, name = arn.partition(":policy")[2].rpartition("/")
        iam_backends[account]["aws"].create_policy("", f"{path}/", _DOCUMENT, name, [])
    for arn in seeds.get("secrets", []):
        _plant_secret(account, region, arn)
    for arn in seeds.get("kms_keys", []):
        key = kms_backends[account][region].create_key(None, "ENCRYPT_DECRYPT", "SYMMETRIC_DEFAULT", "", None)
        del kms_backends[account][region].keys[key.id]
        key.id, key.arn = arn.rpartition("/")[2], arn
        kms_backends[account][region].keys[key.id] = key
    for arn in seeds.get("certificates", []):
        made = CertBundle.generate_cert("grafana.example.com", account_id=account, region=region)
        made.arn, made.status = arn, "ISSUED"  # moto leaves it waiting for its owner
        acm_backends[account][region]._certificates[arn] = made  # noqa: SLF001  # moto has no public way


def _munge_key() -> str:
    """Return what a secret holds: something that passes for a munge key of 512 bits, in base64, and for a password."""
    return base64.b64encode(secrets.token_bytes(64)).decode()


def _plant_secret(account: str, region: str, arn: str) -> None:
    name = arn.partition(":secret:")[2]
    made = (
        InProcessAccount(region, account).client("secretsmanager").create_secret(Name=name, SecretString=_munge_key())
    )
    secretsmanager_backends[account][region].secrets[made["ARN"]].arn = arn


def plant_network(account: str, region: str, network: Mapping[str, Any] | None) -> None:
    """Make the network: public subnets behind an internet gateway, private ones behind a NAT gateway."""
    if network is None:
        return
    vpc = network["vpc"]
    ec2 = InProcessAccount(region, account).client("ec2")
    with given_id(vpcs, "random_vpc_id", vpc):
        ec2.create_vpc(CidrBlock=_CIDR)
    for attribute in ("EnableDnsSupport", "EnableDnsHostnames"):
        ec2.modify_vpc_attribute(VpcId=vpc, **{attribute: {"Value": True}})
    for number, subnet in enumerate([*network["public"], *network["private"]]):
        _plant_subnet(ec2, vpc, subnet, f"10.0.{number * 16}.0/20")
    _plant_routes(ec2, vpc, network)
    for name in network["security_groups"]:
        with given_id(security_groups, "random_security_group_id", name):
            ec2.create_security_group(GroupName=f"own-{name}", Description="named by the spec", VpcId=vpc)


def _plant_subnet(ec2: Any, vpc: str, subnet: Mapping[str, str], cidr: str) -> None:
    with given_id(subnets, "random_subnet_id", subnet["id"]):
        ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZone=subnet["zone"])
    ec2.modify_subnet_attribute(SubnetId=subnet["id"], MapPublicIpOnLaunch={"Value": False})


def _plant_routes(ec2: Any, vpc: str, network: Mapping[str, Any]) -> None:
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    _plant_route(ec2, vpc, network["public"], {"GatewayId": gateway})
    for subnet in network["public"]:
        ec2.modify_subnet_attribute(SubnetId=subnet["id"], MapPublicIpOnLaunch={"Value": True})
    if network.get("endpoints"):
        _plant_endpoints(ec2, vpc, network)
        return
    public = network["public"][0]["id"] if network["public"] else _unnamed_subnet(ec2, vpc, network, gateway)
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    made = ec2.create_nat_gateway(SubnetId=public, AllocationId=address)
    _plant_route(ec2, vpc, network["private"], {"NatGatewayId": made["NatGateway"]["NatGatewayId"]})


def _plant_endpoints(ec2: Any, vpc: str, network: Mapping[str, Any]) -> None:
    """Make what private subnets without a way to the internet need: an endpoint for each service that nodes ask."""
    table = _plant_route(ec2, vpc, network["private"], {})
    region, subnets_of_zones = ec2.meta.region_name, {subnet["zone"]: subnet["id"] for subnet in network["private"]}
    for service in network["endpoints"]:
        by_route = service in ("s3", "dynamodb")
        kind = {"VpcEndpointType": "Gateway", "RouteTableIds": [table]}
        interface = {
            "VpcEndpointType": "Interface",
            "SubnetIds": [*subnets_of_zones.values()],
            "PrivateDnsEnabled": True,
        }
        name = f"com.amazonaws.{region}.{service}"
        ec2.create_vpc_endpoint(VpcId=vpc, ServiceName=name, **(kind if by_route else interface))


def _unnamed_subnet(ec2: Any, vpc: str, network: Mapping[str, Any], gateway: str) -> str:
    """Make the public subnet of the NAT gateway, where the spec has no reason to name one."""
    zone = network["private"][0]["zone"]
    made = ec2.create_subnet(VpcId=vpc, CidrBlock=_UNNAMED, AvailabilityZone=zone)["Subnet"]
    _plant_route(ec2, vpc, [{"id": made["SubnetId"]}], {"GatewayId": gateway})
    return str(made["SubnetId"])


def _plant_route(ec2: Any, vpc: str, subnets_of_it: list[Mapping[str, str]], target: Mapping[str, str]) -> str:
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    if target:
        ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", **target)
    for subnet in subnets_of_it:
        ec2.associate_route_table(RouteTableId=table, SubnetId=subnet["id"])
    return str(table)


@contextmanager
def given_id(owner: Any, maker: str, name: str) -> Iterator[None]:
    """Let the function of moto's that makes up ids return this one for as long as the block runs."""
    former = getattr(owner, maker)
    setattr(owner, maker, lambda *_, **__: name)
    try:
        yield
    finally:
        setattr(owner, maker, former)
