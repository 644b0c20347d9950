from tests.rules.documents.found import limits, manifest_pod, on_type, paths, problems

RULE = "kubernetes-devices-exceed-type"
SELECTOR = "nodeSelector: {node.kubernetes.io/instance-type: %s}"


def test_more_than_the_named_type_has_is_found():
    assert paths(RULE, manifest_pod(limits(gpu=16), SELECTOR % "ml.p5.48xlarge")) == [
        "spec.nodeSelector.node.kubernetes.io/instance-type"
    ]
    (problem,) = problems(RULE, manifest_pod(limits(gpu=1, efa=1), on_type("g5.xlarge", "g5.2xlarge")))
    assert "g5.2xlarge and g5.xlarge have no EFA interfaces" in problem.message
    assert problems(RULE, manifest_pod(limits(neuron=17), SELECTOR % "trn1.32xlarge"))


def test_containers_of_a_pod_are_added_up():
    two = f"spec: {{{SELECTOR % 'p5.48xlarge'}, containers: [{{{limits(gpu=8)}}}, {{{limits(gpu=1)}}}]}}"
    assert len(paths(RULE, two)) == 1


def test_one_type_that_is_large_enough_or_not_known_is_enough():
    for types in (("g5.xlarge", "g5.12xlarge"), ("g5.xlarge", "x99.large"), ("$INSTANCE_TYPE",)):
        assert paths(RULE, manifest_pod(limits(gpu=4), on_type(*types))) == []
    assert paths(RULE, manifest_pod(limits(gpu=100))) == []
    assert paths(RULE, manifest_pod(limits(gpu="$GPUS"), SELECTOR % "g5.xlarge")) == []
