from tests.rules.documents.found import paths

RULE = "hyperpod-group-repeated"


def test_two_groups_of_one_name_are_found():
    groups = '[{"InstanceGroupName": "a"}, {"InstanceGroupName": "b"}, {"InstanceGroupName": "a"}]'
    assert paths(RULE, f'{{"ClusterName": "c", "InstanceGroups": {groups}}}') == ["InstanceGroups[2].InstanceGroupName"]


def test_a_group_with_two_parts_is_found():
    workers = '[{"instance_group_name": "a", "partition_name": "p"}]'
    text = f'{{"controller_group": "%s", "login_group": "%s", "worker_groups": {workers}}}'
    assert paths(RULE, text % ("a", "b")) == ["worker_groups[0].instance_group_name"]
    assert paths(RULE, text % ("b", "b")) == ["login_group"]
    assert paths(RULE, text % ("b", "c")) == []
    assert paths(RULE, text % ("", "")) == []
