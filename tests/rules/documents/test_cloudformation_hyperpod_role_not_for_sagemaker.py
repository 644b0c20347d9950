import pytest

from tests.rules.documents.found import paths, template

RULE = "cloudformation-hyperpod-role-not-for-sagemaker"
CLUSTER = "SageMaker::Cluster {InstanceGroups: [{InstanceGroupName: w, ExecutionRole: !GetAtt B.Arn}]}"


def role(principal: str) -> str:
    document = f"{{Statement: [{{Effect: Allow, Principal: {principal}}}]}}"
    return template(CLUSTER, f"IAM::Role {{AssumeRolePolicyDocument: {document}}}")


@pytest.mark.parametrize("service", ["ec2.amazonaws.com", "[ec2.amazonaws.com, eks.amazonaws.com]"])
def test_trust_in_other_services_alone_is_found(service: str):
    assert paths(RULE, role(f"{{Service: {service}}}")) == ["Resources.B.Properties.AssumeRolePolicyDocument"]


@pytest.mark.parametrize(
    "principal",
    [
        "{Service: sagemaker.amazonaws.com}",
        "{Service: [ec2.amazonaws.com, sagemaker.amazonaws.com]}",
        "{Service: !Sub 'sagemaker.${AWS::URLSuffix}'}",
        "{Service: !Ref Service}",
        "{AWS: '*'}",
        "'*'",
    ],
)
def test_trust_in_sagemaker_and_what_is_not_known_are_fine(principal: str):
    assert paths(RULE, role(principal)) == []


def test_roles_of_others_are_not_judged():
    assert paths(RULE, role("{Service: ec2.amazonaws.com}").replace("!GetAtt B.Arn", "!Ref Parameter")) == []
