"""A volume that is told not to be encrypted is found; one of which nothing is said is AWS' own affair."""

from __future__ import annotations

import pytest

from tests.examples import read_example
from trainyard.rules.unencrypted_volume import check_eksctl


@pytest.mark.parametrize(
    ("written", "found"),
    [(", volumeEncrypted: false", 1), (", volumeEncrypted: true", 0), ("", 0), (", volumeEncrypted: ~", 0)],
)
def test_only_a_false_is_found(written: str, found: int):
    part = f"managedNodeGroups:\n  - {{name: system, instanceType: c5.2xlarge{written}}}\n"
    problems = list(check_eksctl(read_example("eksctl", part)))
    assert [problem.path for problem in problems] == [("managedNodeGroups", 0, "volumeEncrypted")] * found
