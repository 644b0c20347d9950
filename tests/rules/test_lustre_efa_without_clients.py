from tests.rules.found import paths, problems

RULE = "lustre-efa-without-clients"
LUSTRE = """
file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 1000, efa: %s}}]
"""
SCRIPT = 'custom_actions: {on_start: [{script: "s3://mine/efa.sh"}]}'


def queue(kind: str, rest: str = "") -> str:
    return f"queues: [{{name: q, instance_type: {kind}{rest}}}]"


def test_nodes_that_nobody_configures_use_tcp():
    (problem,) = problems(RULE, queue("p5.48xlarge") + LUSTRE % "true")
    assert problem.message == "no queue has a script that lets its nodes reach /fsx by EFA"
    assert paths(RULE, queue("p5.48xlarge", f", {SCRIPT}") + LUSTRE % "true") == []
    assert paths(RULE, queue("p5.48xlarge") + LUSTRE % "false") == []


def test_nodes_that_cannot_use_it_are_no_reason_for_it():
    for kind in ("m5.8xlarge", "p4d.24xlarge", "trn2.48xlarge"):
        (problem,) = problems(RULE, queue(kind, f", {SCRIPT}") + LUSTRE % "true")
        assert problem.message == "no queue has nodes that reach /fsx by EFA", kind
    assert paths(RULE, queue("p5.48xlarge", f", efa: false, {SCRIPT}") + LUSTRE % "true") != []
