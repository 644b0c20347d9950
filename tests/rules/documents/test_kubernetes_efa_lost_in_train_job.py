from tests.rules.documents.found import problems

RULE = "kubernetes-efa-lost-in-train-job"
JOB = (
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\n"
    "spec: {runtimeRef: {name: %s}, trainer: {numNodes: %s, resourcesPerNode: {requests: {%s}}}}\n"
)
GPUS = "nvidia.com/gpu: 8"


def judged(runtime: str, nodes: object, resources: str) -> list[str | None]:
    return [problem.severity for problem in problems(RULE, JOB % (runtime, nodes, resources))]


def test_gpus_without_efa_on_several_nodes_are_found():
    assert judged("torch-distributed", 2, GPUS) == [None]
    assert judged("torch-with-efa", 2, "nvidia.com/gpu: 1") == [None]
    assert judged("torch-distributed", 2, "nvidia.com/gpu: 1") == ["info"]


def test_efa_one_node_and_what_is_not_filled_in_are_fine():
    assert judged("torch", 2, f"{GPUS}, vpc.amazonaws.com/efa: 32") == []
    assert judged("torch", 2, f"{GPUS}, vpc.amazonaws.com/efa: $EFA") == []
    assert judged("torch", 1, GPUS) == []
    assert judged("torch", "$NODES", GPUS) == []
    assert judged("torch", 4, "cpu: 8") == []
