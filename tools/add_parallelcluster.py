"""Adds a version of ParallelCluster, and leaves a diff to review: ``add_parallelcluster.py VERSION``.

Locks the version with its dependencies, installs it, records what its code says about limits, and compares that with
the version before. Tests take the version from its lock, so that they need no change.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lock_pcluster import main as lock
from trainyard.catalog.by_version import line_of, number_of
from trainyard.catalog.parallelcluster import known_versions as known_lines
from trainyard.edge.pcluster import environment

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
_WITH_LINES = ("parallelcluster", "parallelcluster_limits", "slurm_settings", "update_policies")


def differences(before: dict[str, Any], after: dict[str, Any], place: str = "") -> Iterator[str]:
    """Yield what the code of two versions says differently, one place a line."""
    for key in sorted(before.keys() | after.keys()):
        old, new, path = before.get(key), after.get(key), f"{place}.{key}".lstrip(".")
        if isinstance(old, dict) and isinstance(new, dict):
            yield from differences(old, new, path)
        elif old != new:
            yield f"{path}: {json.dumps(old)} is now {json.dumps(new)}"


def main(version: str) -> int:
    """Add a version. Raises where PyPI does not have it."""
    from tests.catalog import record_parallelcluster_limits as record  # noqa: PLC0415  found by the line above

    lock(version)
    (package,) = environment(version, print).folder.glob("lib/python3.*/site-packages/pcluster")
    recorded: dict[str, Any] = json.loads(record.GOLDEN.read_text())["versions"]
    limits = json.loads(json.dumps(record.limits_in(package)))
    before = max((one for one in recorded if number_of(one) < number_of(version)), key=number_of)
    recorded[version] = limits
    # One version of a line is enough, the latest.
    latest = {line_of(one): one for one in sorted(recorded, key=number_of)}
    record.write({one: recorded[one] for one in latest.values()})
    changes = list(differences(recorded[before], limits)) or ["nothing that is recorded differs"]
    print(f"{version} against {before}:", *changes, sep="\n  ")
    if line_of(version) not in known_lines():
        files = ", ".join(f"{name}.yaml" for name in _WITH_LINES)
        print(f"{line_of(version)} is a new line: compare it with {files} of src/trainyard/catalog, and write it there")
    print("what its images have, as far as release notes say it: src/trainyard/catalog/image_versions.yaml")
    print("where it becomes the default: src/trainyard/spec/parallelcluster.py, and `make generate`")
    print("then: git diff, pytest tests/catalog tests/edge/test_pcluster_itself.py tests/oracle")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
