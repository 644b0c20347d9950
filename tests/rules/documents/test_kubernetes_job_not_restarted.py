import pytest

from tests.rules.documents.found import limits, paths, training_job

RULE = "kubernetes-job-not-restarted"
GPU = limits(gpu=1)
POD = f"{{spec: {{containers: [{{name: a, {GPU}}}]}}}}"
JOB = f"{{parallelism: 2, completionMode: Indexed, template: {POD}, %s}}"
JOB_SET = f"{{replicatedJobs: [{{template: {{spec: {{parallelism: 2, template: {POD}}}}}}}], %s}}"


def object_of(kind: str, spec: str) -> str:
    return f"apiVersion: x/v1\nkind: {kind}\nspec: {spec}\n"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (
            training_job(GPU).replace("replicas:", "restartPolicy: Never, replicas:"),
            "pytorchReplicaSpecs.Worker.restartPolicy",
        ),
        (object_of("Job", JOB % "backoffLimit: 0"), "backoffLimit"),
        (object_of("JobSet", JOB_SET % ""), ""),
        (object_of("JobSet", JOB_SET % "failurePolicy: {maxRestarts: 0}"), ""),
    ],
)
def test_jobs_that_end_with_the_first_failure_are_found(text: str, place: str):
    assert paths(RULE, text) == [f"spec.{place}".rstrip(".")]


@pytest.mark.parametrize(
    "text",
    [
        training_job(GPU),
        training_job(GPU, replicas="1").replace("replicas:", "restartPolicy: Never, replicas:"),
        training_job("").replace("replicas:", "restartPolicy: Never, replicas:"),
        object_of("Job", JOB % ""),
        object_of("JobSet", JOB_SET % "failurePolicy: {maxRestarts: 3}"),
        object_of("JobSet", JOB_SET % "failurePolicy: {maxRestarts: $N}"),
    ],
)
def test_restarts_single_nodes_and_jobs_without_gpus_are_fine(text: str):
    assert paths(RULE, text) == []
