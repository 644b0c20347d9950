"""The actions of CloudFormation's API, as moto's other services have them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from moto.core.responses import ActionResult, BaseResponse, EmptyResult

from trainyard.rehearsal.emulated.engine import (
    answers,
    change_sets,
    deletion,
    deployment,
    drift,
    parameters,
    plan,
    references,
    stacks,
    template,
)
from trainyard.rehearsal.emulated.engine.refusals import InvalidError, TakenError
from trainyard.rehearsal.emulated.engine.template import body_of
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount

# Others can be deleted only. https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
_UPDATABLE = {
    "CREATE_COMPLETE",
    "CREATE_FAILED",
    "IMPORT_COMPLETE",
    "UPDATE_COMPLETE",
    "UPDATE_FAILED",
    "UPDATE_ROLLBACK_COMPLETE",
}


class CloudFormation(BaseResponse):
    """Answers CloudFormation's calls."""

    def __init__(self) -> None:
        """Let moto take the parameters apart as the service's model says."""
        super().__init__(service_name="cloudformation")
        self.automated_parameter_parsing = True

    # --- stacks that change

    def create_stack(self) -> ActionResult:
        """Make a stack at once; it is seen to be in progress for one look."""
        name = self._get_param("StackName")
        if (taken := stacks.find_stack(name, self.region)) is not None:
            if self._is_repeated(taken):
                return ActionResult({"StackId": taken.id})
            raise TakenError(f"Stack [{name}] already exists")
        stack = self._new_stack(name)
        self._is_repeated(stack)
        on_failure = self._get_param("OnFailure")
        if on_failure and self._get_param("DisableRollback") is not None:
            raise InvalidError("You can set either DisableRollback or OnFailure, but not both")
        stack.rollback = on_failure in (None, "ROLLBACK", "DELETE") and not self._get_bool_param("DisableRollback")
        stack.delete_on_failure = on_failure == "DELETE"
        stack.protected = bool(self._get_bool_param("EnableTerminationProtection"))
        target = self._target(stack, self._body())
        stacks.add(stack)
        deployment.create(stack, target)
        return ActionResult({"StackId": stack.id})

    def update_stack(self) -> ActionResult:
        """Change a stack."""
        stack = stacks.stack_named(self._get_param("StackName"), self.region)
        if self._is_repeated(stack):
            return ActionResult({"StackId": stack.id})
        self._check_updatable(stack)
        body = stack.body if self._get_bool_param("UsePreviousTemplate") else self._body()
        target = self._target(stack, body)
        if plan.changes_nothing(stack, target):
            raise InvalidError("No updates are to be performed.")
        stack.rollback = not self._get_bool_param("DisableRollback")
        stack.capabilities = tuple(self._get_param("Capabilities") or stack.capabilities)
        deployment.update(stack, target)
        return ActionResult({"StackId": stack.id})

    def continue_update_rollback(self) -> ActionResult:
        """Go on with taking an update back."""
        stack = stacks.stack_named(self._get_param("StackName"), self.region)
        if not self._is_repeated(stack):
            if stack.status != "UPDATE_ROLLBACK_FAILED":
                raise InvalidError(f"Stack:{stack.id} is in {stack.status} state and can not continue update rollback.")
            deployment.continue_rollback(stack)
        return EmptyResult()

    def delete_stack(self) -> ActionResult:
        """Delete a stack. One that does not exist is deleted already."""
        stack = stacks.find_stack(self._get_param("StackName"), self.region)
        if stack is None or stack.deleted is not None or self._is_repeated(stack):
            return EmptyResult()
        if stack.protected:
            raise InvalidError(f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled")
        retain = self._get_param("RetainResources") or []
        force = self._get_param("DeletionMode") == "FORCE_DELETE_STACK"
        if (retain or force) and stack.status != "DELETE_FAILED":
            what = "force delete" if force else "specify which resources to retain of"
            raise InvalidError(
                f"Invalid operation on stack [{stack.id}]. You can {what} a stack only if it is in DELETE_FAILED"
            )
        deletion.delete(stack, retain, force=force)
        return EmptyResult()

    def update_termination_protection(self) -> ActionResult:
        """Switch the protection against deletion."""
        stack = stacks.stack_named(self._get_param("StackName"), self.region)
        stack.protected = bool(self._get_bool_param("EnableTerminationProtection"))
        return ActionResult({"StackId": stack.id})

    # --- change sets

    def create_change_set(self) -> ActionResult:
        """Plan the making or the change of a stack."""
        kind = self._get_param("ChangeSetType") or "UPDATE"
        stack = self._stack_for_change_set(kind)
        previous = bool(self._get_bool_param("UsePreviousTemplate"))
        target = self._target(stack, stack.body if previous else self._body())
        name = self._get_param("ChangeSetName")
        token = self._get_param("ClientToken")
        former = change_sets.of_stack(stack).get(name)
        if former is not None and token is not None and former.token == token:
            return ActionResult({"Id": former.id, "StackId": stack.id})
        change_set = change_sets.EmulatedChangeSet(
            name=name,
            token=token,
            id=change_sets.new_id(name, self.region, self.current_account),
            kind=kind,
            stack=stack,
            target=target,
            capabilities=tuple(self._get_param("Capabilities") or ()),
            description=self._get_param("Description"),
            on_failure=self._get_param("OnStackFailure"),
        )
        change_sets.add(change_set)
        if stack.id not in {other.id for other in stacks.every(self.region)}:
            stack.say("REVIEW_IN_PROGRESS", "User Initiated")
            stacks.add(stack)
        return ActionResult({"Id": change_set.id, "StackId": stack.id})

    def describe_change_set(self) -> ActionResult:
        """Show what would be done."""
        return ActionResult(
            answers.change_set(self._change_set(), with_values=bool(self._get_bool_param("IncludePropertyValues")))
        )

    def execute_change_set(self) -> ActionResult:
        """Do it."""
        change_set = self._change_set()
        if self._is_repeated(change_set.stack):
            return EmptyResult()
        if change_set.kind == "UPDATE":
            self._check_updatable(change_set.stack)
        change_sets.execute(change_set, rollback=not self._get_bool_param("DisableRollback"))
        return EmptyResult()

    def delete_change_set(self) -> ActionResult:
        """Forget a plan."""
        change_set = self._change_set()
        del change_sets.of_stack(change_set.stack)[change_set.name]
        return EmptyResult()

    def list_change_sets(self) -> ActionResult:
        """List the plans of a stack."""
        stack = stacks.stack_named(self._get_param("StackName"), self.region)
        return ActionResult(
            {
                "Summaries": [
                    answers.change_set_summary(change_set) for change_set in change_sets.of_stack(stack).values()
                ]
            }
        )

    # --- what there is

    def describe_stacks(self) -> ActionResult:
        """Show stacks. Looking lets time pass."""
        name = self._get_param("StackName")
        chosen = [stacks.stack_named(name, self.region)] if name else stacks.existing_stacks(self.region)
        return self._page("Stacks", [answers.stack(stack) for stack in chosen])

    def list_stacks(self) -> ActionResult:
        """List stacks, deleted ones too."""
        statuses = self._get_param("StackStatusFilter") or []
        summaries = [answers.stack_summary(stack) for stack in stacks.every(self.region)]
        return self._page(
            "StackSummaries", [summary for summary in summaries if not statuses or summary["StackStatus"] in statuses]
        )

    def describe_stack_events(self) -> ActionResult:
        """Show what happened, the newest first."""
        stack = stacks.stack_named(self._get_param("StackName"), self.region)
        return self._page("StackEvents", answers.events(stack))

    def describe_stack_resource(self) -> ActionResult:
        """Show one resource."""
        stack = stacks.stack_named(self._get_param("StackName"), self.region)
        name = self._get_param("LogicalResourceId")
        if name not in stack.resources:
            raise InvalidError(f"Resource {name} does not exist for stack {stack.name}")
        return ActionResult({"StackResourceDetail": answers.resource(stack, stack.resources[name])})

    def describe_stack_resources(self) -> ActionResult:
        """Show the resources of one stack, or of the stack that has a certain resource."""
        physical_id = self._get_param("PhysicalResourceId")
        stack = (
            self._stack_with(physical_id)
            if physical_id
            else stacks.stack_named(self._get_param("StackName"), self.region)
        )
        name = self._get_param("LogicalResourceId")
        chosen = [resource for resource in stack.resources.values() if name in (None, resource.logical_id)]
        return ActionResult({"StackResources": [answers.resource(stack, resource) for resource in chosen]})

    def list_stack_resources(self) -> ActionResult:
        """List the resources of a stack."""
        stack = stacks.stack_named(self._get_param("StackName"), self.region)
        return self._page(
            "StackResourceSummaries", [answers.resource(stack, resource) for resource in stack.resources.values()]
        )

    # --- drift

    def detect_stack_drift(self) -> ActionResult:
        """Compare the resources of a stack with its template."""
        stack = stacks.stack_named(self._get_param("StackName"), self.region)
        stack.drift_detection, stack.drifts = str(uuid.uuid4()), drift.resource_drifts(stack)
        return ActionResult({"StackDriftDetectionId": stack.drift_detection})

    def describe_stack_drift_detection_status(self) -> ActionResult:
        """Say that a detection is over."""
        detection = self._get_param("StackDriftDetectionId")
        stack = next((stack for stack in stacks.every(self.region) if stack.drift_detection == detection), None)
        if stack is None:
            raise InvalidError(f"DriftDetectionId [{detection}] does not exist")
        drifted = [shown for shown in stack.drifts if shown["StackResourceDriftStatus"] in ("MODIFIED", "DELETED")]
        return ActionResult(
            {
                "StackId": stack.id,
                "StackDriftDetectionId": detection,
                "StackDriftStatus": "DRIFTED" if drifted else "IN_SYNC",
                "DetectionStatus": "DETECTION_COMPLETE",
                "DriftedStackResourceCount": len(drifted),
                "Timestamp": datetime.now(UTC),
            }
        )

    def describe_stack_resource_drifts(self) -> ActionResult:
        """Show what the last detection found."""
        stack = stacks.stack_named(self._get_param("StackName"), self.region)
        statuses = self._get_param("StackResourceDriftStatusFilters") or []
        shown = [found for found in stack.drifts if not statuses or found["StackResourceDriftStatus"] in statuses]
        return self._page("StackResourceDrifts", shown)

    # --- templates

    def get_template(self) -> ActionResult:
        """Return a template as it was given."""
        stack = stacks.stack_named(self._get_param("StackName"), self.region)
        name = self._get_param("ChangeSetName")
        body = change_sets.find_change_set(name, stack.name, self.region).target.body if name else stack.body
        return ActionResult({"TemplateBody": body, "StagesAvailable": ["Original", "Processed"]})

    def get_template_summary(self) -> ActionResult:
        """Return what a template declares."""
        name = self._get_param("StackName")
        body = stacks.stack_named(name, self.region).body if name else self._body()
        return ActionResult(answers.template_summary(template.parse(body)))

    def validate_template(self) -> ActionResult:
        """Check the form of a template."""
        parsed = template.parse(self._body())
        references.check_references(parsed)
        return ActionResult(answers.template_summary(parsed))

    def list_exports(self) -> ActionResult:
        """List the exports of all stacks."""
        exports = stacks.exports(self.region)
        shown = [
            {"ExportingStackId": stack.id, "Name": name, "Value": value} for name, (stack, value) in exports.items()
        ]
        return self._page("Exports", shown)

    def list_imports(self) -> ActionResult:
        """List the stacks that import an export."""
        name = self._get_param("ExportName")
        users = [stack.name for stack in stacks.importers(name, self.region)]
        if not users:
            raise InvalidError(f"Export '{name}' is not imported by any stack.")
        return ActionResult({"Imports": users})

    # --- parts of the above

    def _new_stack(self, name: str) -> stacks.EmulatedStack:
        stack_id = f"arn:aws:cloudformation:{self.region}:{self.current_account}:stack/{name}/{uuid.uuid4()}"
        granted = tuple(self._get_param("Capabilities") or ())
        return stacks.EmulatedStack(
            name=name, id=stack_id, region=self.region, role=self._get_param("RoleARN"), capabilities=granted
        )

    def _body(self) -> str:
        return body_of(self._get_param("TemplateBody"), self._get_param("TemplateURL"), InProcessAccount(self.region))

    def _target(self, stack: stacks.EmulatedStack, body: str) -> plan.StackTarget:
        former = {**parameters.defaults(stack.template), **stack.values}
        values = parameters.request_values(self._get_param("Parameters") or [], former)
        listed = self._get_param("Tags")
        tags = stack.tags if listed is None else {tag["Key"]: tag["Value"] for tag in listed}
        return plan.target(stack, body, values, tags, self._get_param("Capabilities") or ())

    def _stack_for_change_set(self, kind: str) -> stacks.EmulatedStack:
        name = self._get_param("StackName")
        stack = stacks.find_stack(name, self.region)
        if kind == "UPDATE":
            stack = stacks.stack_named(name, self.region)
            self._check_updatable(stack)
            return stack
        if stack is not None and stack.status != "REVIEW_IN_PROGRESS":
            again = f"cannot be created again with the changeSet [{self._get_param('ChangeSetName')}]"
            raise TakenError(f"Stack [{name}] already exists and {again}")
        return stack or self._new_stack(name)

    def _change_set(self) -> change_sets.EmulatedChangeSet:
        return change_sets.find_change_set(self._get_param("ChangeSetName"), self._get_param("StackName"), self.region)

    def _is_repeated(self, stack: stacks.EmulatedStack) -> bool:
        """Return whether this call, by its token, was answered before.

        https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html
        """
        token = self._get_param("ClientRequestToken")
        if token is None:
            return False
        call = f"{self._get_action()} {token}"
        repeated = call in stack.tokens
        stack.tokens.add(call)
        return repeated

    def _check_updatable(self, stack: stacks.EmulatedStack) -> None:
        status = stack.unseen or stack.status
        if status not in _UPDATABLE:
            raise InvalidError(f"Stack:{stack.id} is in {status} state and can not be updated.")

    def _stack_with(self, physical_id: str) -> stacks.EmulatedStack:
        for stack in stacks.existing_stacks(self.region):
            if any(physical.id == physical_id for physical in stack.physical_resources().values()):
                return stack
        raise InvalidError(f"Stack for {physical_id} does not exist")

    def _page(self, name: str, items: Sequence[Mapping[str, Any]]) -> ActionResult:
        start = int(self._get_param("NextToken") or 0)
        page: dict[str, Any] = {name: items[start : start + _PAGE]}
        if start + _PAGE < len(items):
            page["NextToken"] = str(start + _PAGE)
        return ActionResult(page)


# https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ListExports.html and its neighbours
_PAGE = 100
