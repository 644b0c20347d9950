"""The cluster itself, made and removed by the real ParallelCluster."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import join
from typing import Any

from trainyard.bundle.config_text import config_text
from trainyard.counts import count_text
from trainyard.deploy.adopted_stack import is_adopted
from trainyard.deploy.expired_capacity import leave_out_ended
from trainyard.deploy.record import remember_config
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.steps.stack import refuse_foreign, tell
from trainyard.deploy.withheld_nodes import withheld_nodes, without_withheld_nodes
from trainyard.deploy.work import Work
from trainyard.edge.aws.cloudformation import follow
from trainyard.edge.aws.data_stores import tag_snapshots, volume_ids
from trainyard.edge.aws.leftover_network import delete_leftover_placement_groups
from trainyard.edge.aws.parallelcluster import fleet_status, resources_folder
from trainyard.edge.aws.parallelcluster_files import delete_abandoned_files
from trainyard.edge.aws.stack_events import stack_failure
from trainyard.edge.aws.stacks import StackState, find_stack, refuse_stuck
from trainyard.edge.pcluster_answers import ValidationMessage, warnings_in
from trainyard.edge.pcluster_command import PclusterRefusedError
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted
from trainyard.platforms.parallelcluster.deployment.closed_queues import open_queues
from trainyard.platforms.parallelcluster.deployment.update import carry_out
from trainyard.render.rendering import render
from trainyard.spec.cluster import Spec

# CloudFormation calls the tag so on every stack that pcluster makes: pcluster/constants.py, PCLUSTER_VERSION_TAG.
VERSION_TAG = "parallelcluster:version"


class ClusterStep:
    """Makes the cluster, without the nodes that the head node would wait for."""

    name = "cluster"
    title = "ParallelCluster"

    def probe(self, work: Work) -> Probe:
        """Say in which state the cluster is."""
        stack_state = find_stack(work.account, work.name)
        if stack_state is None:
            return Probe("missing")
        if stack_state.in_progress:
            return Probe("under way", stack_state.status)
        return Probe("there" if stack_state.usable else "broken", stack_state.status)

    def apply(self, work: Work) -> StepOutcome:
        """Make it, or wait until a call that was killed has made it. One that is there was looked at before."""
        stack_state = settled_cluster_stack(work)
        if stack_state is not None and not stack_state.usable:
            _recreate(work, stack_state)
            stack_state = None
        if stack_state is not None:
            return _updated(work, stack_state)
        leave_out_ended(work)
        spec, document = work.required_spec(), final_config(work)
        text = config_text(spec, without_withheld_nodes(spec, document) if withheld_nodes(spec) else document)
        remember_config(work.account, work.bucket, work.name, config_text(spec, document))
        warned = _tell_warnings(work, _create(work, text))
        work.nodes_to_start = bool(withheld_nodes(spec))
        state = follow(work.account, work.name, lambda event: tell(work, event))
        if state is None or not state.usable:
            raise _failure(work, state)
        if kept := resources_folder(work.account, work.name):
            _delete_abandoned_files(work, kept)
        return StepOutcome(changed=True, detail=f"{state.status}{warned}")

    def undo(self, work: Work) -> StepOutcome:
        """Delete it and wait until it is gone."""
        stack_state = find_stack(work.account, work.name)
        if stack_state is None:
            groups = _delete_placement_groups(work)
            _delete_abandoned_files(work, None)
            return StepOutcome(changed=groups > 0, detail="there is none")
        volumes = volume_ids(work.account, work.owns)
        settled_now = settled_cluster_stack(work)
        if settled_now is not None:
            _delete(work, settled_now)
        _delete_placement_groups(work)
        _delete_abandoned_files(work, None)
        tag_snapshots(work.account, volumes, {work.tag: work.name})
        return StepOutcome(changed=True, detail="deleted")


def _delete_placement_groups(work: Work) -> int:
    """Delete those that ParallelCluster's stacks have left; those of other stacks of this name go with theirs."""
    return delete_leftover_placement_groups(
        work.account, work.name, lambda tags: VERSION_TAG in tags and work.owns(tags)
    )


def _delete_abandoned_files(work: Work, kept: str | None) -> None:
    """Delete what calls that were killed have uploaded. Where that cannot be, a few kilobytes stay and nothing else."""
    try:
        count = delete_abandoned_files(work.account, work.name, kept)
    except TrainyardError as error:
        work.tell(f"files of calls that were ended stay in ParallelCluster's bucket: {error.problem}")
        return
    if count:
        work.tell(f"{count_text(count, 'file')} of calls that were ended deleted from ParallelCluster's bucket")


def _tell_warnings(work: Work, warnings: Sequence[ValidationMessage]) -> str:
    """Tell each warning of ParallelCluster's validators in its words, and return which they are."""
    for warning in warnings:
        work.tell(f"ParallelCluster warns ({warning.type}): {quoted(warning.message, 1000)}")
    kinds = ", ".join(dict.fromkeys(warning.type for warning in warnings))
    return f"; ParallelCluster warns: {kinds}" if warnings else ""


