import pytest

from tests.rules.documents.found import environment, launching, paths, problems, template

RULE = "cloudformation-interfaces-do-not-fit"
ONE = "{NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: efa}"


def interfaces(*listed: str, instance_type: str = "trn1.32xlarge") -> str:
    return template(launching(f"{{InstanceType: {instance_type}, NetworkInterfaces: [{', '.join(listed)}]}}"))


def test_devices_that_rise_with_the_cards_are_found_with_the_first_reason():
    rising = (f"{{NetworkCardIndex: {card}, DeviceIndex: {card}, InterfaceType: efa}}" for card in range(8))
    (problem,) = problems(RULE, interfaces(*rising))
    reason = "card 5 holds 5, so it has no device 5 (and 2 more)"
    assert problem.message == f"trn1.32xlarge does not take these interfaces: {reason}"
    assert problem.path[-1] == "NetworkInterfaces"


def test_a_first_card_without_efa_is_found():
    (problem,) = problems(RULE, interfaces(ONE, instance_type="p6-b300.48xlarge"))
    assert "card 0 takes interface, not efa" in problem.message


def test_the_type_may_be_that_of_the_environment_or_of_the_condition():
    bad = "{NetworkCardIndex: 9, DeviceIndex: 1, InterfaceType: efa}"
    used = environment("{InstanceTypes: [p4d.24xlarge], LaunchTemplate: {LaunchTemplateId: !Ref A}}")
    assert len(paths(RULE, template(launching(f"{{NetworkInterfaces: [{ONE}, {bad}]}}"), used))) == 1
    chosen = launching(f"{{NetworkInterfaces: !If [IsP4, [{ONE}, {bad}], [{ONE}]]}}")
    more = "Conditions: {IsP4: !Equals [!Ref Kind, p4d.24xlarge]}"
    (path,) = paths(RULE, template(chosen, more=more))
    assert path.endswith("NetworkInterfaces.Fn::If[1]")


@pytest.mark.parametrize(
    "text",
    [
        interfaces(ONE),
        interfaces(ONE, instance_type="x9.metal"),
        interfaces(ONE, "!If [More, {DeviceIndex: 77}, !Ref AWS::NoValue]"),
        interfaces("{DeviceIndex: !Ref First}"),
        template(launching(f"{{NetworkInterfaces: [{ONE}]}}")),
    ],
)
def test_what_fits_and_what_nobody_can_tell_is_fine(text: str):
    assert paths(RULE, text) == []
