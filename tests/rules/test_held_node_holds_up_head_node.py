from tests.rules.found import paths

RULE = "held-node-holds-up-head-node"
SPEC = "software: {{setup: gpu, on_failure: {0}}}\nqueues: [{{name: q, instance_type: p5.48xlarge, {1}}}]"
RESERVED = "nodes: 2, capacity: {reservation: cr-0123456789abcdef0}"


def test_nodes_that_always_run_and_may_be_held_are_found():
    assert paths(RULE, SPEC.format("hold", "nodes: 2")) == ["software.on_failure"]
    assert paths(RULE, SPEC.format("terminate", "nodes: 2")) == []


def test_nodes_that_start_later_hold_up_nobody():
    assert paths(RULE, SPEC.format("hold", "nodes: {min: 0, max: 2}")) == []
    # `deploy` starts nodes of a reservation once the cluster is there.
    assert paths(RULE, SPEC.format("hold", RESERVED)) == []
