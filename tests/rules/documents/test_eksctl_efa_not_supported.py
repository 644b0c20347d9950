from tests.rules.documents.found import managed, paths

RULE = "eksctl-efa-not-supported"


def test_a_type_without_efa_is_found_wherever_it_is_named():
    place = "managedNodeGroups[0].efaEnabled"
    assert paths(RULE, managed("instanceType: g5.xlarge, efaEnabled: true")) == [place]
    assert paths(RULE, managed("instanceTypes: [g5.8xlarge, g5.xlarge], efaEnabled: true")) == [place]


def test_types_with_efa_unknown_types_and_groups_without_it_are_fine():
    assert paths(RULE, managed("instanceType: g5.8xlarge, efaEnabled: true")) == []
    assert paths(RULE, managed("instanceType: x9.metal, efaEnabled: true")) == []
    assert paths(RULE, managed("instanceType: g5.xlarge, efaEnabled: false")) == []
