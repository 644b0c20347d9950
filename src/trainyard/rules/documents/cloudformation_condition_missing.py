"""References to resources that a condition may leave out, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Any

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.conditions import can_be
from trainyard.rules.cloudformation.template import resources_of_any_type
from trainyard.rules.documents import mapping_at


def check(document: Document) -> Iterator[Problem]:
    """Yield resources that others, or outputs, refer to under conditions that can be true where its own is false."""
    conditional = {
        resource.name: condition
        for resource in resources_of_any_type(document)
        if isinstance(condition := resource.written.get("Condition"), str)
    }
    places: dict[str, list[Path]] = {}

    @cache
    def can_be_at_once(values: frozenset[tuple[str, bool]]) -> bool:
        return can_be(document, dict(values))

    for section in ("Resources", "Outputs") if conditional else ():
        for name, written in mapping_at(document, section).items():
            if not isinstance(written, dict):
                continue  # Fn::ForEach, say
            condition = written.get("Condition")
            assumed = {condition: True} if isinstance(condition, str) else {}
            for path, target, given in _references(written, (section, name), conditional.keys(), assumed):
                own = conditional[target]
                if given.get(own) is not True and can_be_at_once(frozenset({**given, own: False}.items())):
                    places.setdefault(target, []).append(path)
    for target, paths in places.items():
        others = len({path[1] for path in paths}) - 1
        who = f"{paths[0][1]} and {others} more refer" if others else f"{paths[0][1]} refers"
        yield Problem(paths[0], f"{who} to {target}, which is there only where {conditional[target]} is true")


def _references(
    value: Any, path: Path, names: AbstractSet[str], assumed: Mapping[str, bool]
) -> Iterator[tuple[Path, str, Mapping[str, bool]]]:
    """Yield references with the conditions under which they count, which Fn::If adds to."""
    match value:
        case {"Ref": str(name)} | {"Fn::GetAtt": (str(name), *_)} if len(value) == 1 and name in names:
            yield path, name, assumed
        case {"Fn::GetAtt": str(attribute)} if (name := attribute.partition(".")[0]) in names:
            yield path, name, assumed
        case {"Fn::If": (str(condition), yes, no)}:
            for index, (branch, is_true) in enumerate(((yes, True), (no, False)), 1):
                # A branch that its surroundings rule out is never taken.
                if assumed.get(condition, is_true) is is_true:
                    within = {**assumed, condition: is_true}
                    yield from _references(branch, (*path, "Fn::If", index), names, within)
        case dict():
            for key, member in value.items():
                yield from _references(member, (*path, key), names, assumed)
        case tuple():
            for index, member in enumerate(value):
                yield from _references(member, (*path, index), names, assumed)


RULE = DocumentRule(
    severity="warning",
    title="Reference to what may not be there",
    rationale=(
        "Where the condition of a resource is false, CloudFormation refuses every template that still refers to it: "
        "“Unresolved resource dependencies”. The option that nobody tried is then the one that does not work."
    ),
    remedy="give the resource or output the same Condition, or choose with Fn::If",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference-conditions.html",
    bad="""\
Conditions: {WithBalancer: !Equals [!Ref AWS::Region, us-east-1]}
Resources:
  Balancer:
    Type: AWS::ElasticLoadBalancingV2::LoadBalancer
    Condition: WithBalancer
    Properties: {Subnets: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]}
  Listener: {Type: AWS::ElasticLoadBalancingV2::Listener, Properties: {LoadBalancerArn: !Ref Balancer}}
""",
    good="""\
Conditions: {WithBalancer: !Equals [!Ref AWS::Region, us-east-1]}
Resources:
  Balancer:
    Type: AWS::ElasticLoadBalancingV2::LoadBalancer
    Condition: WithBalancer
    Properties: {Subnets: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]}
  Listener:
    Type: AWS::ElasticLoadBalancingV2::Listener
    Condition: WithBalancer
    Properties: {LoadBalancerArn: !Ref Balancer}
""",
    check=check,
)
