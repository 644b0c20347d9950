"""A file system of an environment that the cluster does not name."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield file systems that are those of the environment, where there is no environment."""
    if spec.environment is not None:
        return
    for index, file_system in enumerate(spec.file_systems):
        if file_system.settings.id == "environment":
            path = ("file_systems", index, file_system.kind, "id")
            yield Problem(path, f"{file_system.mount} is the file system of an environment, and none is named")


RULE = Rule(
    severity="error",
    title="Environment that is not named",
    rationale="Which file system is meant, only the stacks of an environment say.",
    remedy="name it with environment: …, or write the id of the file system",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/outputs-section-structure.html",
    bad="file_systems: [{mount: /fsx, lustre: {id: environment}}]",
    good="environment: use2\nfile_systems: [{mount: /fsx, lustre: {id: environment}}]",
    check=check,
)
