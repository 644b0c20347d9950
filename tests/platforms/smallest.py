"""A platform made of the smallest parts there are: a cluster is a stack with one topic. What it lacks, an environment
lacks too. It shows that a platform needs nothing but its entry in the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

from trainyard.deploy.step import DeploymentStep
from trainyard.deploy.steps.infrastructure import stack_steps
from trainyard.deploy.steps.stack import StackStep
from trainyard.edge.aws.stacks import StackState
from trainyard.operate.status.cluster_stacks import stacks_of_cluster
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.status_request import StatusRequest
from trainyard.platform_entry import Platform
from trainyard.platform_parts import PlatformDeployment, PlatformReadme, PlatformRendering, StatusQuery, UnusableKeys
from trainyard.platforms.environment import ENVIRONMENT
from trainyard.platforms.environment import readme as environment_readme
from trainyard.platforms.environment import steps as environment_steps
from trainyard.platforms.environment.rendering import documents as environment_documents
from trainyard.platforms.environment.status import EnvironmentQuery, EnvironmentStatus
from trainyard.render.cloudformation.stack import Stack, StackKind, stack_of
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

CLUSTER = StackKind("topic", "topic", "the cluster: one topic", making=None)
TEMPLATE = """\
AWSTemplateFormatVersion: "2010-09-09"
Resources:
  Topic:
    Type: AWS::SNS::Topic
"""


def part(module: Any, **own: Any) -> Any:
    """Return the part of an environment with some functions of its own."""
    return SimpleNamespace(**{**vars(module), **own})


def stacks(spec: Spec, ids: Ids) -> Sequence[Stack]:
    del ids
    return (stack_of(spec, CLUSTER, TEMPLATE, {}),)


@dataclass(frozen=True)
class TopicStack(StackStep):
    kind: str = CLUSTER.id
    contents: str = CLUSTER.contents


def steps_to_deploy(spec: Spec) -> list[DeploymentStep]:
    return [*stack_steps(spec), TopicStack()]


def steps_to_destroy() -> list[DeploymentStep]:
    return [TopicStack()]


class SmallestStatus(EnvironmentStatus):
    def version_note(self, status: Status) -> str:
        del status
        return "Smallest"

    def lines(self, status: Status) -> tuple[str, ...]:
        del status
        return ("a topic",)


class SmallestQuery(EnvironmentQuery):
    def own_stacks(self, stacks: Sequence[StackState]) -> tuple[StackState, ...]:
        return stacks_of_cluster(stacks, self.request.name)

    def owns(self, stacks: Sequence[StackState]) -> bool:
        return any(stack.name == f"{self.request.name}-topic" for stack in stacks)

    def exists(self, stacks: Sequence[StackState]) -> bool:
        return self.owns(stacks)

    def look(self, status: Status, bucket: str) -> Status:
        return replace(super().look(status, bucket), platform=SmallestStatus())


def status(request: StatusRequest) -> StatusQuery:
    return SmallestQuery(request)


def version_note(spec: Spec) -> str:
    return f"on Smallest in {spec.region}"


def readme_steps(spec: Spec, contents: Any) -> Iterator[str]:
    del spec, contents
    yield "## 2. Nothing else"
    yield ""


SMALLEST: Platform = ENVIRONMENT.with_values(
    name="smallest",
    title="Smallest",
    interface_layout="awsvpc",
    cluster_step="topic",
    cluster_stack_pattern="{name}-topic",
    stack_tag=None,
    deployment=lambda: cast(
        "PlatformDeployment",
        part(environment_steps, steps_to_deploy=steps_to_deploy, steps_to_destroy=steps_to_destroy),
    ),
    rendering=lambda: cast("PlatformRendering", part(environment_documents, stacks=stacks)),
    readme=lambda: cast("PlatformReadme", part(environment_readme, version_note=version_note, steps=readme_steps)),
    status=status,
    unusable_keys=lambda: UnusableKeys(paths=(("head_node",), ("batch",), ("eks",))),
    overlay_problems=lambda _: iter(()),
)
