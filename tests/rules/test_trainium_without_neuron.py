import pytest

from tests.rules.found import paths, problems

RULE = "trainium-without-neuron"
QUEUE = "queues: [{{name: q, instance_type: {type}{more}}}]"


@pytest.mark.parametrize("type_", ["trn1.2xlarge", "trn1n.32xlarge", "trn2.48xlarge"])
def test_trainium_with_nothing_installed_is_found(type_: str):
    assert paths(RULE, QUEUE.format(type=type_, more="")) == ["queues[0].instance_type"]


def test_a_queue_that_asks_for_nothing_is_found_at_that_key():
    part = "software: {setup: neuron}\n" + QUEUE.format(type="trn1.32xlarge", more=", setup: none")
    (problem,) = problems(RULE, part)
    assert problem.path == ("queues", 0, "setup")
    assert problem.message == "nothing installs Neuron on trn1.32xlarge, so the 16 Trainium in queue 'q' lie idle"


@pytest.mark.parametrize(
    "more",
    [
        ", setup: neuron",
        ", ami: ami-0123456789abcdef0",
        ", custom_actions: {after_setup: [{script: 's3://mine/neuron.sh'}]}",
    ],
)
def test_a_setup_an_image_or_scripts_of_one_s_own_may_bring_it(more: str):
    assert paths(RULE, QUEUE.format(type="trn1.32xlarge", more=more)) == []


def test_what_holds_for_the_whole_cluster_counts():
    part = QUEUE.format(type="trn1.32xlarge", more="")
    assert paths(RULE, "software: {setup: neuron}\n" + part) == []
    assert paths(RULE, "image: {ami: ami-0123456789abcdef0}\n" + part) == []


@pytest.mark.parametrize("type_", ["p5.48xlarge", "m5.8xlarge", "trn9.48xlarge"])
def test_other_types_and_unknown_ones_are_fine(type_: str):
    assert paths(RULE, QUEUE.format(type=type_, more="")) == []


def test_a_setup_that_does_not_fit_is_another_rule_s_matter():
    assert paths(RULE, QUEUE.format(type="trn1.32xlarge", more=", setup: cpu")) == []


@pytest.mark.parametrize("platform", ["batch", "eks"])
def test_the_default_images_of_other_platforms_have_the_driver(platform: str):
    assert paths(RULE, f"platform: {platform}\n{QUEUE.format(type='trn1.32xlarge', more='')}") == []
