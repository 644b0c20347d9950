"""One file system that is mounted twice."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield file systems that exist and were named before, whatever access point they are mounted through."""
    first: dict[str, str] = {}
    for index, file_system in enumerate(spec.file_systems):
        id_ = file_system.settings.id
        if id_ in (None, "environment"):  # an environment may have several, which are counted
            continue
        if id_ in first:
            problem = f"{id_} is mounted at {first[id_]} already"
            yield Problem(("file_systems", index, file_system.kind, "id"), problem)
        first.setdefault(id_, file_system.mount)


RULE = Rule(
    severity="error",
    title="File system that repeats",
    rationale=(
        "Two mounts of one file system look like two places to keep data, and are one. ParallelCluster refuses ids "
        "that it has seen."
    ),
    remedy="mount it once, and make links for other paths; or name the file system that was meant",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html",
    bad="""\
file_systems:
  - {mount: /data, lustre: {id: fs-0123456789abcdef0}}
  - {mount: /models, lustre: {id: fs-0123456789abcdef0}}
""",
    good="""\
network:
  existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}
file_systems:
  - {mount: /data, lustre: {id: fs-0123456789abcdef0}}
  - {mount: /models, lustre: {id: fs-0123456789abcdef1}}
""",
    check=check,
)
