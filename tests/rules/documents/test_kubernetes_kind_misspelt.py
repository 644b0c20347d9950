"""Kinds are told apart by capital letters."""

from __future__ import annotations

import pytest

from tests.examples import read_example
from trainyard.rules.documents.kubernetes_kind_misspelt import check


@pytest.mark.parametrize(
    ("kind", "right"),
    [("PytorchJob", "PyTorchJob"), ("mpijob", "MPIJob"), ("Daemonset", "DaemonSet"), ("Trainjob", "TrainJob")],
)
def test_other_capital_letters_are_found_with_the_right_ones(kind: str, right: str):
    (problem,) = check(read_example("kubernetes", f"apiVersion: v1\nkind: {kind}\n"))
    assert problem.fix is not None
    assert (problem.path, problem.fix.value) == (("kind",), right)


@pytest.mark.parametrize("kind", ["PyTorchJob", "Pod", "Workflow", "PodGroup", "kueue"])
def test_kinds_that_are_right_or_of_somebody_else_are_not(kind: str):
    assert list(check(read_example("kubernetes", f"apiVersion: v1\nkind: {kind}\n"))) == []
