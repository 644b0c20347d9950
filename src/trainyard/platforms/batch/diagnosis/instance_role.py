"""Instance profiles that are gone, or whose role may not do what the agent of ECS does first."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.edge.aws.batch_state import ComputeEnvironment
from trainyard.edge.aws.iam import decisions
from trainyard.edge.aws.instance_profile import instance_profile
from trainyard.platforms.batch.diagnosis.cluster_facts import BatchFacts

# Of AmazonEC2ContainerServiceforEC2Role, without which no instance gets to its cluster.
# https://docs.aws.amazon.com/batch/latest/userguide/instance_IAM_role.html
_NEEDED = ("ecs:DiscoverPollEndpoint", "ecs:Poll", "ecs:RegisterContainerInstance", "ecs:SubmitTaskStateChange")


def check(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each environment whose instances could not come to ECS."""
    for one in facts.environments:
        if one.instance_profile:
            yield from _of(facts, one)


def _of(facts: BatchFacts, environment: ComputeEnvironment) -> Iterator[str]:
    name = environment.instance_profile.rpartition("/")[2]
    what = f"instance profile {name} of compute environment {environment.name}"
    found = facts.ask("its instance profiles", instance_profile, name)
    if found is None:
        if not facts.refuses("its instance profiles"):
            yield f"{what} does not exist"
        return
    if found.role is None:
        yield f"{what} has no role"
        return
    decided = facts.ask("what its instances may do", decisions, found.role, _NEEDED) or ()
    if refused := [one.action for one in decided if one.decision != "allowed"]:
        yield f"role {found.role} of {what} is not allowed to do what the ECS agent needs: {', '.join(refused)}"
