from tests.rules.documents.found import environment, multi_node, paths, template

RULE = "cloudformation-instance-type-not-for-multi-node-jobs"
JOB = multi_node("{Image: a:1}")


def test_a_type_whose_first_card_is_full_is_found():
    types = environment("{InstanceTypes: [p4d.24xlarge, hpc6id.32xlarge]}")
    assert paths(RULE, template(types, JOB)) == ["Resources.A.Properties.ComputeResources.InstanceTypes[1]"]


def test_types_of_training_unknown_ones_and_other_jobs_are_fine():
    assert paths(RULE, template(environment("{InstanceTypes: [p4d.24xlarge, x9.metal, optimal]}"), JOB)) == []
    assert paths(RULE, template(environment("{InstanceTypes: [hpc6id.32xlarge]}"))) == []
