"""Application load balancers in a single subnet, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import parameters, references_in, resources, values


def check(document: Document) -> Iterator[Problem]:
    """Yield load balancers whose list of subnets has one member that is one subnet."""
    lists = {name for name, parameter in parameters(document).items() if "List" in str(parameter.get("Type"))}
    for balancer in resources(document, "AWS::ElasticLoadBalancingV2::LoadBalancer"):
        properties = balancer.properties
        if properties.get("Type", "application") != "application":
            continue
        path = (*balancer.path, "Properties", "Subnets")
        for place, subnets in values(document, properties.get("Subnets"), path):
            if not isinstance(subnets, tuple) or len(subnets) != 1 or references_in(subnets) & lists:
                continue
            if isinstance(subnets[0], str) or (
                isinstance(subnets[0], dict) and subnets[0].keys() <= {"Ref", "Fn::GetAtt"}
            ):
                yield Problem(place, f"{balancer.name} is an application load balancer with one subnet")


RULE = DocumentRule(
    severity="error",
    title="Application load balancer in one subnet",
    rationale=(
        "An application load balancer needs subnets in two zones at least. With one its creation fails, and the stack "
        "is rolled back with everything that was made before."
    ),
    remedy="name subnets in two zones, or make it a network load balancer",
    source="https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html#subnets-load-balancer",
    bad="""\
Resources:
  Grafana:
    Type: AWS::ElasticLoadBalancingV2::LoadBalancer
    Properties: {Subnets: [subnet-0123456789abcdef0]}
""",
    good="""\
Resources:
  Grafana:
    Type: AWS::ElasticLoadBalancingV2::LoadBalancer
    Properties: {Subnets: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]}
""",
    check=check,
)
