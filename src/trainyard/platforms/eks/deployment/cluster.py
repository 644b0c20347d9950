"""The cluster where it is one of Amazon EKS, made and removed by the user's own eksctl."""

from __future__ import annotations

from trainyard.deploy.record import remember_config
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws.control_plane_logs import put_log_group
from trainyard.edge.aws.eks import EksCluster
from trainyard.edge.aws.stack_events import stack_failure
from trainyard.edge.aws.stacks import StackState, find_stack, refuse_stuck
from trainyard.edge.eksctl import EksctlRefusedError
from trainyard.errors import TrainyardError
from trainyard.platforms.eks import EKS
from trainyard.platforms.eks.deployment.changes import refuse_without_stack
from trainyard.platforms.eks.deployment.config import desired_config, text_of
from trainyard.platforms.eks.deployment.deletion import delete_eks_cluster
from trainyard.platforms.eks.deployment.kubeconfig import forget_cluster
from trainyard.platforms.eks.deployment.stacks import cluster_stack_of, own_cluster, own_stacks, why_it_failed

_POLL_S = 15.0
_POLLS = 480  # two hours; EKS makes a control plane in 10 to 15 minutes, and updates it in less than an hour


class EksClusterStep:
    """Makes control plane, add-ons and node groups in one go. What that leaves undone, later steps do."""

    name = "cluster"
    title = "EKS cluster, by eksctl"

    def probe(self, work: Work) -> Probe:
        """Say in which state the cluster is."""
        stack_state = find_stack(work.account, EKS.cluster_stack(work.name))
        if stack_state is None:
            return Probe("missing")
        if stack_state.in_progress:
            return Probe("under way", stack_state.status)
        return Probe("there" if stack_state.usable else "broken", stack_state.status)

    def apply(self, work: Work) -> StepOutcome:
        """Make it, or wait until a call that was killed has made it. One that is there was looked at before."""
        stack_state = cluster_stack_of(work)
        if stack_state is not None and not stack_state.usable:
            _remove_failed(work, stack_state)
            stack_state = None
        if stack_state is None:
            refuse_without_stack(work, own_cluster(work))
            return _create(work)
        cluster = active_cluster(work)
        remember_config(work.account, work.bucket, work.name, text_of(work, desired_config(work)))
        return StepOutcome(changed=False, detail=f"{cluster.status}, Kubernetes {cluster.version}")

    def undo(self, work: Work) -> StepOutcome:
        """End its jobs, and delete it with all that eksctl has made."""
        stacks = own_stacks(work)
        named = find_stack(work.account, EKS.cluster_stack(work.name))
        if not stacks:  # every destruction looks, and one of another platform has nothing to do with this stack
            return StepOutcome(
                changed=False, detail="there is none" if named is None else f"stack {named.name} is of somebody else"
            )
        cluster = own_cluster(work)
        if cluster is not None:  # without its tag, nobody could tell later whose logs they are
            put_log_group(work.account, cluster, {work.tag: work.name})
        delete_eks_cluster(work, cluster)
        if cluster is not None:
            forget_cluster(work, cluster)
        return StepOutcome(changed=True, detail="deleted")


def active_cluster(work: Work) -> EksCluster:
    """Return the cluster once EKS is done with it. Raises TrainyardError where it is gone or has failed."""
    for _ in range(_POLLS):
        eks_cluster = own_cluster(work)
        if eks_cluster is None:
            raise TrainyardError(
                f"EKS cluster {work.name} is gone, and its stack {EKS.cluster_stack(work.name)} is still there",
                where=work.name,
                hint=f"`trainyard destroy {work.name}` removes what is left, then deploy again",
            )
        if eks_cluster.status == "FAILED":
            issues = "; ".join(f"{health_issue.code}: {health_issue.message}" for health_issue in eks_cluster.health)
            raise TrainyardError(
                f"EKS cluster {work.name} is FAILED{f': {issues}' if issues else ''}",
                where=eks_cluster.arn,
                hint="`trainyard deploy --recreate` deletes it and makes it again, `trainyard destroy` removes it",
            )
        if eks_cluster.status == "ACTIVE":
            return eks_cluster
        work.tell(f"EKS cluster {work.name} is {eks_cluster.status}")
        work.account.clock.sleep(_POLL_S)
    raise TrainyardError(
        f"EKS is still at work on cluster {work.name} after {_POLL_S * _POLLS / 3600:.0f} hours",
        where=work.name,
        hint="run the command again later",
    )


def _create(work: Work) -> StepOutcome:
    config = desired_config(work)
    text = text_of(work, config)
    eksctl = work.eksctl(work.account)
    eksctl.dry_run(text)  # it reads the whole file before anything is made
    remember_config(work.account, work.bucket, work.name, text)
    try:
        eksctl.create_cluster(text, work.relay)
    except EksctlRefusedError as error:
        reason = why_it_failed(work, error)
        stack_state = cluster_stack_of(work)
        if reason is not error or stack_state is None or not stack_state.usable:
            raise reason from error
        work.tell(f"{error.problem}; goes on with what is missing")
    return StepOutcome(changed=True, detail=f"Kubernetes {config['metadata']['version']}")


def _remove_failed(work: Work, stack: StackState) -> None:
    """Delete a cluster whose making failed: nothing can make its stack go on."""
    refuse_stuck(stack)
    if not work.options.recreate and stack.status != "DELETE_FAILED":
        reason = stack_failure(work.account, stack.id, stack)
        raise TrainyardError(
            reason.problem,
            where=reason.where,
            hint="put right what it says, then `trainyard deploy --recreate` deletes it and makes it again, or "
            f"`trainyard destroy {work.name}` removes it",
        )
    work.tell(f"deletes the cluster, which is {stack.status}")
    delete_eks_cluster(work, own_cluster(work))
