import pytest

from tests.rules.documents.found import launching, paths, template

RULE = "cloudformation-reservation-forms-both"


def target(keys: str) -> str:
    return template(launching(f"{{CapacityReservationSpecification: {{CapacityReservationTarget: {{{keys}}}}}}}"))


def test_both_forms_are_found():
    (path,) = paths(RULE, target("CapacityReservationId: cr-1, CapacityReservationResourceGroupArn: !Ref Group"))
    assert path.endswith("CapacityReservationTarget.CapacityReservationResourceGroupArn")


@pytest.mark.parametrize(
    "keys",
    [
        "CapacityReservationId: cr-1",
        "CapacityReservationResourceGroupArn: arn",
        "CapacityReservationId: !If [HasId, cr-1, !Ref AWS::NoValue], CapacityReservationResourceGroupArn: arn",
    ],
)
def test_one_form_and_a_choice_are_fine(keys: str):
    assert paths(RULE, target(keys)) == []
