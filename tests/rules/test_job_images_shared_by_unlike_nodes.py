import pytest

from tests.rules.found import paths, problems

RULE = "job-images-shared-by-unlike-nodes"


def queues(*types: str, platform: str = "batch") -> str:
    listed = (f"{{name: q{n}, instance_type: {one}, nodes: {{min: 0, max: 2}}}}" for n, one in enumerate(types))
    return f"platform: {platform}\nqueues: [{', '.join(listed)}]"


def test_gpus_beside_trainium_are_found():
    (problem,) = problems(RULE, queues("p5.48xlarge", "p4d.24xlarge", "trn1.32xlarge"))
    assert problem.path == ("queues", 2, "instance_type")
    assert "trn1.32xlarge runs PyTorch with Neuron, and the first queue with CUDA" in problem.message


def test_other_processors_are_found():
    (problem,) = problems(RULE, queues("m5.large", "hpc7g.16xlarge"))
    assert "hpc7g.16xlarge has processors of arm64, and the first queue x86_64" in problem.message


@pytest.mark.parametrize(
    "types",
    [("p5.48xlarge",), ("p5.48xlarge", "p4d.24xlarge"), ("m5.large", "trn1.32xlarge"), ("x9.metal", "q9.metal")],
)
def test_nodes_that_run_the_same_images_are_fine(types: tuple[str, ...]):
    assert paths(RULE, queues(*types)) == []


def test_other_platforms_choose_images_by_job():
    assert paths(RULE, queues("p5.48xlarge", "trn1.32xlarge", platform="parallelcluster")) == []
