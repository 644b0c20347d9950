from tests.rules.documents.found import managed, paths

RULE = "eksctl-instance-types-differ"


def test_types_with_different_cards_are_found():
    types = "instanceTypes: [p4d.24xlarge, p5.48xlarge]"
    assert paths(RULE, managed(f"efaEnabled: true, {types}")) == ["managedNodeGroups[0]"]


def test_types_that_are_alike_and_types_without_efa_are_fine():
    assert paths(RULE, managed("efaEnabled: true, instanceTypes: [p4d.24xlarge, p4de.24xlarge]")) == []
    assert paths(RULE, managed("instanceTypes: [p4d.24xlarge, p5.48xlarge]")) == []
