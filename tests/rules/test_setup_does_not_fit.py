from tests.rules.found import paths, problems

RULE = "setup-does-not-fit"

SPEC = "queues: [{{name: q, instance_type: {type}, setup: {setup}}}]"
OF_CLUSTER = "software: {{setup: {setup}}}\nqueues: [{{name: q, instance_type: {type}}}]"


def test_the_gpu_setup_on_a_cpu_type_is_found():
    assert paths(RULE, SPEC.format(setup="gpu", type="m5.8xlarge")) == ["queues[0].setup"]


def test_the_gpu_setup_on_trainium_names_the_setup_that_fits():
    (problem,) = problems(RULE, SPEC.format(setup="gpu", type="trn1.32xlarge"))
    assert problem.remedy == "write setup: neuron in queue 'q'"


def test_the_cpu_setup_on_gpus_is_only_a_warning():
    (problem,) = problems(RULE, SPEC.format(setup="cpu", type="p5.48xlarge"))
    assert problem.severity == "warning"


def test_a_setup_of_the_cluster_for_accelerators_is_only_for_queues_that_have_such():
    for setup in ("gpu", "neuron"):
        for type_ in ("m5.8xlarge", "p5.48xlarge", "trn1.32xlarge"):
            assert paths(RULE, OF_CLUSTER.format(setup=setup, type=type_)) == []
    assert paths(RULE, OF_CLUSTER.format(setup="cpu", type="p5.48xlarge")) == ["software.setup"]


def test_a_queue_may_have_its_own_setup():
    part = "software: {setup: gpu}\nqueues: [{name: a, instance_type: p5.48xlarge}, {name: b, instance_type: m5.8xlarge, setup: cpu}]"  # noqa: E501
    assert paths(RULE, part) == []


def test_a_queue_s_own_setup_is_found_at_the_queue():
    assert paths(RULE, "queues: [{name: q, instance_type: m5.8xlarge, setup: gpu}]") == ["queues[0].setup"]


def test_no_setup_fits_everything_and_nothing_is_claimed_of_unknown_types():
    assert paths(RULE, SPEC.format(setup="none", type="m5.8xlarge")) == []
    assert paths(RULE, SPEC.format(setup="gpu", type="p9.48xlarge")) == []


def test_each_of_several_types_is_looked_at():
    part = "queues: [{name: q, instance_types: [g5.8xlarge, m5.8xlarge], setup: gpu}]"
    (problem,) = problems(RULE, part)
    assert problem.message == "setup gpu on m5.8xlarge, which has no accelerators"
