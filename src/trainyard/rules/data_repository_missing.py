"""Automatic import or export of a file system that is linked to no bucket."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield what was written about a data repository that is not there."""
    for path, mount, lustre in spec.new_lustre():
        if isinstance(lustre.data_repository, str):
            continue
        for key in sorted(lustre.written & {"auto_import", "auto_export", "data_path"}):
            if lustre.data_repository is None:
                yield Problem((*path, key), f"{key} without data_repository: {mount} is linked to no bucket")
            else:
                own = "path" if key == "data_path" else key
                remedy = f"write {own} in each entry of data_repository"
                yield Problem((*path, key), f"{key} beside a list of data repositories says nothing of them", remedy)


RULE = Rule(
    severity="error",
    title="Data repository that is missing",
    rationale=(
        "Import and export are properties of a link to S3. Without the link the key would be ignored, and checkpoints "
        "that should reach a bucket would exist only once."
    ),
    remedy="name the bucket in data_repository, or remove the key",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html",
    bad="""\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250, auto_export: [NEW, CHANGED]}}
""",
    good="""\
file_systems:
  - mount: /fsx
    lustre:
      size_gib: 4800
      throughput_mb_s_per_tib: 250
      data_repository: s3://my-bucket/datasets
      auto_export: [NEW, CHANGED]
""",
    check=check,
)
