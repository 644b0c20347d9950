from tests.rules.documents.found import paths

RULE = "eksctl-name-repeated"


def test_a_name_is_found_the_second_time_also_among_the_other_kind():
    both = "managedNodeGroups: [{name: gpu}]\nnodeGroups: [{name: gpu}]"
    assert paths(RULE, both) == ["nodeGroups[0].name"]
    assert paths(RULE, "nodeGroups: [{name: a}, {name: b}, {name: a}]") == ["nodeGroups[2].name"]


def test_different_names_and_no_names_are_fine():
    assert paths(RULE, "nodeGroups: [{name: a}, {name: b}, {}, {}]") == []
