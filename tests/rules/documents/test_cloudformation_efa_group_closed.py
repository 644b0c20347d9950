import pytest

from tests.rules.documents.found import launching, problems, template

RULE = "cloudformation-efa-group-closed"
NODES = launching("{NetworkInterfaces: [{DeviceIndex: 0, InterfaceType: efa, Groups: [!Ref B]}]}")
GROUP = "EC2::SecurityGroup {GroupDescription: a}"
IN = "EC2::SecurityGroupIngress {GroupId: !GetAtt B.GroupId, IpProtocol: '-1', SourceSecurityGroupId: !Ref B}"
OUT = "EC2::SecurityGroupEgress {GroupId: !Ref B, IpProtocol: -1, DestinationSecurityGroupId: !GetAtt B.GroupId}"


@pytest.mark.parametrize(
    ("rules", "ways"),
    [
        ((), "from and to itself"),
        ((IN,), "traffic to itself"),
        ((OUT,), "traffic from itself"),
        ((IN, OUT.replace("-1", "tcp")), "to itself"),
    ],
)
def test_a_group_that_is_closed_in_a_direction_is_found(rules: tuple[str, ...], ways: str):
    (problem,) = problems(RULE, template(NODES, GROUP, *rules))
    assert problem.path == ("Resources", "A", "Properties", "LaunchTemplateData")
    assert ways in problem.message


def test_a_group_that_is_open_to_itself_is_fine():
    assert problems(RULE, template(NODES, GROUP, IN, OUT)) == []


def test_one_open_group_of_several_is_enough():
    both = NODES.replace("[!Ref B]", "[!Ref B, !Ref C]")
    assert problems(RULE, template(both, GROUP, GROUP, IN, OUT)) == []


@pytest.mark.parametrize("groups", ["[sg-1]", "[!Ref Parameter]", "[!ImportValue a]", "[!Ref B, !Ref Parameter]"])
def test_groups_from_elsewhere_are_not_judged(groups: str):
    assert problems(RULE, template(NODES.replace("[!Ref B]", groups), GROUP)) == []


def test_without_efa_no_group_has_to_be_open():
    assert problems(RULE, template(NODES.replace("efa", "interface"), GROUP)) == []
