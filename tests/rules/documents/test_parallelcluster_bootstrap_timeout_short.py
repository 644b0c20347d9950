"""Timeouts below a quarter of an hour are found, and nothing that is no number is."""

from __future__ import annotations

import pytest

from tests.examples import read_example
from trainyard.rules.documents.parallelcluster_bootstrap_timeout_short import check


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ("HeadNodeBootstrapTimeout: 300", ["HeadNodeBootstrapTimeout"]),
        (
            "HeadNodeBootstrapTimeout: 300, ComputeNodeBootstrapTimeout: 60",
            ["HeadNodeBootstrapTimeout", "ComputeNodeBootstrapTimeout"],
        ),
        ("HeadNodeBootstrapTimeout: 900, ComputeNodeBootstrapTimeout: 2100", []),
        ("HeadNodeBootstrapTimeout: '300'", []),
        ("HeadNodeBootstrapTimeout: true", []),
        ("HeadNodeBootstrapTimeout: '${TIMEOUT}'", []),
    ],
)
def test_what_is_far_below_parallelcluster_s_own_is_found(written: str, keys: list[str]):
    document = read_example("parallelcluster", f"DevSettings: {{Timeouts: {{{written}}}}}\n")
    assert [problem.path[-1] for problem in check(document)] == keys
