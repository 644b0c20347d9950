from tests.rules.documents.found import paths

RULE = "eksctl-zones-too-few"


def test_a_single_zone_and_a_single_subnet_are_found():
    assert paths(RULE, "availabilityZones: [us-east-2a]") == ["availabilityZones"]
    assert paths(RULE, "vpc: {id: vpc-1, subnets: {private: {us-east-2a: {id: subnet-1}}}}") == ["vpc.subnets"]


def test_two_zones_and_two_subnets_of_whichever_kind_are_fine():
    assert paths(RULE, "availabilityZones: [us-east-2a, us-east-2b]") == []
    assert paths(RULE, "vpc: {subnets: {private: {a: {id: subnet-1}}, public: {b: {id: subnet-2}}}}") == []


def test_no_zones_are_those_that_eksctl_chooses():
    assert paths(RULE, "availabilityZones: []") == []
