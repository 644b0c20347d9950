import pytest

from tests.rules.documents.found import problems

RULE = "cloudformation-condition-missing"
OWNER = "A: {Type: AWS::EC2::VPC, Condition: Made}"


def template(*more: str, outputs: str = "{}") -> str:
    return f"Conditions: {{Made: !Equals [a, b]}}\nResources: {{{', '.join((OWNER, *more))}}}\nOutputs: {outputs}\n"


@pytest.mark.parametrize("reference", ["!Ref A", "!GetAtt A.Id", "[{Fn::GetAtt: [A, Id]}]", "!Join ['', [!Ref A]]"])
def test_a_reference_without_the_condition_is_found(reference: str):
    (problem,) = problems(RULE, template(f"B: {{Type: AWS::EC2::Subnet, Properties: {{VpcId: {reference}}}}}"))
    assert problem.message == "B refers to A, which is there only where Made is true"
    assert problem.path[:3] == ("Resources", "B", "Properties")


def test_outputs_are_looked_at_and_each_resource_is_named_once():
    subnet = "{Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref A}}"
    (problem,) = problems(RULE, template(f"B: {subnet}", f"C: {subnet}", outputs="{O: {Value: !Ref A}}"))
    assert problem.message.startswith("B and 2 more refer to A")


@pytest.mark.parametrize(
    "more",
    [
        "B: {Type: AWS::EC2::Subnet, Condition: Made, Properties: {VpcId: !Ref A}}",
        "B: {Type: AWS::EC2::Subnet, Condition: Another, Properties: {VpcId: !Ref A}}",
        "B: {Type: AWS::EC2::Subnet, Properties: {VpcId: !If [Made, !Ref A, vpc-1]}}",
        "B: {Type: AWS::EC2::Subnet, DependsOn: A}",
        "B: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Parameter}}",
    ],
)
def test_conditions_choices_and_other_references_are_fine(more: str):
    assert problems(RULE, template(more)) == []
