from tests.rules.documents.found import launching, paths, template

RULE = "cloudformation-groups-beside-interfaces"
INTERFACES = "NetworkInterfaces: [{DeviceIndex: 0}]"


def test_groups_beside_interfaces_are_found():
    assert paths(RULE, template(launching(f"{{SecurityGroupIds: [!Ref G], {INTERFACES}}}"))) == [
        "Resources.A.Properties.LaunchTemplateData.SecurityGroupIds"
    ]


def test_one_of_the_two_and_what_conditions_choose_are_fine():
    for data in (
        "{SecurityGroupIds: [!Ref G]}",
        f"{{{INTERFACES}}}",
        f"{{SecurityGroupIds: !If [a, [b], !Ref AWS::NoValue], {INTERFACES}}}",
        f"{{SecurityGroupIds: [], {INTERFACES}}}",
    ):
        assert paths(RULE, template(launching(data))) == []
