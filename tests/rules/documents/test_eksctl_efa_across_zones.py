from tests.rules.documents.found import managed, paths

RULE = "eksctl-efa-across-zones"


def test_several_zones_and_several_subnets_are_found():
    zones = "availabilityZones: [us-east-2a, us-east-2b]"
    assert paths(RULE, managed(f"efaEnabled: true, {zones}")) == ["managedNodeGroups[0].availabilityZones"]
    assert paths(RULE, managed("efaEnabled: true, subnets: [a, b]")) == ["managedNodeGroups[0].subnets"]


def test_one_zone_is_fine_and_so_are_several_without_efa():
    assert paths(RULE, managed("efaEnabled: true, availabilityZones: [us-east-2a]")) == []
    assert paths(RULE, managed("availabilityZones: [us-east-2a, us-east-2b]")) == []
