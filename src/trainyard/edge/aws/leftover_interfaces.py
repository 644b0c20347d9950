"""Network interfaces that the VPC CNI of Kubernetes made for pods, and that their instance left when it ended.

A subnet cannot be deleted while one is in it. The CNI deletes them itself, unless the instance goes first:
https://github.com/aws/amazon-vpc-cni-k8s/issues/1849
"""

from __future__ import annotations

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, code

# The CNI tags what it makes: https://github.com/aws/amazon-vpc-cni-k8s/blob/master/pkg/awsutils/awsutils.go
_CLUSTER = "cluster.k8s.amazonaws.com/name"
_GONE = "InvalidNetworkInterfaceID.NotFound"


def delete_leftover_interfaces(account: Account, cluster: str) -> int:
    """Delete the interfaces of a cluster that no instance has, and return how many there were."""
    client = account.client("ec2")
    filters = [{"Name": f"tag:{_CLUSTER}", "Values": [cluster]}, {"Name": "status", "Values": ["available"]}]
    try:
        pages = client.get_paginator("describe_network_interfaces").paginate(Filters=filters)
        found = [one["NetworkInterfaceId"] for page in pages for one in page["NetworkInterfaces"]]
        for one in found:
            try:
                client.delete_network_interface(NetworkInterfaceId=one)
            except ClientError as error:
                if code(error) != _GONE:
                    raise
    except ClientError as error:
        raise account_error(error, account.region, f"delete network interfaces of {cluster}") from error
    return len(found)
