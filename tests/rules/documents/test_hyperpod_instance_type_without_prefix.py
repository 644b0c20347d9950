from tests.rules.documents.found import paths, problems
from trainyard.checking.any_file import check_any_file

RULE = "hyperpod-instance-type-without-prefix"


def request(instance_type: str) -> str:
    return f'{{"ClusterName": "a", "InstanceGroups": [{{"InstanceType": "{instance_type}"}}]}}'


def test_a_type_as_ec2_calls_it_is_found():
    (problem,) = problems(RULE, request("p5.48xlarge"))
    assert problem.path == ("InstanceGroups", 0, "InstanceType")
    assert problem.remedy == "write ml.p5.48xlarge"


def test_a_name_of_sagemaker_and_an_unknown_one_are_fine():
    assert paths(RULE, request("ml.p5.48xlarge")) == []
    assert paths(RULE, request("${INSTANCE_TYPE}")) == []


def test_clusters_of_a_cloudformation_template_are_judged_by_the_same_rule(tmp_path):
    file = tmp_path / "cluster.yaml"
    file.write_text(
        "Resources:\n  A:\n    Type: AWS::SageMaker::Cluster\n    Properties:\n"
        "      InstanceGroups:\n        - {InstanceGroupName: w, InstanceType: p5.48xlarge}\n"
    )
    (finding,) = check_any_file(str(file)).findings
    assert (finding.id, finding.line) == (RULE, 6)
