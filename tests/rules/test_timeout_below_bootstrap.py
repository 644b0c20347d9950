import pytest

from tests.rules.found import paths, problems

RULE = "timeout-below-bootstrap"
QUEUE = "queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}%s}]\n"
STATIC = "queues: [{name: q, instance_type: p5.48xlarge, nodes: 4%s}]\n"
GPU = "software: {setup: gpu, containers: true, efa_version: 1.48.0}\nmonitoring: {mode: amp-only}\n"
TIMEOUTS = "timeouts: {{head_node_s: {head}, compute_node_s: {compute}}}"


def timeouts(head: int = 3600, compute: int = 3600) -> str:
    return TIMEOUTS.format(head=head, compute=compute)


def test_a_timeout_below_the_least_estimate_is_an_error_with_both_numbers():
    (problem,) = problems(RULE, GPU + QUEUE % "" + timeouts(compute=600))
    assert (problem.path, problem.severity) == (("timeouts", "compute_node_s"), "error")
    assert problem.message == "600 s for nodes of queue 'q', which take 10 to 22 minutes to come up"
    assert problem.remedy == "write twice the estimate, 2578, or more"


def test_a_timeout_within_the_estimate_is_a_warning():
    (problem,) = problems(RULE, GPU + QUEUE % "" + timeouts(compute=1288))
    assert problem.severity == "warning"
    assert paths(RULE, GPU + QUEUE % "" + timeouts(compute=1289)) == []


def test_an_image_of_one_s_own_may_be_quicker():
    ami = ", ami: ami-0123456789abcdef0"
    (problem,) = problems(RULE, GPU + QUEUE % ami + timeouts(compute=60))
    assert problem.severity == "warning"


def test_the_slowest_queue_counts_with_its_own_setup():
    part = (
        "queues: [{name: a, instance_type: m5.large, setup: cpu}, {name: b, instance_type: p5.48xlarge, setup: gpu}]\n"
    )
    (problem,) = problems(RULE, part + "software: {efa_version: 1.48.0}\n" + timeouts(compute=700))
    assert "queue 'b'" in problem.message
    assert paths(RULE, QUEUE % ", setup: none" + "software: {setup: gpu}\n" + timeouts(compute=700)) == []


def test_the_head_node_waits_for_nodes_that_always_run():
    (problem,) = problems(RULE, GPU + STATIC % "" + timeouts(head=1940))
    assert (problem.path, problem.severity) == (("timeouts", "head_node_s"), "warning")
    assert problem.message == (
        "1,940 s for the head node, which takes 18 to 33 minutes to come up "
        "because it waits for nodes that always run, in 'q'"
    )


@pytest.mark.parametrize(
    "queue", [QUEUE % "", STATIC % ", capacity: {capacity_block: cr-0123456789abcdef0}"], ids=["elastic", "block"]
)
def test_the_head_node_does_not_wait_for_other_nodes(queue: str):
    assert paths(RULE, GPU + queue + timeouts(head=1300)) == []
    (problem,) = problems(RULE, GPU + queue + timeouts(head=240))
    assert problem.message == "240 s for the head node, which takes 8 to 11 minutes to come up"


@pytest.mark.parametrize("setup", ["gpu", "cpu", "neuron", "none"])
def test_the_defaults_are_enough_for_every_setup(setup: str):
    assert paths(RULE, f"software: {{setup: {setup}}}\n" + STATIC % "") == []


def test_what_nobody_measured_is_not_counted():
    trainium = "queues: [{name: q, instance_type: trn1.32xlarge, setup: neuron, nodes: {min: 0, max: 4}}]\n"
    assert paths(RULE, trainium + timeouts(compute=393)) == ["timeouts.compute_node_s"]
    assert paths(RULE, trainium + timeouts(compute=394)) == []


def test_other_platforms_have_no_such_timeouts():
    assert paths(RULE, "platform: eks\n" + GPU + QUEUE % "" + timeouts(compute=60)) == []


def test_just_the_least_estimate_is_only_a_warning():
    (problem,) = problems(RULE, GPU + QUEUE % "" + timeouts(compute=629))
    assert problem.severity == "warning"


def test_just_the_most_that_is_estimated_is_enough_for_the_head_node():
    assert paths(RULE, GPU + STATIC % "" + timeouts(head=1949)) == []


def test_the_head_node_waits_for_the_slowest_of_its_nodes():
    part = (
        "queues: [{name: a, instance_type: m5.large, setup: none}, {name: b, instance_type: p5.48xlarge, setup: gpu}]\n"
    )
    (problem,) = problems(RULE, part + timeouts(head=753))
    assert "7 to 13 minutes" in problem.message
    assert problem.message.endswith("in 'a', 'b'")


@pytest.mark.parametrize(
    "own", ["image: {ami: %s}\n", "head_node: {ami: %s}\n", "queues: [{name: q, instance_type: m5.large, ami: %s}]\n"]
)
def test_any_image_of_one_s_own_may_make_the_head_node_quicker(own: str):
    (problem,) = problems(RULE, own % "ami-0123456789abcdef0" + timeouts(head=60))
    assert (problem.path, problem.severity) == (("timeouts", "head_node_s"), "warning")
    (problem,) = problems(RULE, timeouts(head=60))
    assert problem.severity == "error"


def test_one_queue_of_several_with_an_image_of_its_own_is_enough():
    queue = "{name: %s, instance_type: m5.large%s}"
    part = f"queues: [{queue % ('a', '')}, {queue % ('b', ', ami: ami-0123456789abcdef0')}]\n"
    (problem,) = problems(RULE, part + timeouts(head=60))
    assert problem.severity == "warning"


def test_the_image_s_own_efa_takes_no_time():
    asked = "software: {setup: gpu, efa_version: 1.48.0}\n"
    assert paths(RULE, asked + QUEUE % "" + timeouts(compute=988)) == ["timeouts.compute_node_s"]
    assert paths(RULE, asked + QUEUE % ", efa: false" + timeouts(compute=389)) == []
    assert paths(RULE, asked.replace(", efa_version: 1.48.0", "") + QUEUE % "" + timeouts(compute=394)) == []


def test_a_shared_nccl_counts_on_nodes_with_gpus():
    asked = "software: {setup: gpu, nccl: {version: 2.28.7-1}}\n"
    assert paths(RULE, asked + QUEUE % "" + timeouts(compute=398)) == ["timeouts.compute_node_s"]
    assert paths(RULE, asked + QUEUE % ", setup: cpu" + timeouts(compute=394)) == []


def test_a_cluster_that_installs_nothing_takes_what_parallelcluster_takes():
    assert paths(RULE, QUEUE % "" + timeouts(compute=328, head=300)) == ["timeouts.compute_node_s"]
    assert paths(RULE, QUEUE % "" + timeouts(compute=329, head=300)) == []
