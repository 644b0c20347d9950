"""What a template would change of a stack: which resources are added, modified, replaced and removed."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from trainyard.rehearsal.emulated.engine import functions, parameters, references, template
from trainyard.rehearsal.emulated.engine.refusals import CapabilitiesError, InvalidError
from trainyard.rehearsal.emulated.engine.schema import (
    coerce_properties,
    needs_replacement,
    schema,
    tags_are_map,
    tags_property,
)
from trainyard.rehearsal.emulated.engine.scope import Scope
from trainyard.rehearsal.emulated.engine.stacks import EmulatedStack, exports
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.resource import LogicalResource

# CloudFormation makes names that fit: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-name.html
_NAME_LENGTHS = {
    "AWS::ElasticLoadBalancingV2::LoadBalancer": 32,
    "AWS::ElasticLoadBalancingV2::TargetGroup": 32,
    "AWS::IAM::InstanceProfile": 128,
    "AWS::IAM::ManagedPolicy": 128,
    "AWS::IAM::Role": 64,
    "AWS::Lambda::Function": 64,
    "AWS::S3::Bucket": 63,
}
# Tags of the stack go on to what these launch.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-resource-tags.html
_PROPAGATING = {"AWS::AutoScaling::AutoScalingGroup"}
_LOWER_CASE = {"AWS::S3::Bucket"}
# Each with the property that gives it a name of its own, where it has one.
_IAM = {
    "AWS::IAM::AccessKey": "",
    "AWS::IAM::Group": "GroupName",
    "AWS::IAM::InstanceProfile": "InstanceProfileName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::IAM::Policy": "",
    "AWS::IAM::Role": "RoleName",
    "AWS::IAM::User": "UserName",
    "AWS::IAM::UserToGroupAddition": "",
}


class EmulatedProperty(NamedTuple):
    """A property that an operation changes, with what it is and becomes; None where it is not there."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class EmulatedChange:
    """One resource that an operation would touch."""

    action: str
    """Add, Modify or Remove."""
    logical_id: str
    type: str
    replaces: bool = False
    properties: tuple[EmulatedProperty, ...] = ()
    policy: str = ""
    """What becomes of the resource that goes, as DescribeChangeSet calls it: Delete, ReplaceAndRetain and so on."""


@dataclass(frozen=True, slots=True)
class StackTarget:
    """What a stack is to become."""

    body: str
    template: Mapping[str, Any]
    values: Mapping[str, str]
    parameters: Mapping[str, Any]
    tags: Mapping[str, str]
    changes: tuple[EmulatedChange, ...] = field(default=())


def target(
    stack: EmulatedStack, body: str, values: Mapping[str, str], tags: Mapping[str, str], granted: Collection[str]
) -> StackTarget:
    """Return what a stack is to become. Raises InvalidError for everything that AWS refuses beforehand."""
    parsed = template.parse(body)
    references.check_references(parsed)
    parameters.check(parsed, values)
    _check_capabilities(parsed, granted)
    goal = StackTarget(
        body, parsed, values, parameters.resolve_parameters(parsed, values, InProcessAccount(stack.region)), tags
    )
    _check_rules(scope_of(stack, goal))
    return replace(goal, changes=changes(stack, goal))


def scope_of(stack: EmulatedStack, target: StackTarget, planned: frozenset[str] = frozenset()) -> Scope:
    """Return what functions of the target's template see now."""
    return Scope(
        target.template,
        target.parameters,
        stack.physical_resources(),
        {name: value for name, (_, value) in exports(stack.region).items()},
        stack.name,
        stack.id,
        InProcessAccount(stack.region),
        target.tags,
        planned,
    )


def resource_bodies(target: StackTarget, scope: Scope) -> dict[str, Mapping[str, Any]]:
    """Return the resources of the template whose condition holds, in the order of creation."""
    resources: Mapping[str, Mapping[str, Any]] = target.template["Resources"]
    chosen = {
        name: body
        for name, body in resources.items()
        if "Condition" not in body or functions.condition(body["Condition"], scope)
    }
    return {name: chosen[name] for name in references.creation_order(chosen)}


def logical_resource(logical_id: str, body: Mapping[str, Any], stack: EmulatedStack, scope: Scope) -> LogicalResource:
    """Return a resource with every function resolved and the stack's tags among its own."""
    properties = functions.resolve(body.get("Properties") or {}, scope)
    shape = schema(body["Type"], stack.region)
    if shape is not None and (tags := tags_property(shape)):
        merged = _tags(properties.get(tags), scope.tags, as_map=tags_are_map(shape, tags))
        if body["Type"] in _PROPAGATING:
            merged = [{"PropagateAtLaunch": True, **tag} for tag in merged]
        properties = {**properties, **({tags: merged} if merged else {})}
    properties = coerce_properties(properties, shape) if shape is not None else properties
    return LogicalResource(
        logical_id, body["Type"], properties, _name(body["Type"], stack.name, logical_id), stack.name, stack.id
    )


