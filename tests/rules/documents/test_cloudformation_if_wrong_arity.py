import pytest

from tests.rules.documents.found import environment, paths, problems, template

RULE = "cloudformation-if-wrong-arity"
PLACE = "Resources.A.Properties.ComputeResources.Type"


@pytest.mark.parametrize(
    ("written", "found"), [("!If [A, b, c, d]", "4 members"), ("!If [A, b]", "2 members"), ("{'Fn::If': A}", "no list")]
)
def test_more_and_fewer_than_two_branches_are_found(written: str, found: str):
    (problem,) = problems(RULE, template(environment(f"{{Type: {written}}}")))
    assert problem.message == f"Fn::If has {found} in place of a condition and two values"


def test_one_within_another_is_looked_at():
    (path,) = paths(RULE, template(environment("{Type: !If [A, b, !If [C, d]]}")))
    assert path == f"{PLACE}.Fn::If[2].Fn::If"


def test_two_branches_are_fine():
    assert paths(RULE, template(environment("{Type: !If [A, b, !If [C, d, e]]}"))) == []
