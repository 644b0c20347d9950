"""Creates and updates stacks, one resource after the other, and rolls back what fails."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from moto.ec2.models import ec2_backends

from trainyard.rehearsal.emulated.breakdown import planned_breakdown
from trainyard.rehearsal.emulated.engine import functions, plan, types
from trainyard.rehearsal.emulated.engine.deletion import delete, delete_resource
from trainyard.rehearsal.emulated.engine.plan import EmulatedChange, StackTarget
from trainyard.rehearsal.emulated.engine.refusals import InvalidError
from trainyard.rehearsal.emulated.engine.schema import problems, schema
from trainyard.rehearsal.emulated.engine.scope import Scope
from trainyard.rehearsal.emulated.engine.stacks import EmulatedResource, EmulatedStack, exports, importers
from trainyard.rehearsal.emulated.faults import FAULTS
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.resource import LogicalResource, PhysicalResource, ResourceError

_CANCELLED = 2
_NEW_RESOURCE = "Requested update requires the creation of a new physical resource; hence creating one."
_EC2_ID = re.compile(r"[a-z]+(-[a-z]+)*-[0-9a-f]{8,17}")


def create(stack: EmulatedStack, target: StackTarget) -> None:
    """Make every resource of the target. What fails is rolled back, unless the stack says otherwise."""
    stack.say("CREATE_IN_PROGRESS", "User Initiated")
    failure = _apply(stack, target, "CREATE")
    if failure is None:
        stack.say("CREATE_COMPLETE")
    elif stack.rollback:
        _roll_back_creation(stack, failure)
        if stack.delete_on_failure:
            delete(stack)
    else:
        stack.say("CREATE_FAILED", failure)
    stack.over("CREATE_IN_PROGRESS")


def update(stack: EmulatedStack, target: StackTarget) -> None:
    """Turn a stack into the target, or back into what it was where something fails."""
    former = plan.StackTarget(stack.body, stack.template, stack.values, stack.parameters, stack.tags)
    before = set(stack.resources)
    stack.updated = datetime.now(UTC)
    stack.say("UPDATE_IN_PROGRESS", "User Initiated")
    failure = _apply(stack, target, "UPDATE")
    if failure is None:
        _clean_up(stack, {change.logical_id for change in target.changes if change.action == "Remove"})
        stack.say("UPDATE_COMPLETE")
    elif stack.rollback:
        _roll_back_update(stack, former, before, failure)
    else:
        stack.say("UPDATE_FAILED", failure)
    stack.over("UPDATE_IN_PROGRESS")


def continue_rollback(stack: EmulatedStack) -> None:
    """Go on with taking back an update, where that has failed before.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ContinueUpdateRollback.html
    """
    former, before = stack.unfinished_rollback
    _roll_back_update(stack, former, before, "User Initiated")
    stack.over("UPDATE_ROLLBACK_IN_PROGRESS")


def _apply(stack: EmulatedStack, target: StackTarget, verb: str) -> str | None:
    """Make and change what the target says. Return why it failed, if it did."""
    stack.body, stack.template, stack.tags = target.body, target.template, target.tags
    stack.values, stack.parameters = target.values, target.parameters
    changes = {change.logical_id: change for change in target.changes}
    scope = plan.scope_of(stack, target)
    bodies = plan.resource_bodies(target, scope)
    for name, body in bodies.items():
        if name in changes and not _apply_one(stack, changes[name], body, scope):
            _cancel_next(stack, [changes[body] for body in bodies if body in changes], name)
            return f"The following resource(s) failed to {verb.lower()}: [{name}]. "
        if name in stack.resources:
            _take_policies(stack.resources[name], body)
        scope.resources = stack.physical_resources()
    try:
        stack.outputs = _outputs(stack, scope)
    except InvalidError as error:
        return f"{error.message} "
    stack.imports = frozenset(scope.used_exports)
    left_over = [
        name for name, resource in stack.resources.items() if name not in bodies and resource.physical is not None
    ]
    stack.resources = {name: stack.resources[name] for name in [*bodies, *left_over]}
    return None


def _cancel_next(stack: EmulatedStack, changes: list[EmulatedChange], failed: str) -> None:
    """Say of the next resources that they were cancelled: where something is to fail, as CloudFormation does.

    It works on several at once: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/troubleshooting.html
    """
    if planned_breakdown() is None:
        return
    after = changes[[change.logical_id for change in changes].index(failed) + 1 :]
    for change in [change_ for change_ in after if change_.action == "Add"][:_CANCELLED]:
        resource = EmulatedResource(change.logical_id, change.type, "")
        stack.say_of(resource, "CREATE_IN_PROGRESS")
        stack.say_of(resource, "CREATE_FAILED", "Resource creation cancelled")


def _apply_one(stack: EmulatedStack, change: EmulatedChange, body: Mapping[str, Any], scope: Scope) -> bool:
    verb = "CREATE" if change.action == "Add" else "UPDATE"
    resource = stack.resources.setdefault(change.logical_id, EmulatedResource(change.logical_id, change.type, ""))
    stack.say_of(resource, f"{verb}_IN_PROGRESS", _NEW_RESOURCE if change.replaces else "")
    try:
        logical = plan.logical_resource(change.logical_id, body, stack, scope)
        _check_properties(logical, stack.region)
        physical = _make(stack, logical, resource.physical, change)
    except InvalidError as error:
        stack.say_of(resource, f"{verb}_FAILED", error.message)
        return False
    except ResourceError as error:
        if error.physical is not None:
            resource.physical = replace(error.physical, logical=logical)
        stack.say_of(resource, f"{verb}_FAILED", str(error))
        return False
    if change.replaces and resource.physical is not None:
        resource.superseded = resource.physical
    resource.physical = physical
    if verb == "CREATE":
        stack.say_of(resource, "CREATE_IN_PROGRESS", "Resource creation Initiated")
    stack.say_of(resource, f"{verb}_COMPLETE")
    return True


def _take_policies(resource: EmulatedResource, body: Mapping[str, Any]) -> None:
    resource.deletion_policy = body.get("DeletionPolicy", "Delete")
    resource.replace_policy = body.get("UpdateReplacePolicy", "Delete")


def _check_properties(resource: LogicalResource, region: str) -> None:
    shape = schema(resource.type, region)
    if shape is None and resource.type.startswith("AWS::"):
        raise ResourceError(f"Unrecognized resource type: {resource.type}")
    if resource.type.startswith("AWS::") and not types.is_modelled(resource.type):
        raise ResourceError(f"{resource.type} has no model in the emulated account")
    property_problems = problems(resource.properties, shape) if shape else []
    if property_problems:
        raise ResourceError(
            f"Properties validation failed for resource {resource.logical_id}: " + "; ".join(property_problems)
        )


def _make(
    stack: EmulatedStack, resource: LogicalResource, former: PhysicalResource | None, change: EmulatedChange
) -> PhysicalResource:
    aws = InProcessAccount(stack.region)
    if former is None or change.replaces:
        physical = types.create(aws, resource)
    elif {changed.name for changed in change.properties} == {"Tags"} and tag_as_ours(
        aws, former, resource, replace=True
    ):
        former.logical = resource
        return former
    else:
        physical = types.update(aws, former, resource)
    tag_as_ours(aws, physical, resource)
    return physical


def _outputs(stack: EmulatedStack, scope: Scope) -> list[dict[str, str]]:
    outputs = []
    for name, body in (stack.template.get("Outputs") or {}).items():
        if "Condition" in body and not functions.condition(body["Condition"], scope):
            continue
        output = {"OutputKey": name, "OutputValue": str(functions.resolve(body["Value"], scope))}
        if "Description" in body:
            output["Description"] = str(body["Description"])
        if "Export" in body:
            output["ExportName"] = str(functions.resolve(body["Export"]["Name"], scope))
        outputs.append(output)
    _check_exports(stack, outputs)
    return outputs


def _check_exports(stack: EmulatedStack, outputs: list[dict[str, str]]) -> None:
    now = {output["ExportName"]: output["OutputValue"] for output in outputs if "ExportName" in output}
    for name, (owner, _) in exports(stack.region).items():
        if name in now and owner is not stack:
            raise InvalidError(
                f"Export with name {name} is already exported by stack {owner.name}. Rollback requested by user."
            )
    for name, value in stack.exports().items():
        users = ", ".join(user.name for user in importers(name, stack.region))
        if users and now.get(name) != value:
            raise InvalidError(f"Export {name} cannot be updated as it is in use by {users}")


def _clean_up(stack: EmulatedStack, removed: set[str]) -> None:
    """Delete what the update left behind. What cannot be deleted is left, and no longer part of the stack.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-update-behaviors.html
    """
    stack.say("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
    for resource in reversed(stack.resources.values()):
        if resource.superseded is not None:
            former = EmulatedResource(resource.logical_id, resource.type, "", physical=resource.superseded)
            former.deletion_policy = resource.replace_policy
            delete_resource(stack, former)
        resource.superseded = None
    _remove(stack, removed)


def _remove(stack: EmulatedStack, names: set[str], *, on_create: bool = False) -> None:
    """Delete these resources, those first that nothing else needs. ``on_create`` says that this operation made them."""
    for name in [name for name in reversed(stack.resources) if name in names]:
        delete_resource(stack, stack.resources[name], on_create=on_create)
        del stack.resources[name]


def _roll_back_creation(stack: EmulatedStack, failure: str) -> None:
    stack.say("ROLLBACK_IN_PROGRESS", failure + "Rollback requested by user.")
    failed = [
        resource.logical_id
        for resource in reversed(stack.resources.values())
        if not delete_resource(stack, resource, on_create=True)
    ]
    stack.outputs, stack.imports = [], frozenset()
    if failed:
        stack.say("ROLLBACK_FAILED", f"The following resource(s) failed to delete: [{', '.join(failed)}]. ")
    else:
        stack.say("ROLLBACK_COMPLETE")


def _roll_back_update(stack: EmulatedStack, former: StackTarget, before: set[str], failure: str) -> None:
    stack.say("UPDATE_ROLLBACK_IN_PROGRESS", failure)
    if not FAULTS.updates_are_taken_back:
        stack.unfinished_rollback = (former, before)
        changed = [change.logical_id for change in plan.changes(stack, former)]
        stack.say("UPDATE_ROLLBACK_FAILED", f"The following resource(s) failed to update: [{', '.join(changed)}]. ")
        return
    replacements = _take_back_replacements(stack)
    added = {name for name in stack.resources if name not in before}
    changes = tuple(change for change in plan.changes(stack, former) if change.action != "Remove")
    problem = _apply(stack, replace(former, changes=changes), "UPDATE")
    for new in replacements:
        delete_resource(stack, new)
    _remove(stack, added, on_create=True)
    if problem is None:
        stack.say("UPDATE_ROLLBACK_COMPLETE")
    else:
        stack.say("UPDATE_ROLLBACK_FAILED", problem)


def _take_back_replacements(stack: EmulatedStack) -> list[EmulatedResource]:
    """Let the replaced resources stand again; return those that had replaced them."""
    taken = []
    for resource in stack.resources.values():
        if resource.superseded is not None:
            taken.append(EmulatedResource(resource.logical_id, resource.type, "", physical=resource.physical))
            resource.physical, resource.superseded = resource.superseded, None
    return taken


def tag_as_ours(
    aws: InProcessAccount, physical: PhysicalResource, resource: LogicalResource, *, replace: bool = False
) -> bool:
    """Tag a resource of EC2; return whether it is one. ``replace`` takes away the tags that it had before.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-resource-tags.html
    """
    if not resource.type.startswith("AWS::EC2::") or not _EC2_ID.fullmatch(physical.id):
        return False
    backend: Any = ec2_backends[aws.account_id][aws.region]
    if replace and physical.logical is not None:
        backend.delete_tags([physical.id], {tag["Key"]: None for tag in physical.logical.tags()})
    automatic = {"stack-name": resource.stack_name, "stack-id": resource.stack_id, "logical-id": resource.logical_id}
    tags = {tag["Key"]: tag["Value"] for tag in resource.tags()}
    backend.create_tags(
        [physical.id], {**tags, **{f"aws:cloudformation:{key}": value for key, value in automatic.items()}}
    )
    return True
