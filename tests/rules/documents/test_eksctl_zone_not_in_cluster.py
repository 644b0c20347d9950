from tests.rules.documents.found import managed, paths, problems

RULE = "eksctl-zone-not-in-cluster"
CLUSTER = "availabilityZones: [us-east-2a, us-east-2b]\n"


def test_a_zone_that_the_cluster_lacks_is_found_with_what_to_add():
    (problem,) = problems(RULE, CLUSTER + managed("availabilityZones: [us-east-2c]"))
    assert problem.path == ("managedNodeGroups", 0, "availabilityZones", 0)
    assert problem.remedy == "add us-east-2c to availabilityZones of the cluster"


def test_zones_of_another_region_are_found():
    assert paths(RULE, "availabilityZones: [us-east-1a, us-east-2b]") == ["availabilityZones[0]"]
    assert paths(RULE, managed("availabilityZones: [eu-west-1a]")) == ["managedNodeGroups[0].availabilityZones[0]"]


def test_zones_of_the_cluster_and_placeholders_are_fine():
    assert paths(RULE, CLUSTER + managed("availabilityZones: [us-east-2b]")) == []
    assert paths(RULE, "metadata: {name: c, region: PLACEHOLDER}\navailabilityZones: [us-east-2a, PLACEHOLDER]") == []
