"""The stacks that eksctl makes: one for the control plane, one for each node group, one for each role of a workload.

Their names: https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/manager/cluster.go, and nodegroup.go beside it. All
have the tags of the configuration's metadata, and so have the cluster and its node groups: NewStackCollection in api.go
beside it, makeCFNTags in https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/cluster.go, and AddAllResources
in managed_nodegroup.go beside that; https://github.com/eksctl-io/eksctl/issues/2106 says the same.
"""

from __future__ import annotations

import base64
import hashlib

from trainyard.deploy.steps.stack import refuse_foreign, tell
from trainyard.deploy.work import Work
from trainyard.edge.aws.cloudformation import delete_stack, follow
from trainyard.edge.aws.eks import EksCluster, find_cluster
from trainyard.edge.aws.stack_events import stack_failure
from trainyard.edge.aws.stacks import StackState, all_stacks, find_stack, lift_protection
from trainyard.edge.eksctl import EksctlRefusedError
from trainyard.errors import TrainyardError
from trainyard.platforms.eks import EKS

# What can only be deleted.
FAILED = {"CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED"}


def node_group_stack(cluster: str, name: str) -> str:
    """Return the name of the stack of a node group."""
    return f"eksctl-{cluster}-nodegroup-{name}"


def role_stack(cluster: str, namespace: str, account: str) -> str:
    """Return the name of the stack with the role of a service account.

    https://github.com/eksctl-io/eksctl/blob/main/pkg/actions/podidentityassociation/tasks.go
    """
    return f"eksctl-{cluster}-podidentityrole-{namespace}-{account}"


def access_stack(cluster: str, principal: str) -> str:
    """Return the name of the stack with somebody's access entry.

    https://github.com/eksctl-io/eksctl/blob/main/pkg/actions/accessentry/creator.go
    """
    digest = hashlib.sha1(principal.encode(), usedforsecurity=False).digest()
    return f"eksctl-{cluster}-accessentry-{base64.b32encode(digest).decode().rstrip('=')}"


def is_role_of_addon(stack: str, cluster: str, addon: str) -> bool:
    """Return whether a stack has a role of an add-on, by EKS Pod Identity or by the OIDC provider of the cluster.

    https://github.com/eksctl-io/eksctl/blob/main/pkg/actions/addon/podidentityassociation.go, and addon.go beside it
    """
    own = f"eksctl-{cluster}-addon-{addon}"
    return stack == own or stack.startswith(f"{own}-podidentityrole-")


def own_stacks(work: Work) -> list[StackState]:
    """Return every stack that eksctl has made for the cluster, in the order of their making."""
    beginning = f"eksctl-{work.name}-"
    return [stack for stack in all_stacks(work.account) if stack.name.startswith(beginning) and work.owns(stack.tags)]


def settled_stacks(work: Work) -> tuple[StackState, ...]:
    """Return the same once AWS is done with all of them: a call that was killed may have begun some."""
    stacks = own_stacks(work)
    if not any(stack.in_progress for stack in stacks):
        return tuple(stacks)
    for stack in stacks:
        if stack.in_progress:
            settled_stack(work, stack.name)
    return tuple(own_stacks(work))


def settled_stack(work: Work, name: str) -> StackState | None:
    """Return a stack once AWS is done with it; None where there is none. Raises TrainyardError for a foreign one."""
    stack_state = find_stack(work.account, name)
    refuse_foreign(stack_state, work)
    if stack_state is None or not stack_state.in_progress:
        return stack_state
    work.tell(f"waits for what another call has begun: {stack_state.name} {stack_state.status}")
    state = follow(work.account, stack_state.id, lambda event: tell(work, event))
    return None if state is None or state.status == "DELETE_COMPLETE" else state


def why_it_failed(work: Work, error: EksctlRefusedError) -> TrainyardError:
    """Return the reason of the first stack that failed; what eksctl said where none has.

    Where it said of that stack, it said the same, and each line of it was told already.
    """
    for stack in own_stacks(work):
        if stack.status in FAILED or stack.status.startswith("ROLLBACK"):
            reason = stack_failure(work.account, stack.id, stack)
            problem = error.problem.partition(": ")[0] + ":" if stack.name in error.problem else f"{error.problem};"
            return TrainyardError(f"{problem} {reason.problem}", where=reason.where, hint=error.hint)
    return error


def delete_own_stack(work: Work, name: str) -> None:
    """Delete a stack that eksctl has made for the cluster, and wait until it is gone."""
    lift_protection(work.account, name)
    delete_stack(work.account, name, lambda event: tell(work, event))


def own_cluster(work: Work) -> EksCluster | None:
    """Return the cluster, None where there is none. Raises TrainyardError where it is not ours."""
    eks_cluster = find_cluster(work.account, work.name)
    if eks_cluster is not None and not work.owns(eks_cluster.tags):
        raise TrainyardError(
            f"EKS cluster {work.name} was not made for {work.name}: it has no tag {work.tag}={work.name}",
            where=eks_cluster.arn,
            hint="choose another name in the spec; trainyard touches nothing that it has not made",
        )
    return eks_cluster


def cluster_stack_of(work: Work) -> StackState | None:
    """Return the stack of the control plane once AWS is done with it."""
    return settled_stack(work, EKS.cluster_stack(work.name))
