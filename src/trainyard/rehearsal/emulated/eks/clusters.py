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
from trainyard.rehearsal.emulated.eks.state import EksCluster, arn, cluster_of, clusters, invalid, now, taken
from trainyard.rehearsal.emulated.eks.updates import updated
from trainyard.rehearsal.emulated.resource import Aws

_ZONES = 2  # https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html
_SERVICES = "10.100.0.0/16"
_CA = base64.b64encode(b"an emulated cluster has no certificate").decode()


def create(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer CreateCluster. It is active at once."""
    name = asked["name"]
    if name in clusters(aws):
        raise taken(f"Cluster already exists with name: {name}")
    version = asked.get("version") or known_versions()[-1]
    _refuse_old(version)
    _refuse_missing(aws, asked)
    network = _network(aws, name, asked["resourcesVpcConfig"])
    described = _described(aws, {**asked, "version": version}, network)
    clusters(aws)[name] = EksCluster(described, _interfaces(aws, name, network))
    _start_logs(aws, described)
    return {"cluster": described}


def describe(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DescribeCluster."""
    return {"cluster": cluster_of(aws, asked["name"]).described}


def listed(aws: Aws, asked: Mapping[str, Any]) -> list[str]:
    """Return the names of all clusters."""
    del asked
    return sorted(clusters(aws))


def update(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer UpdateClusterConfig: what is written takes the place of what was."""
    there = cluster_of(aws, asked["name"])
    for part in ("resourcesVpcConfig", "accessConfig", "logging"):
        if part in asked:
            there.described[part] = {**there.described[part], **asked[part]}
    _start_logs(aws, there.described)
    return updated(there, "ConfigUpdate", asked)


def update_version(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer UpdateClusterVersion."""
    there = cluster_of(aws, asked["name"])
    _refuse_old(asked["version"])
    there.described["version"] = asked["version"]
    return updated(there, "VersionUpdate", asked)


def delete(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeleteCluster. Interfaces and security group of the control plane go with it, its log group stays."""
    there = cluster_of(aws, asked["name"])
    if there.node_groups:
        raise taken("Cluster has nodegroups attached")
    ec2 = aws.client("ec2")
    for interface in there.interfaces:
        ec2.delete_network_interface(NetworkInterfaceId=interface)
    ec2.delete_security_group(GroupId=there.described["resourcesVpcConfig"]["clusterSecurityGroupId"])
    del clusters(aws)[there.name]
    return {"cluster": {**there.described, "status": "DELETING"}}


def _described(aws: Aws, asked: Mapping[str, Any], network: Mapping[str, Any]) -> dict[str, Any]:
    number = uuid.uuid4().hex.upper()
    access = {"bootstrapClusterCreatorAdminPermissions": True, "authenticationMode": "CONFIG_MAP"}
    return {
        "name": asked["name"],
        "arn": arn(aws, f"cluster/{asked['name']}"),
        "createdAt": now(),
        "version": asked["version"],
        "endpoint": f"https://{number}.gr7.{aws.region}.eks.amazonaws.com",
        "roleArn": asked["roleArn"],
        "resourcesVpcConfig": network,
        "kubernetesNetworkConfig": {
            "serviceIpv4Cidr": _SERVICES, "ipFamily": "ipv4", **asked.get("kubernetesNetworkConfig", {})
        },
        "logging": asked.get("logging") or {"clusterLogging": []},
        "identity": {"oidc": {"issuer": f"https://oidc.eks.{aws.region}.amazonaws.com/id/{number}"}},
        "status": "ACTIVE",
        "certificateAuthority": {"data": _CA},
        "platformVersion": "eks.1",
        "tags": dict(asked.get("tags", {})),
        "encryptionConfig": asked.get("encryptionConfig", []),
        "health": {"issues": []},
        "accessConfig": {**access, **asked.get("accessConfig", {})},
        "deletionProtection": bool(asked.get("deletionProtection")),
    }  # fmt: skip


def _network(aws: Aws, name: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    subnets = aws.client("ec2").describe_subnets(SubnetIds=asked["subnetIds"])["Subnets"]
    zones = {subnet["AvailabilityZone"] for subnet in subnets}
    if len(zones) < _ZONES:
        raise invalid(f"Subnets specified must be in at least two different AZs, not in {', '.join(sorted(zones))}")
    defaults = {
        "securityGroupIds": [], "endpointPublicAccess": True, "endpointPrivateAccess": False,
        "publicAccessCidrs": ["0.0.0.0/0"],
    }  # fmt: skip
    vpc = subnets[0]["VpcId"]
    return {**defaults, **asked, "vpcId": vpc, "clusterSecurityGroupId": _security_group(aws, name, vpc)}


def _security_group(aws: Aws, name: str, vpc: str) -> str:
    """Make the group that EKS puts on its interfaces and, where nothing else is said, on nodes. It admits itself.

    https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
    """
    ec2 = aws.client("ec2")
    made: str = ec2.create_security_group(
        GroupName=f"eks-cluster-sg-{name}-{uuid.uuid4().int % 10**9}",
        Description="EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, "
        "as well as any managed workloads.",
        VpcId=vpc,
    )["GroupId"]
    ec2.create_tags(Resources=[made], Tags=[{"Key": f"kubernetes.io/cluster/{name}", "Value": "owned"}])
    itself = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": made}]}
    ec2.authorize_security_group_ingress(GroupId=made, IpPermissions=[itself])
    return made


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
    if not any(one.get("enabled") for one in described["logging"].get("clusterLogging", ())):
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


def _refuse_missing(aws: Aws, asked: Mapping[str, Any]) -> None:
    """Refuse a request that names something that does not exist."""
    network = asked["resourcesVpcConfig"]
    keys = [one["provider"]["keyArn"] for one in asked.get("encryptionConfig", ())]
    questions = [
        ("iam", "get_role", {"RoleName": asked["roleArn"].rpartition("/")[2]}),
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