def _updated(work: Work, stack: StackState) -> StepOutcome:
    """Carry out what the spec changes; the fleet that was stopped for it is started by the next step."""
    planned = work.cluster_update
    if planned is None or work.nodes_to_start:  # which the next step starts by an update of its own
        open_queues(work)
        _remember_final_config(work)
        return StepOutcome(changed=False, detail=stack.status)
    done = carry_out(work, planned, final_config)
    _remember_final_config(work)
    if done is None:
        return StepOutcome(changed=False, detail=f"nothing is left to change{_protection(work)}")
    count = len(done.update.changes)
    detail = f"{count_text(count, 'change')}{_tell_warnings(work, done.warnings)}"
    return StepOutcome(changed=True, detail=f"{detail}{_protection(work)}")


def _remember_final_config(work: Work) -> None:
    text = config_text(work.required_spec(), final_config(work))
    remember_config(work.account, work.bucket, work.name, text)


def _protection(work: Work) -> str:
    """Return that queues are switched off where they are: no update opens them, but a restart of the fleet does.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-protected-mode-v3.html
    """
    fleet = fleet_status(work.account, work.name)
    if fleet is None or fleet.status != "PROTECTED":
        return ""
    what = "the fleet is PROTECTED still: queues whose nodes fail are switched off, until it is started again"
    work.tell(f"{what}: see why with `trainyard diagnose {work.name}`, then `{_start_command(work)}`")
    return f"; {what}"


def _start_command(work: Work) -> str:
    words = ["pcluster", "update-compute-fleet", "--cluster-name", work.name, "--region", work.account.region]
    return join([*words, "--status", "START_REQUESTED"])


def final_config(work: Work) -> dict[str, Any]:
    """Return the configuration that the cluster is to have in the end.

    Raises TrainyardError where a stand-in is left in it.
    """
    rendering = render(work.required_spec(), work.outputs)
    if rendering.stand_ins:
        missing = rendering.stand_ins[0]
        raise TrainyardError(f"nothing says what {missing.output} is: {missing.what}", where=missing.value)
    configuration: dict[str, Any] = rendering.documents["cluster.yaml"]
    return configuration


def settled_cluster_stack(work: Work) -> StackState | None:
    """Return the stack of the cluster once AWS is done with it."""
    stack_state = find_stack(work.account, work.name)
    if stack_state is None or work.spec is None or not is_adopted(work.spec, stack_state):
        refuse_foreign(stack_state, work)
    if stack_state is None or not stack_state.in_progress:
        return stack_state
    work.tell(f"waits for what another call has begun: {stack_state.status}")
    state = follow(work.account, stack_state.id, lambda event: tell(work, event))
    return None if state is None or state.status == "DELETE_COMPLETE" else state


def _recreate(work: Work, stack: StackState) -> None:
    """Delete a cluster whose making failed; nothing can make it go on. One whose update failed still runs."""
    refuse_stuck(stack)
    if not work.options.recreate and stack.status != "DELETE_FAILED":
        raise _failure(work, stack)
    work.tell(f"deletes the cluster, which is {stack.status}")
    _delete(work, stack)


def _delete(work: Work, stack: StackState) -> None:
    version = stack.tags.get(VERSION_TAG) or (work.required_spec().parallelcluster.version)
    if stack.status != "DELETE_IN_PROGRESS":
        work.pcluster(version).delete(work.name)
    state = follow(work.account, stack.id, lambda event: tell(work, event))
    if state is not None and state.status != "DELETE_COMPLETE":
        raise stack_failure(work.account, stack.id, state)


def _create(work: Work, text: str, *, first: bool = True) -> tuple[ValidationMessage, ...]:
    """Begin to make the cluster, and return what ParallelCluster warns of.

    Where the answer was lost on its way, the stack is there all the same. ParallelCluster itself asks again then, is
    refused, and takes away what the nodes of that stack read: ``create`` in pcluster/models/cluster.py. So it is
    deleted and made once more.
    """
    parallelcluster = work.pcluster(work.required_spec().parallelcluster.version)
    try:
        return warnings_in(parallelcluster.create(work.name, text, rollback=work.options.rollback_on_failure))
    except TrainyardError as error:
        begun = find_stack(work.account, work.name)
        if begun is None or not begun.in_progress or not work.owns(begun.tags):
            raise
        if not isinstance(error, PclusterRefusedError):
            return ()
        if not first:
            raise
        work.tell("an answer of AWS was lost, and ParallelCluster left a stack that cannot come up: deletes it")
        _delete(work, begun)
        return _create(work, text, first=False)


def _failure(work: Work, state: StackState | None) -> TrainyardError:
    """Return why the cluster could not be made, and what can be done: a failed cluster cannot be resumed.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/troubleshooting-fc-v3-create-cluster.html
    """
    error = stack_failure(work.account, work.name if state is None else state.id, state)
    spec = work.required_spec()
    waited = "HeadNodeWaitCondition" in error.problem
    why = _head_node_never_signalled(spec) if waited else ""
    return TrainyardError(
        f"{error.problem}{why}",
        where=error.where,
        hint="it stays as it is, with its logs, and costs money; it cannot be resumed: look at it, put right what it "
        "says, then `trainyard deploy --recreate` deletes it and makes it again, or `trainyard destroy` removes it",
    )


def _head_node_never_signalled(spec: Spec) -> str:
    return (
        f"; the head node was not ready within {spec.timeouts.head_node_s:,} s: see chef-client.log and "
        "cfn-init.log of the head node in CloudWatch Logs"
    )
