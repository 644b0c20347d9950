"""Resources of AWS: networks, their security groups and ways out, and what balances load."""

from __future__ import annotations

from tests.rehearsal.resource_cases.parts import NETWORK, Cases, att, ref, resource

CASES: Cases = {
    "EC2::VPCCidrBlock": (
        {**NETWORK, "It": resource("EC2::VPCCidrBlock", VpcId=ref("Vpc"), CidrBlock="10.8.0.0/16")},
        ["Id"],
    ),
    "EC2::NatGateway": (
        {
            **NETWORK,
            "Gateway": resource("EC2::InternetGateway"),
            "Attached": resource("EC2::VPCGatewayAttachment", VpcId=ref("Vpc"), InternetGatewayId=ref("Gateway")),
            "Address": {**resource("EC2::EIP", Domain="vpc"), "DependsOn": "Attached"},
            "It": resource("EC2::NatGateway", SubnetId=ref("Subnet"), AllocationId=att("Address", "AllocationId")),
            "Table": resource("EC2::RouteTable", VpcId=ref("Vpc")),
            "Route": resource(
                "EC2::Route", RouteTableId=ref("Table"), DestinationCidrBlock="0.0.0.0/0", NatGatewayId=ref("It")
            ),
            "Routed": resource("EC2::SubnetRouteTableAssociation", SubnetId=ref("Other"), RouteTableId=ref("Table")),
        },
        ["NatGatewayId"],
    ),
    "EC2::SecurityGroupEgress": (
        {
            **NETWORK,
            "It": resource(
                "EC2::SecurityGroupEgress",
                GroupId=ref("Group"),
                IpProtocol=-1,
                DestinationSecurityGroupId=ref("Group"),
            ),
        },
        ["Id"],
    ),
    "EC2::SecurityGroupIngress": (
        {
            **NETWORK,
            "It": resource(
                "EC2::SecurityGroupIngress",
                GroupId=ref("Group"),
                IpProtocol="tcp",
                FromPort=22,
                ToPort=22,
                CidrIp="203.0.113.7/32",
            ),
        },
        ["Id"],
    ),
    "EC2::VPCEndpoint (gateway)": (
        {
            **NETWORK,
            "Table": resource("EC2::RouteTable", VpcId=ref("Vpc")),
            "It": resource(
                "EC2::VPCEndpoint",
                VpcId=ref("Vpc"),
                ServiceName={"Fn::Sub": "com.amazonaws.${AWS::Region}.s3"},
                RouteTableIds=[ref("Table")],
            ),
        },
        ["Id"],
    ),
    "EC2::VPCEndpoint (interface)": (
        {
            **NETWORK,
            "It": resource(
                "EC2::VPCEndpoint",
                VpcId=ref("Vpc"),
                ServiceName={"Fn::Sub": "com.amazonaws.${AWS::Region}.ec2"},
                VpcEndpointType="Interface",
                PrivateDnsEnabled="true",
                SubnetIds=[ref("Subnet")],
                SecurityGroupIds=[ref("Group")],
            ),
        },
        ["Id"],
    ),
    "EC2::PrefixList": (
        {
            "It": resource(
                "EC2::PrefixList",
                PrefixListName="ranges",
                AddressFamily="IPv4",
                MaxEntries=4,
                Entries=[{"Cidr": "203.0.113.0/24"}],
            )
        },
        ["Arn", "PrefixListId"],
    ),
    "EC2::FlowLog": (
        {
            **NETWORK,
            "Bucket": resource("S3::Bucket"),
            "It": resource(
                "EC2::FlowLog",
                ResourceId=ref("Vpc"),
                ResourceType="VPC",
                TrafficType="REJECT",
                LogDestinationType="s3",
                LogDestination=att("Bucket", "Arn"),
            ),
        },
        ["Id"],
    ),
    "ElasticLoadBalancingV2::TargetGroup": (
        {
            **NETWORK,
            "Balancer": resource(
                "ElasticLoadBalancingV2::LoadBalancer",
                Subnets=[ref("Subnet"), ref("Other")],
                SecurityGroups=[ref("Group")],
                LoadBalancerAttributes=[{"Key": "deletion_protection.enabled", "Value": "false"}],
            ),
            "It": resource("ElasticLoadBalancingV2::TargetGroup", VpcId=ref("Vpc"), Port=3000, Protocol="HTTP"),
            "Listener": resource(
                "ElasticLoadBalancingV2::Listener",
                LoadBalancerArn=ref("Balancer"),
                Port=80,
                Protocol="HTTP",
                DefaultActions=[{"Type": "forward", "TargetGroupArn": ref("It")}],
            ),
        },
        ["TargetGroupName"],
    ),
    "Route53::HostedZone": (
        {
            **NETWORK,
            "It": resource(
                "Route53::HostedZone",
                Name="demo.pcluster",
                VPCs=[{"VPCId": ref("Vpc"), "VPCRegion": ref("AWS::Region")}],
            ),
        },
        ["Id"],
    ),
    "EC2::EIPAssociation": (
        {
            **NETWORK,
            "Interface": resource("EC2::NetworkInterface", SubnetId=ref("Subnet"), GroupSet=[ref("Group")]),
            "Address": resource("EC2::EIP", Domain="vpc"),
            "It": resource(
                "EC2::EIPAssociation",
                AllocationId=att("Address", "AllocationId"),
                NetworkInterfaceId=ref("Interface"),
            ),
        },
        ["Id"],
    ),
}
