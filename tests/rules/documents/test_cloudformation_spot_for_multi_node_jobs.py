import pytest

from tests.rules.documents.found import environment, multi_node, paths, template

RULE = "cloudformation-spot-for-multi-node-jobs"
JOB = multi_node("{Image: a:1}")


@pytest.mark.parametrize("type_", ["SPOT", "FARGATE", "FARGATE_SPOT"])
def test_every_other_type_is_found(type_: str):
    place = "Resources.A.Properties.ComputeResources.Type"
    assert paths(RULE, template(environment(f"{{Type: {type_}}}"), JOB)) == [place]


def test_each_branch_and_a_parameter_s_default_are_looked_at():
    place = "Resources.A.Properties.ComputeResources.Type.Fn::If[1]"
    assert paths(RULE, template(environment("{Type: !If [Cheap, SPOT, EC2]}"), JOB)) == [place]
    more = "Parameters: {Kind: {Type: String, Default: SPOT}}"
    place = "Resources.A.Properties.ComputeResources.Type"
    assert paths(RULE, template(environment("{Type: !Ref Kind}"), JOB, more=more)) == [place]


def test_on_demand_is_fine_and_so_is_spot_for_other_jobs():
    assert paths(RULE, template(environment("{Type: EC2}"), JOB)) == []
    assert paths(RULE, template(environment("{Type: SPOT}"))) == []
