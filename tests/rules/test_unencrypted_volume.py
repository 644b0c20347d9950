from tests.rules.found import paths, problems

RULE = "unencrypted-volume"


def test_every_volume_is_looked_at_and_named_by_whose_it_is():
    part = """\
head_node: {root_volume: {encrypted: false}}
queues:
  - {name: one, instance_type: m5.large}
  - {name: two, instance_type: m5.large, root_volume: {encrypted: false}}
file_systems:
  - {mount: /apps, ebs: {size_gib: 200, encrypted: false}}
"""
    assert paths(RULE, part) == [
        "head_node.root_volume.encrypted",
        "queues[1].root_volume.encrypted",
        "file_systems[0].ebs.encrypted",
    ]
    assert [problem.message for problem in problems(RULE, part)] == [
        "the volume of the head_node is not encrypted",
        "the volume of queue two is not encrypted",
        "the volume of /apps is not encrypted",
    ]


def test_volumes_are_encrypted_by_default():
    assert paths(RULE, "file_systems: [{mount: /apps, ebs: {size_gib: 200}}]") == []


def test_a_volume_that_exists_is_as_it_is():
    assert paths(RULE, "file_systems: [{mount: /apps, ebs: {id: vol-0123456789abcdef0, encrypted: false}}]") == []
