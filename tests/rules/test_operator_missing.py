import pytest

from tests.rules.found import paths, problems

RULE = "operator-missing"


def on_eks(operators: str, nodes: int = 2) -> str:
    return f"platform: eks\nqueues: [{{name: q, instance_type: p5.48xlarge, nodes: {nodes}}}]\neks: {{{operators}}}"


@pytest.mark.parametrize(
    ("installed", "missing"), [("training-operator", "mpi-operator"), ("mpi-operator", "training-operator or jobset")]
)
def test_an_operator_that_was_left_out_is_found_with_the_jobs_it_is_for(installed: str, missing: str):
    (problem,) = problems(RULE, on_eks(f"operators: [{installed}]"))
    assert problem.path == ("eks", "operators")
    assert problem.message.startswith(f"without {missing} the 2 nodes of queue 'q'")


def test_with_neither_both_are_named():
    assert paths(RULE, on_eks("operators: []")) == ["eks.operators", "eks.operators"]


def test_both_the_default_and_single_nodes_are_fine():
    assert paths(RULE, on_eks("operators: [mpi-operator, training-operator]")) == []
    assert paths(RULE, on_eks("")) == []
    assert paths(RULE, on_eks("operators: [mpi-operator, jobset]")) == []
    assert paths(RULE, on_eks("operators: []", nodes=1)) == []
