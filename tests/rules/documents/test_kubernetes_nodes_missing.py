from tests.rules.documents.found import limits, manifest_pod, paths, training_job

RULE = "kubernetes-nodes-missing"
GPU = limits(gpu=1)


def nodes(option: str) -> str:
    return f"command: [torchrun, --nnodes={option}, a.py], {GPU}"


def test_more_nodes_than_pods_are_found():
    assert paths(RULE, training_job(nodes("4"))) == [
        "spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].command"
    ]
    assert len(paths(RULE, training_job(nodes("3:8")))) == 1


def test_as_many_an_elastic_job_and_unknown_numbers_are_fine():
    assert paths(RULE, training_job(nodes("2"))) == []
    assert paths(RULE, training_job(nodes("1:4"))) == []
    assert paths(RULE, training_job(nodes("$NODES"))) == []
    assert paths(RULE, training_job(nodes("4"), replicas="$NODES")) == []
    assert paths(RULE, training_job(nodes("4"), more="elasticPolicy: {maxReplicas: 8}")) == []
    assert paths(RULE, manifest_pod(nodes("4"))) == []
