import pytest

from tests.rules.found import paths, problems

RULE = "node-keys-beside-compute-resources"
QUEUE = "queues: [{{name: q, {key}, compute_resources: [{{instance_type: p5.48xlarge}}]}}]"


@pytest.mark.parametrize(
    "key",
    [
        "nodes: 4",
        "capacity: {reservation: cr-0123456789abcdef0}",
        "efa: false",
        "placement_group: true",
        "multithreading: true",
        "gpu_health_check: true",
        "slurm_settings: {Gres: none}",
    ],
)
def test_each_key_of_nodes_is_found(key: str):
    assert paths(RULE, QUEUE.format(key=key)) == [f"queues[0].{key.split(':', maxsplit=1)[0]}"]


@pytest.mark.parametrize(
    "key", ["subnet: private", "setup: gpu", "job_exclusive: true", "allocation_strategy: lowest-price", "efa: null"]
)
def test_keys_of_the_queue_itself_and_empty_ones_are_fine(key: str):
    assert paths(RULE, QUEUE.format(key=key)) == []


def test_the_flat_form_is_made_of_such_keys():
    assert paths(RULE, "queues: [{name: q, instance_type: p5.48xlarge, nodes: 4, efa: true}]") == []


def test_all_of_them_are_found_at_once():
    assert len(problems(RULE, QUEUE.format(key="nodes: 4, efa: true, capacity: spot"))) == 3
