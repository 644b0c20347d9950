import pytest

from tests.rules.found import paths, problems

RULE = "instance-types-differ"
QUEUE = "queues: [{{name: q, instance_types: [{types}]{more}}}]"


def message(types: str, more: str = "") -> str:
    (problem,) = problems(RULE, QUEUE.format(types=types, more=more))
    return problem.message


def test_different_vcpus_are_found_with_both_figures():
    (problem,) = problems(RULE, QUEUE.format(types="g5.12xlarge, g5.24xlarge", more=""))
    assert (problem.path, problem.severity) == (("queues", 0, "instance_types"), "error")
    assert problem.message == "queue 'q' lists g5.12xlarge (48 vCPUs) beside g5.24xlarge (96 vCPUs)"


def test_without_multithreading_cores_are_compared():
    types = "hpc6a.48xlarge, p3dn.24xlarge"
    assert "96 cores" not in message(types, ", efa: false")
    assert "(96 cores, 0 GPUs) beside" in message(types, ", efa: false, multithreading: false")


@pytest.mark.parametrize(
    ("types", "words"),
    [
        ("p4d.24xlarge, g5.24xlarge", "p4d.24xlarge (8 GPUs, A100) beside g5.24xlarge (4 GPUs, A10G)"),
        ("m5.8xlarge, g5.8xlarge", "m5.8xlarge (0 GPUs) beside g5.8xlarge (1 GPU)"),
        (
            "g5.48xlarge, trn2.48xlarge",
            "g5.48xlarge (8 GPUs, A10G) beside trn2.48xlarge (16 Neuron devices, Trainium2)",
        ),
    ],
)
def test_different_accelerators_are_found(types: str, words: str):
    assert words in message(types, ", efa: false")


def test_another_model_of_gpu_is_a_warning():
    (problem,) = problems(RULE, QUEUE.format(types="g5.12xlarge, g6.12xlarge", more=""))
    assert problem.severity == "warning"
    assert problem.message == "queue 'q' lists g5.12xlarge (A10G) beside g6.12xlarge (L4)"


def test_fewer_efa_interfaces_are_a_warning_where_efa_is_on():
    types = "p5e.48xlarge, p5en.48xlarge"
    (problem,) = problems(RULE, QUEUE.format(types=types, more=""))
    assert problem.severity == "warning"
    assert "p5e.48xlarge (32 EFA interfaces) beside p5en.48xlarge (16 EFA interfaces)" in problem.message
    assert paths(RULE, QUEUE.format(types=types, more=", efa: false")) == []


def test_a_type_without_efa_is_found_behind_one_that_has_switched_it_on():
    assert "(1 GPU, EFA) beside m5.8xlarge (0 GPUs, no EFA)" in message("g5.8xlarge, m5.8xlarge")
    assert "EFA" not in message("m5.8xlarge, g5.8xlarge")
    assert "EFA" not in message("g5.8xlarge, m5.8xlarge", ", efa: true")  # said by efa-not-supported


@pytest.mark.parametrize("types", ["g5.12xlarge", "g5.12xlarge, g5.12xlarge", "p9.a, p9.b", "g5.12xlarge, p9.b"])
def test_one_type_and_unknown_types_are_fine(types: str):
    assert paths(RULE, QUEUE.format(types=types, more="")) == []


def test_every_other_type_is_compared_with_the_first():
    assert len(problems(RULE, QUEUE.format(types="g5.12xlarge, g5.24xlarge, g5.48xlarge", more=""))) == 2


def test_compute_resources_are_each_compared_within_themselves():
    part = "queues: [{name: q, compute_resources: [{instance_types: [g5.12xlarge, g5.24xlarge]}, {instance_type: g5.48xlarge}]}]"  # noqa: E501
    assert paths(RULE, part) == ["queues[0].compute_resources[0].instance_types"]
