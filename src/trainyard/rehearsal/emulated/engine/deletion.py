"""Deletes stacks: those resources first that nothing else needs, and never what is to be retained."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from trainyard.rehearsal.emulated.engine import types
from trainyard.rehearsal.emulated.engine.stacks import EmulatedResource, EmulatedStack, importers
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.resource import ResourceError


def delete(stack: EmulatedStack, retain: Collection[str] = (), *, force: bool = False) -> None:
    """Delete a stack. It ends as DELETE_FAILED, with what is left of it, where a resource cannot be deleted."""
    stack.say("DELETE_IN_PROGRESS", "User Initiated")
    if (used := _used_exports(stack)) is not None:
        stack.say("DELETE_FAILED", used)
    else:
        _delete_resources(stack, retain, force=force)
    stack.over("DELETE_IN_PROGRESS")


def delete_resource(stack: EmulatedStack, resource: EmulatedResource, *, on_create: bool = False) -> bool:
    """Delete one resource, or leave it where its policy says so. Return whether that went well.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html
    """
    if resource.physical is None:
        return True
    if _keeps(resource, on_create=on_create):
        stack.say_of(resource, "DELETE_SKIPPED")
        return True
    stack.say_of(resource, "DELETE_IN_PROGRESS")
    try:
        aws = InProcessAccount(stack.region)
        if resource.deletion_policy == "Snapshot":
            types.snapshot(aws, resource.physical)
        types.delete(aws, resource.physical)
    except ResourceError as error:
        stack.say_of(resource, "DELETE_FAILED", str(error))
        return False
    stack.say_of(resource, "DELETE_COMPLETE")
    resource.physical = None
    return True


def _delete_resources(stack: EmulatedStack, retain: Collection[str], *, force: bool) -> None:
    failed = []
    for resource in reversed(stack.resources.values()):
        if resource.logical_id in retain:
            stack.say_of(resource, "DELETE_SKIPPED")
        elif not delete_resource(stack, resource):
            failed.append(resource.logical_id)
            if force:
                stack.say_of(resource, "DELETE_SKIPPED")
    if failed and not force:
        stack.say("DELETE_FAILED", f"The following resource(s) failed to delete: [{', '.join(failed)}]. ")
        return
    stack.outputs, stack.imports = [], frozenset()
    stack.say("DELETE_COMPLETE")
    stack.deleted = datetime.now(UTC)


def _keeps(resource: EmulatedResource, *, on_create: bool) -> bool:
    policy = resource.deletion_policy
    return policy == "Retain" or (policy == "RetainExceptOnCreate" and not on_create)


def _used_exports(stack: EmulatedStack) -> str | None:
    for name in stack.exports():
        if users := [user.name for user in importers(name, stack.region) if user is not stack]:
            return f"Export {name} cannot be deleted as it is in use by {', '.join(users)}"
    return None
