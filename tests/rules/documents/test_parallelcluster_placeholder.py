from tests.rules.documents.found import problems

RULE = "parallelcluster-placeholder"


def test_a_template_is_said_to_be_one_once():
    (problem,) = problems(RULE, 'HeadNode: {Networking: {SubnetId: "${SUBNET}"}, Ssh: {KeyName: <KEY>}}')
    assert problem.severity == "info"
    assert "'${SUBNET}', '<KEY>'" in problem.message


def test_what_is_left_in_a_file_that_is_filled_is_an_error():
    (problem,) = problems(RULE, "SharedStorage: [{FsxOpenZfsSettings: {VolumeId: '${Volume}'}}]")
    assert problem.severity is None
    assert problem.path == ("SharedStorage", 0, "FsxOpenZfsSettings", "VolumeId")


def test_what_may_be_meant_as_it_is_makes_no_error():
    arguments = "{OnNodeStart: {Script: 's3://${BUCKET}/a.sh', Args: ['$HOME', '<a>']}}"
    (problem,) = problems(RULE, f"LoginNodes: {{Pools: [{{CustomActions: {arguments}}}]}}")
    assert problem.severity == "info"


def test_plain_values_are_none():
    assert problems(RULE, "Tags: [{Key: a, Value: 'costs $5 < 6 > 4'}]") == []
