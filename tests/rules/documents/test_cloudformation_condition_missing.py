import pytest

from tests.rules.documents.found import problems

RULE = "cloudformation-condition-missing"
OWNER = "A: {Type: AWS::EC2::VPC, Condition: Made}"


def template(*more: str, outputs: str = "{}") -> str:
    resources = ", ".join((OWNER, *more))
    conditions = "Conditions: {Made: !Equals [!Ref Make, 'yes']}"
    return f"{conditions}\nResources: {{{resources}}}\nOutputs: {outputs}\n"


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
        "B: {Type: AWS::EC2::Subnet, Condition: Unknown, Properties: {VpcId: !Ref A}}",
        "B: {Type: AWS::EC2::Subnet, Properties: {VpcId: !If [Unknown, !Ref A, vpc-1]}}",
        "B: {Type: AWS::EC2::Subnet, Properties: {VpcId: !If [Made, !Ref A, vpc-1]}}",
        "B: {Type: AWS::EC2::Subnet, DependsOn: A}",
        "B: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Parameter}}",
    ],
)
def test_conditions_choices_and_other_references_are_fine(more: str):
    assert problems(RULE, template(more)) == []


CONDITIONS = """\
Parameters:
  Mode: {Type: String, AllowedValues: [self, managed, none]}
  Certificate: {Type: String}
Conditions:
  Self: !Equals [!Ref Mode, self]
  Some: !Or [!Condition Self, !Equals [managed, !Ref Mode]]
  NotNone: !Not [!Equals [!Ref Mode, none]]
  Https: !Not [!Equals [!Ref Certificate, '']]
  HttpsOfSelf: !And [!Condition Self, !Condition Https]
  Same: !Equals [!Ref Mode, !Ref Certificate]
"""


def referring(owner: str, reference: str, condition: str = "") -> str:
    own = f"Condition: {condition}, " if condition else ""
    balancer = f"A: {{Type: AWS::EC2::VPC, Condition: {owner}}}"
    listener = f"B: {{Type: AWS::EC2::Subnet, {own}Properties: {{VpcId: {reference}}}}}"
    return f"{CONDITIONS}Resources: {{{balancer}, {listener}}}\n"


@pytest.mark.parametrize(
    ("owner", "reference", "condition"),
    [
        ("Self", "!Ref A", "Https"),
        ("Self", "!Ref A", "Some"),
        ("Self", "!Ref A", "Same"),
        ("HttpsOfSelf", "!Ref A", "Self"),
        ("Self", "!If [Self, vpc-1, !Ref A]", ""),
        ("Self", "!If [Https, !Ref A, vpc-1]", "Some"),
    ],
)
def test_conditions_that_can_be_true_without_the_owner_s_are_found(owner: str, reference: str, condition: str):
    assert len(problems(RULE, referring(owner, reference, condition))) == 1


@pytest.mark.parametrize(
    ("owner", "reference", "condition"),
    [
        ("Self", "!Ref A", "HttpsOfSelf"),
        ("Some", "!Ref A", "Self"),
        ("NotNone", "!Ref A", "Some"),
        ("Some", "!Ref A", "NotNone"),
        ("Self", "!If [Self, !Ref A, vpc-1]", ""),
        ("HttpsOfSelf", "!If [Https, !Ref A, vpc-1]", "Self"),
        ("Self", "!If [Self, vpc-1, !Ref A]", "Self"),
    ],
)
def test_conditions_that_imply_the_owner_s_are_fine(owner: str, reference: str, condition: str):
    assert problems(RULE, referring(owner, reference, condition)) == []


def test_conditions_that_are_not_understood_and_too_many_are_passed_over():
    for definition in ("!Equals [a]", "!Condition Made", "text", "!Not [text]", "!And text"):
        text = (
            f"Conditions: {{Made: {definition}}}\nResources: {{{OWNER}, B: {{Type: C, Properties: {{D: !Ref A}}}}}}\n"
        )
        assert problems(RULE, text) == []
    many = ", ".join(f"!Equals [!Ref P{number}, a]" for number in range(40))
    text = f"Conditions: {{Made: !Not [!Or [{many}]]}}\nResources: {{{OWNER}, B: {{Type: C, D: !Ref A}}}}\n"
    assert len(problems(RULE, text)) <= 1


def test_conditions_that_double_from_one_to_the_next_take_no_time():
    doubled = ", ".join(f"C{n}: !And [!Condition C{n - 1}, !Condition C{n - 1}]" for n in range(1, 18))
    made = "Made: !And [!Condition C17, !Condition C17]"
    conditions = f"Conditions: {{C0: !Equals [!Ref P, a], {doubled}, {made}}}"
    text = f"{conditions}\nResources: {{{OWNER}, B: {{Type: C, D: !Ref A}}}}\n"
    assert len(problems(RULE, text)) == 1
