"""Clusters: what they name has to exist, their control plane stands in two zones, and none goes before its node groups.

https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html
"""

from __future__ import annotations

import base64
import contextlib
import uuid
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from trainyard.catalog.by_version import number_of
from trainyard.catalog.kubernetes_versions import find_version, known_versions
from trainyard.rehearsal.emulated.eks.state import (
    EmulatedEksCluster,
    arn,
    begin_update,
    cluster_of,
    clusters,
    in_use_error,
    invalid,
    now,
)
from trainyard.rehearsal.emulated.resource import Aws

_ZONES = 2  # https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
_SERVICES = "10.100.0.0/16"
_CA = base64.b64encode(b"an emulated cluster has no certificate").decode()


def create(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer CreateCluster. It is active at once."""
    name = request["name"]
    if name in clusters(aws):
        raise in_use_error(f"Cluster already exists with name: {name}")
    version = request.get("version") or known_versions()[-1]
    _refuse_old(version)
    _refuse_missing(aws, request)
    network = _network(aws, name, request["resourcesVpcConfig"])
    described = _described(aws, {**request, "version": version}, network)
    clusters(aws)[name] = EmulatedEksCluster(described, _interfaces(aws, name, network))
    _start_logs(aws, described)
    return {"cluster": described}


def describe(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DescribeCluster."""
    return {"cluster": cluster_of(aws, request["name"]).described}


def list_clusters(aws: Aws, request: Mapping[str, Any]) -> list[str]:
    """Return the names of all clusters."""
    del request
    return sorted(clusters(aws))


def update(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer UpdateClusterConfig: what is written takes the place of what was."""
    cluster = cluster_of(aws, request["name"])
    for part in ("resourcesVpcConfig", "accessConfig", "logging"):
        if part in request:
            cluster.described[part] = {**cluster.described[part], **request[part]}
    _start_logs(aws, cluster.described)
    return begin_update(cluster, "ConfigUpdate", request)


def update_version(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer UpdateClusterVersion."""
    cluster = cluster_of(aws, request["name"])
    _refuse_old(request["version"])
    cluster.described["version"] = request["version"]
    return begin_update(cluster, "VersionUpdate", request)


def delete(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeleteCluster. Interfaces and security group of the control plane go with it, its log group stays."""
    cluster = cluster_of(aws, request["name"])
    if cluster.node_groups:
        raise in_use_error("Cluster has nodegroups attached")
    ec2 = aws.client("ec2")
    for interface in cluster.interfaces:
        ec2.delete_network_interface(NetworkInterfaceId=interface)
    ec2.delete_security_group(GroupId=cluster.described["resourcesVpcConfig"]["clusterSecurityGroupId"])
    del clusters(aws)[cluster.name]
    return {"cluster": {**cluster.described, "status": "DELETING"}}


def _described(aws: Aws, request: Mapping[str, Any], network: Mapping[str, Any]) -> dict[str, Any]:
    number = uuid.uuid4().hex.upper()
    access = {"bootstrapClusterCreatorAdminPermissions": True, "authenticationMode": "CONFIG_MAP"}
    return {
        "name": request["name"],
        "arn": arn(aws, f"cluster/{request['name']}"),
        "createdAt": now(),
        "version": request["version"],
        "endpoint": f"https://{number}.gr7.{aws.region}.eks.amazonaws.com",
        "roleArn": request["roleArn"],
        "resourcesVpcConfig": network,
        "kubernetesNetworkConfig": {
            "serviceIpv4Cidr": _SERVICES, "ipFamily": "ipv4", **request.get("kubernetesNetworkConfig", {})
        },
        "logging": request.get("logging") or {"clusterLogging": []},
        "identity": {"oidc": {"issuer": f"https://oidc.eks.{aws.region}.amazonaws.com/id/{number}"}},
        "status": "ACTIVE",
        "certificateAuthority": {"data": _CA},
        "platformVersion": "eks.1",
        "tags": dict(request.get("tags", {})),
        "encryptionConfig": request.get("encryptionConfig", []),
        "health": {"issues": []},
        "accessConfig": {**access, **request.get("accessConfig", {})},
        "deletionProtection": bool(request.get("deletionProtection")),
    }  # fmt: skip


def _network(aws: Aws, name: str, request: Mapping[str, Any]) -> dict[str, Any]:
    subnets = aws.client("ec2").describe_subnets(SubnetIds=request["subnetIds"])["Subnets"]
    zones = {subnet["AvailabilityZone"] for subnet in subnets}
    if len(zones) < _ZONES:
        raise invalid(f"Subnets specified must be in at least two different AZs, not in {', '.join(sorted(zones))}")
    defaults = {
        "securityGroupIds": [], "endpointPublicAccess": True, "endpointPrivateAccess": False,
        "publicAccessCidrs": ["0.0.0.0/0"],
    }  # fmt: skip
    vpc = subnets[0]["VpcId"]
    return {**defaults, **request, "vpcId": vpc, "clusterSecurityGroupId": _security_group(aws, name, vpc)}


def _security_group(aws: Aws, name: str, vpc: str) -> str:
    """Make the group that EKS puts on its interfaces and, where nothing else is said, on nodes. It admits itself.

    https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
    """
    ec2 = aws.client("ec2")
    group_id: str = ec2.create_security_group(
        GroupName=f"eks-cluster-sg-{name}-{uuid.uuid4().int % 10**9}",
        Description="EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, "
        "as well as any managed workloads.",
        VpcId=vpc,
    )["GroupId"]
    ec2.create_tags(Resources=[group_id], Tags=[{"Key": f"kubernetes.io/cluster/{name}", "Value": "owned"}])
    itself = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group_id}]}
    ec2.authorize_security_group_ingress(GroupId=group_id, IpPermissions=[itself])
    return group_id


def _interfaces(aws: Aws, name: str, network: Mapping[str, Any]) -> list[str]:
    """Make an interface in each subnet, as EKS does in the name of its own account."""
    groups = [network["clusterSecurityGroupId"], *network["securityGroupIds"]]
    ec2 = aws.client("ec2")
    return [
        ec2.create_network_interface(SubnetId=subnet, Groups=groups, Description=f"Amazon EKS {name}")[
            "NetworkInterface"
        ]["NetworkInterfaceId"]
        for subnet in network["subnetIds"]
    ]


def _start_logs(aws: Aws, described: Mapping[str, Any]) -> None:
    """Make the log group that the control plane writes into.

    https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
    """
    if not any(logging.get("enabled") for logging in described["logging"].get("clusterLogging", ())):
        return
    logs = aws.client("logs")
    with contextlib.suppress(logs.exceptions.ResourceAlreadyExistsException):
        logs.create_log_group(logGroupName=f"/aws/eks/{described['name']}/cluster")


def _refuse_old(version: str) -> None:
    facts = find_version(version)
    if facts is None and number_of(version) < number_of(known_versions()[0]):
        raise invalid(f"unsupported Kubernetes version {version}")
    until = facts.extended_until if facts is not None else None
    if until is not None and str(until) < now().date().isoformat():
        raise invalid(f"unsupported Kubernetes version {version}: its extended support ended on {until}")


def _refuse_missing(aws: Aws, request: Mapping[str, Any]) -> None:
    """Refuse a request that names something that does not exist."""
    network = request["resourcesVpcConfig"]
    keys = [encryption["provider"]["keyArn"] for encryption in request.get("encryptionConfig", ())]
    questions = [
        ("iam", "get_role", {"RoleName": request["roleArn"].rpartition("/")[2]}),
        ("ec2", "describe_subnets", {"SubnetIds": network.get("subnetIds") or []}),
        *(
            [("ec2", "describe_security_groups", {"GroupIds": groups})]
            if (groups := network.get("securityGroupIds"))
            else []
        ),
        *(("kms", "describe_key", {"KeyId": key}) for key in keys),
    ]
    for service, action, parameters in questions:
        try:
            getattr(aws.client(service), action)(**parameters)
        except ClientError as error:
            raise invalid(error.response["Error"]["Message"]) from error
