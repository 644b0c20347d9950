from tests.rules.documents.found import paths

RULE = "parallelcluster-scheduler-removed"


def test_only_slurm_is_left():
    assert paths(RULE, "Scheduling: {Scheduler: awsbatch}") == ["Scheduling.Scheduler"]
    assert paths(RULE, "Scheduling: {Scheduler: slurm}") == []
    assert paths(RULE, "Scheduling: {Scheduler: '${SCHEDULER}'}") == []
