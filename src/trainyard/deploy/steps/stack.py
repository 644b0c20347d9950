"""The stacks beside the cluster: network, storage, monitoring and what else its templates make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from trainyard.catalog.partition import partition_of
from trainyard.deploy.losses import changes_of, refuse_losses
from trainyard.deploy.stack_change import ReviewedStack
from trainyard.deploy.stack_resources import stack_resource
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work, folder
from trainyard.edge.aws import ec2, s3
from trainyard.edge.aws.change_sets import ChangeSet, StackRequest, discard_change_set
from trainyard.edge.aws.cloudformation import change_stack, delete_stack, execute
from trainyard.edge.aws.data_stores import data_stores
from trainyard.edge.aws.stack_events import StackEvent, stack_resources
from trainyard.edge.aws.stacks import StackState, find_stack, lift_protection, protect_stack
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted
from trainyard.render.cloudformation.monitoring import subnet_of_unknown_zone
from trainyard.render.cloudformation.resources import resources
from trainyard.render.cloudformation.stack import Kind, Stack, fits_inline
from trainyard.render.cloudformation.stacks import stack
from trainyard.render.stand_ins import Ids, StandIn

# Types that take minutes, of which one wants to know that they have begun.
_SLOW = {
    "AWS::Batch::ComputeEnvironment",
    "AWS::Batch::JobQueue",
    "AWS::CloudFormation::Stack",
    "AWS::CloudFormation::WaitCondition",
    "AWS::EC2::NatGateway",
    "AWS::ElasticLoadBalancingV2::LoadBalancer",
    "AWS::FSx::FileSystem",
    "AWS::Grafana::Workspace",
}
# Of stacks whose instance kept its data there.
_FORMER_ROOT_GIB = "100"


@dataclass(frozen=True)
class StackStep:
    """One stack, brought to its template by a change set."""

    kind: Kind
    contents: str
    """What it makes."""

    @property
    def name(self) -> str:
        """The kind of the stack."""
        return self.kind

    @property
    def title(self) -> str:
        """What it makes."""
        return f"stack of the {self.contents}"

    def probe(self, work: Work) -> Probe:
        """Say in which state the stack is."""
        stack_state = find_stack(work.account, self.stack_name(work))
        if stack_state is None:
            return Probe("missing")
        if stack_state.in_progress:
            return Probe("under way", stack_state.status)
        return Probe("there" if stack_state.usable else "broken", stack_state.status)

    def apply(self, work: Work) -> StepOutcome:
        """Make it, or change what the spec changes. What only goes has to wait until nothing uses it any more."""
        reviewed = work.reviewed.pop(self.stack_name(work), None)
        stack_state = find_stack(work.account, self.stack_name(work)) if reviewed is None else reviewed.state
        refuse_foreign(stack_state, work)
        request = self.request(work, stack_state)
        if reviewed is not None and reviewed.request == request and reviewed.only_removes:
            work.removals.append(reviewed)
            detail = f"{request.name}: what the spec no longer has goes at the end"
            return StepOutcome(changed=False, detail=detail, outputs=reviewed.state.outputs)
        if stack_state is not None and (interim := interim_parameters(self.kind, request.parameters, stack_state)):
            work.removals.append(ReviewedStack(request, stack_state, None))
            request = request._replace(parameters={**request.parameters, **interim})
        state = self.changed(work, request, reviewed)
        if not state.is_protected and holds_data(stack(work.required_spec(), self.kind, Ids(work.outputs))):
            protect_stack(work.account, state.name)
        changed = stack_state is None or state.id != stack_state.id or state.status != stack_state.status
        return StepOutcome(changed, f"{state.name} {state.status}", state.outputs)

    def changed(self, work: Work, request: StackRequest, reviewed: ReviewedStack | None) -> StackState:
        """Bring the stack to what it should be, by the change set of the review where that still is the same."""
        if reviewed is not None and reviewed.request == request:
            if reviewed.change_set is None:
                return reviewed.state
            return execute(work.account, reviewed.change_set, lambda event: tell(work, event))
        if reviewed is not None and reviewed.change_set is not None:
            discard_change_set(work.account, reviewed.change_set)

        def review(change_set: ChangeSet) -> None:
            try:
                refuse_losses(work, changes_of(work, change_set.changes))
            except TrainyardError:
                discard_change_set(work.account, change_set)
                raise

        return change_stack(work.account, request, lambda event: tell(work, event), review)

    def undo(self, work: Work) -> StepOutcome:
        """Delete it. What its template retains stays."""
        stack_state = find_stack(work.account, self.stack_name(work))
        if stack_state is None:
            return StepOutcome(changed=False, detail="there is none")
        refuse_foreign(stack_state, work)
        if stack_state.is_protected:
            lift_protection(work.account, stack_state.name)
        delete_stack(work.account, stack_state.name, lambda event: tell(work, event))
        return StepOutcome(changed=True, detail=f"{stack_state.name} deleted")

    def stack_name(self, work: Work) -> str:
        """Return the name of the stack."""
        return f"{work.name}-{self.kind}"

    def request(self, work: Work, state: StackState | None) -> StackRequest:
        """Return what the stack should be, with what earlier stacks have made. ``state`` is the stack as it is.

        Raises TrainyardError where an earlier stack still has to be made.
        """
        request, missing = self.request_so_far(work, state)
        if missing:
            raise TrainyardError(
                f"nothing says what {missing[0].output} is: {missing[0].what}",
                where=request.name,
                hint="an earlier stack should have given it; this is a defect of trainyard",
            )
        return request

    def request_so_far(self, work: Work, state: StackState | None) -> tuple[StackRequest, list[StandIn]]:
        """Return the same, and which of its parameters are stand-ins for what an earlier stack has still to make."""
        ids = Ids({**work.outputs, **_known_zone(work, self.kind)})
        rendered = stack(work.required_spec(), self.kind, ids)
        missing = [stand_in for stand_in in ids.in_order() if stand_in.value in rendered.parameters.values()]
        url = None if fits_inline(rendered.template) else _uploaded_template(work, self.kind, rendered.template)
        kept = kept_parameters(self.kind, rendered.parameters, state)
        parameters = {**rendered.parameters, **kept}
        request = StackRequest(rendered.name, rendered.template, parameters, rendered.tags, rendered.capabilities, url)
        return request, missing


class NetworkStep(StackStep):
    """The stack of the network, which stays as long as a file system that is kept has its interfaces there."""

    def undo(self, work: Work) -> StepOutcome:
        """Delete it, unless a file system that is kept stands in it."""
        name = f"{work.name}-{self.kind}"
        if find_stack(work.account, name) is None:
            return StepOutcome(changed=False, detail="there is none")
        resources = stack_resources(work.account, name)
        subnets = {resource.physical_id for resource in resources if resource.type == "AWS::EC2::Subnet"}
        # In a VPC that existed before, the stack has only security groups, and FSx has interfaces in one of them.
        guarded = any(resource.resource == "FileSystemSecurityGroup" for resource in resources)
        stores = data_stores(work.account, work.name, work.owns)
        standing = [data for data in stores if data.subnets & subnets or (guarded and data.kind == "fsx")]
        if standing:
            work.kept.append(f"stack {name}, because {standing[0]} stands in its network")
            return StepOutcome(changed=False, detail=f"kept, because {standing[0]} stands in it")
        return super().undo(work)


def kept_parameters(kind: Kind, parameters: Mapping[str, str], state: StackState | None) -> dict[str, str]:
    """Return what stays as a stack has it: another image or disk would replace the monitoring instance."""
    outputs = {} if state is None else state.outputs
    image = outputs.get("MonitoringInstanceImage")
    if kind != "monitoring" or image is None or parameters["MonitoringType"] != "self-hosting":
        return {}
    return {"MonitoringImageId": image, "MonitoringRootGiB": outputs.get("MonitoringRootGiB", _FORMER_ROOT_GIB)}


def interim_parameters(kind: Kind, parameters: Mapping[str, str], state: StackState) -> dict[str, str]:
    """Return what keeps resources of a stack that roles of the cluster still have, until the cluster is updated too."""
    had_policies = kind == "monitoring" and "AMPRemoteWritePolicyArn" in state.outputs
    return {"KeepsPrometheus": "yes"} if had_policies and parameters["MonitoringType"] == "self-hosting" else {}


def _known_zone(work: Work, kind: Kind) -> dict[str, str]:
    """Return the zone of the monitoring instance's subnet, where only the account knows it."""
    subnet = subnet_of_unknown_zone(work.required_spec()) if kind == "monitoring" else None
    described = None if subnet is None else ec2.subnets(work.account, (subnet,)).get(subnet)
    return {} if described is None else {"MonitoringZone": described["AvailabilityZone"]}


