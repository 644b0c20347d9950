import pytest

from tests.rules.documents.found import environment, paths, problems, template

RULE = "cloudformation-placement-group-inverted"
ASKED = "Conditions: {Placed: !Equals [!Ref CreatePlacementGroup, 'true']}"


def placed(branches: str, more: str = ASKED) -> str:
    return template(environment(f"{{PlacementGroup: !If [Placed, {branches}]}}"), more=more)


def test_nothing_in_the_first_branch_is_found():
    (problem,) = problems(RULE, placed("!Ref AWS::NoValue, !Ref Group"))
    assert problem.path == ("Resources", "A", "Properties", "ComputeResources", "PlacementGroup")
    assert "CreatePlacementGroup is true" in problem.message


@pytest.mark.parametrize(
    "text",
    [
        placed("!Ref Group, !Ref AWS::NoValue"),
        placed("!Ref AWS::NoValue, !Ref Group", "Conditions: {Placed: !Equals [!Ref CreatePlacementGroup, 'false']}"),
        placed("!Ref AWS::NoValue, !Ref Group", "Conditions: {Placed: !Equals [!Ref HasReservation, 'true']}"),
        placed("!Ref AWS::NoValue, !Ref Group", ""),
    ],
)
def test_the_right_way_round_and_other_conditions_are_fine(text: str):
    assert paths(RULE, text) == []
