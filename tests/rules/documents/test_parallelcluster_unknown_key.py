from tests.rules.documents.found import paths, problems

RULE = "parallelcluster-unknown-key"


def test_a_near_key_is_proposed():
    (problem,) = problems(RULE, "HeadNode: {Dcv: {Emabled: true}}")
    assert problem.path == ("HeadNode", "Dcv", "Emabled")
    assert problem.message == "ParallelCluster knows no key 'Emabled' here; did you mean 'Enabled'?"
    assert problem.remedy == "here belong: AllowedIps, Enabled, Port"


def test_a_key_that_was_removed_is_said_to_have_been_there():
    (problem,) = problems(RULE, "LoginNodes: {Pools: [{Name: a, Ssh: {KeyName: k}}]}")
    assert problem.path == ("LoginNodes", "Pools", 0, "Ssh", "KeyName")
    assert problem.message == "ParallelCluster 3.16 has no KeyName here any more; 3.14 was the last that had it"


def test_below_a_section_that_was_removed_nothing_more_is_said():
    part = "Scheduling: {Scheduler: awsbatch, AwsBatchQueues: [{Name: a, Other: 1}]}"
    assert paths(RULE, part) == ["Scheduling.AwsBatchQueues"]


def test_a_key_that_belongs_one_level_deeper_is_told_where():
    (problem,) = problems(RULE, "DevSettings: {HeadNodeBootstrapTimeout: 3600}")
    assert problem.message == "ParallelCluster has HeadNodeBootstrapTimeout below Timeouts, not here"


def test_two_sections_of_one_name_have_keys_of_their_own():
    assert paths(RULE, "Imds: {ImdsSupport: v2.0}\nHeadNode: {Imds: {Secured: false}}") == []
    assert paths(RULE, "Imds: {Secured: false}\nHeadNode: {Imds: {ImdsSupport: v2.0}}") == [
        "Imds.Secured",
        "HeadNode.Imds.ImdsSupport",
    ]


def test_settings_of_slurm_are_anything():
    assert paths(RULE, "Scheduling: {SlurmSettings: {CustomSlurmSettings: [{Any: thing}]}}") == []
