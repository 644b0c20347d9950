import pytest

from tests.rules.documents.found import limits, manifest_pod, paths, training_job

RULE = "kubernetes-processes-exceed-gpus"
WORKER = "spec.pytorchReplicaSpecs.Worker.template.spec.containers[0]"


@pytest.mark.parametrize(
    "words",
    [
        "[torchrun, --nproc_per_node=8, a.py]",
        "[torchrun, --nproc-per-node, '8']",
        "[bash, -c, 'x --nproc_per_node 8 y']",
    ],
)
def test_more_processes_than_gpus_are_found(words: str):
    assert paths(RULE, manifest_pod(f"args: {words}, {limits(gpu=4)}")) == ["spec.containers[0].args"]


def test_the_number_of_the_job_counts_where_the_command_has_none():
    assert paths(RULE, training_job(limits(gpu=1), more="nprocPerNode: '4'")) == ["spec.nprocPerNode"]
    command = f"command: [torchrun, --nproc_per_node=1], {limits(gpu=1)}"
    assert paths(RULE, training_job(command, more="nprocPerNode: '4'")) == []


def test_as_many_fewer_automatic_and_unknown_numbers_are_fine():
    for words in ("--nproc_per_node=4", "--nproc_per_node=auto", "--nproc_per_node=$GPUS", "--nnodes=8"):
        assert paths(RULE, manifest_pod(f"command: [torchrun, {words}], {limits(gpu=4)}")) == []
    assert paths(RULE, manifest_pod(f"command: [torchrun, --nproc_per_node=4], {limits(gpu='$GPUS')}")) == []
    assert paths(RULE, manifest_pod("command: [torchrun, --nproc_per_node=4]")) == []