def changes(stack: EmulatedStack, target: StackTarget) -> tuple[EmulatedChange, ...]:
    """Return what the target would change of the stack as it is."""
    bodies = resource_bodies(target, scope_of(stack, target))
    existing = stack.physical_resources()
    new = {name for name in bodies if name not in existing}
    all_changes: list[EmulatedChange] = []
    for name, body in bodies.items():
        if name in new:
            all_changes.append(EmulatedChange("Add", name, body["Type"]))
        elif (change := _modification(name, body, stack, target, frozenset(new))) is not None:
            all_changes.append(change)
            new |= {name} if change.replaces else set()
    removed = [
        EmulatedChange("Remove", name, resource.type, policy=_policy_action(resource.deletion_policy))
        for name, resource in stack.resources.items()
        if name not in bodies
    ]
    return (*all_changes, *(change for change in removed if change.logical_id in existing))


def changes_nothing(stack: EmulatedStack, target: StackTarget) -> bool:
    """Return whether there is nothing to do. A stack that failed has something to do: to become whole."""
    same_outputs = target.template.get("Outputs") == stack.template.get("Outputs")
    return not target.changes and same_outputs and stack.status.endswith("_COMPLETE")


def _modification(
    name: str, body: Mapping[str, Any], stack: EmulatedStack, target: StackTarget, planned: frozenset[str]
) -> EmulatedChange | None:
    former = stack.physical_resources()[name].logical
    if former is None:
        return None
    if former.type != body["Type"]:
        raise InvalidError(
            f"Update of resource type is not permitted. The new template modifies resource type of [{name}]"
        )
    now = logical_resource(name, body, stack, scope_of(stack, target, planned)).properties
    changed = tuple(
        EmulatedProperty(property_name, former.properties.get(property_name), now.get(property_name))
        for property_name in sorted({*now, *former.properties})
        if now.get(property_name) != former.properties.get(property_name)
    )
    if not changed:
        return None
    shape = schema(body["Type"], stack.region)
    replaces = shape is not None and needs_replacement(shape, former.properties, now)
    policy = f"ReplaceAnd{_policy_action(body.get('UpdateReplacePolicy', 'Delete'))}" if replaces else ""
    return EmulatedChange("Modify", name, body["Type"], replaces, changed, policy)


def _policy_action(policy: str) -> str:
    """Return the action of a policy. What was made by an earlier operation is retained by RetainExceptOnCreate too.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ResourceChange.html
    """
    return "Retain" if policy == "RetainExceptOnCreate" else policy


def _tags(own: Any, of_stack: Mapping[str, str], *, as_map: bool) -> Any:
    if as_map:
        return {**of_stack, **(own or {})}
    written = {tag["Key"] for tag in own or []}
    return [*(own or []), *({"Key": key, "Value": value} for key, value in of_stack.items() if key not in written)]


def _name(resource_type: str, stack_name: str, logical_id: str) -> str:
    suffix = uuid.uuid4().hex[:12].upper()
    room = _NAME_LENGTHS.get(resource_type, 255) - len(suffix) - 1
    prefix = f"{stack_name}-{logical_id}"
    name = f"{prefix[:room].rstrip('-')}-{suffix}"
    return name.lower() if resource_type in _LOWER_CASE else name


def _check_capabilities(template: Mapping[str, Any], granted: Collection[str]) -> None:
    """Raise CapabilitiesError where the template makes IAM resources and the caller did not say so."""
    iam_resources = [body for body in template["Resources"].values() if body["Type"] in _IAM]
    named = [body for body in iam_resources if _IAM[body["Type"]] in (body.get("Properties") or {})]
    if named and "CAPABILITY_NAMED_IAM" not in granted:
        raise CapabilitiesError("CAPABILITY_NAMED_IAM")
    if iam_resources and not {"CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"} & set(granted):
        raise CapabilitiesError("CAPABILITY_IAM")


def _check_rules(scope: Scope) -> None:
    """Raise InvalidError for the first assertion that does not hold, of a rule that applies.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/rules-section-structure.html
    """
    for name, rule in (scope.template.get("Rules") or {}).items():
        if "RuleCondition" in rule and not functions.resolve(rule["RuleCondition"], scope):
            continue
        for assertion in rule["Assertions"]:
            if not functions.resolve(assertion["Assert"], scope):
                description = assertion.get("AssertDescription", "an assertion does not hold")
                raise InvalidError(f"Template error: rule {name} of the parameters: {description}")