def holds_data(stack: Stack) -> bool:
    """Return whether a stack has anything that nobody could make again, or that everything stands in."""
    return any(stack_resource(resource.type).holds in ("data", "foundation") for resource in resources(stack))


def refuse_foreign(state: StackState | None, work: Work) -> None:
    """Raise TrainyardError where a stack is not of this cluster or environment."""
    if state is not None and not work.owns(state.tags):
        raise TrainyardError(
            f"stack {state.name} was not made for {work.name}: it has no tag {work.tag}={work.name}",
            where=state.name,
            hint="choose another name in the spec; trainyard touches nothing that it has not made",
        )


def tell(work: Work, event: StackEvent) -> None:
    """Show what became of a resource, and what takes long when it begins."""
    if event.status.endswith("_IN_PROGRESS") and (event.type not in _SLOW or "nitiated" in event.reason):
        return
    reason = f": {quoted(event.reason)}" if event.reason and event.status.endswith("FAILED") else ""
    work.tell(f"{event.resource} ({event.type}) {event.status}{reason}")


def _uploaded_template(work: Work, kind: str, text: str) -> str:
    """Upload a template that is too long for a request, named by its content, and return its URL.

    CloudFormation reads it with the rights of the caller.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateChangeSet.html
    """
    content = text.encode()
    key = f"{folder(work.name)}/templates/{kind}-{sha256(content).hexdigest()}.yaml"
    s3.put(work.account, work.bucket, key, content)
    work.tell(f"s3://{work.bucket}/{key} uploaded: {len(content):,} bytes are too long for a request")
    # https://docs.aws.amazon.com/general/latest/gr/s3.html
    suffix = "com.cn" if partition_of(work.account.region) == "aws-cn" else "com"
    return f"https://s3.{work.account.region}.amazonaws.{suffix}/{work.bucket}/{key}"
