import pytest

from tests.rules.found import paths

RULE = "spot-for-multi-node-jobs"


def test_spot_is_found_on_batch_also_in_the_long_form():
    part = "queues: [{name: q, compute_resources: [{instance_type: p4d.24xlarge, capacity: spot}]}]"
    assert paths(RULE, f"platform: batch\n{part}") == ["queues[0].compute_resources[0].capacity"]


@pytest.mark.parametrize("capacity", ["on-demand", "{reservation: cr-0123456789abcdef0}"])
def test_other_capacity_is_fine(capacity: str):
    part = f"platform: batch\nqueues: [{{name: q, instance_type: p4d.24xlarge, capacity: {capacity}}}]"
    assert paths(RULE, part) == []


def test_parallelcluster_runs_jobs_on_spot():
    assert paths(RULE, "queues: [{name: q, instance_type: p4d.24xlarge, capacity: spot}]") == []
