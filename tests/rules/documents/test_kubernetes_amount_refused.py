import pytest

from tests.rules.documents.found import manifest_pod, paths

RULE = "kubernetes-amount-refused"


@pytest.mark.parametrize(
    ("resources", "place"),
    [
        ("requests: {nvidia.com/gpu: 8}", "requests.nvidia.com/gpu"),
        ("requests: {nvidia.com/gpu: 4}, limits: {nvidia.com/gpu: '8'}", "requests.nvidia.com/gpu"),
        ("limits: {vpc.amazonaws.com/efa: 0.5}", "limits.vpc.amazonaws.com/efa"),
        ("limits: {hugepages-2Mi: 5120Mi, nvidia.com/gpu: 1}", ""),
    ],
)
def test_what_kubernetes_refuses_is_found(resources: str, place: str):
    (path,) = paths(RULE, manifest_pod(f"resources: {{{resources}}}"))
    assert path == f"spec.containers[0].resources{'.' * bool(place)}{place}"


@pytest.mark.parametrize(
    "resources",
    [
        "limits: {nvidia.com/gpu: 8}",
        "requests: {nvidia.com/gpu: 8}, limits: {nvidia.com/gpu: '8'}",
        "requests: {cpu: 1}, limits: {cpu: 2}",
        "requests: {memory: 1Gi}",
        "requests: {nvidia.com/gpu: $GPUS}, limits: {nvidia.com/gpu: $GPUS}",
        "requests: {nvidia.com/gpu: $GPUS}",
        "limits: {hugepages-2Mi: 5120Mi, memory: 8Gi}",
        "requests: {$EFA_NAME: 4}",
        "[]",
    ],
)
def test_what_kubernetes_takes_and_what_nobody_has_filled_in_is_fine(resources: str):
    written = resources if resources == "[]" else f"{{{resources}}}"
    assert paths(RULE, manifest_pod(f"resources: {written}")) == []


def test_a_train_job_may_have_its_limits_from_its_runtime():
    job = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nspec: {trainer: {resourcesPerNode: {%s}}}\n"
    assert paths(RULE, job % "requests: {nvidia.com/gpu: 8}") == []
    assert paths(RULE, job % "requests: {nvidia.com/gpu: 8}, limits: {nvidia.com/gpu: 4}") == [
        "spec.trainer.resourcesPerNode.requests.nvidia.com/gpu"
    ]
