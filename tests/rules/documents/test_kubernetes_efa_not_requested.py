import pytest

from tests.rules.documents.found import limits, manifest_pod, on_type, paths, problems, training_job

RULE = "kubernetes-efa-not-requested"
P5 = on_type("p5.48xlarge")


def test_a_job_of_several_nodes_with_efa_is_found():
    assert paths(RULE, training_job(limits(gpu=8), P5)) == ["spec.pytorchReplicaSpecs.Worker.template.spec.containers"]


def test_whole_nodes_of_no_named_type_are_mentioned():
    (problem,) = problems(RULE, training_job(limits(gpu=8)))
    assert problem.severity == "info"


@pytest.mark.parametrize(
    ("container", "pod"),
    [
        (limits(gpu=8, efa=32), P5),
        (limits(gpu=8, efa="$EFA"), P5),
        (f"securityContext: {{privileged: true}}, {limits(gpu=8)}", P5),
        (limits(gpu=8), f"{P5}, volumes: [{{name: d, hostPath: {{path: /dev/infiniband}}}}]"),
        (limits(gpu=1), on_type("g5.xlarge")),
        (limits(gpu=1), on_type("$TYPE")),
        (limits(gpu=1), ""),
    ],
)
def test_whoever_gets_efa_or_has_none_is_fine(container: str, pod: str):
    assert paths(RULE, training_job(container, pod)) == []


def test_one_node_and_pods_that_do_not_work_together_need_none():
    assert paths(RULE, training_job(limits(gpu=8), P5, replicas="1")) == []
    assert paths(RULE, training_job(limits(gpu=8), P5, replicas="$N")) == []
    assert paths(RULE, manifest_pod(limits(gpu=8), P5)) == []


def test_the_pods_of_a_job_are_counted_wherever_their_number_stands():
    pod = f"{{spec: {{{P5}, containers: [{{{limits(gpu=8)}}}]}}}}"
    job = f"{{spec: {{parallelism: 4, template: {pod}}}}}"
    jobs = {
        f"apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nspec: {{replicatedJobs: [{{template: {job}}}]}}\n": 1,
        f"apiVersion: batch/v1\nkind: Job\nspec: {{parallelism: 4, completionMode: Indexed, template: {pod}}}\n": 1,
        f"apiVersion: batch/v1\nkind: Job\nspec: {{parallelism: 4, template: {pod}}}\n": 0,
        f"apiVersion: apps/v1\nkind: Deployment\nspec: {{replicas: 4, template: {pod}}}\n": 0,
    }
    assert {text: len(paths(RULE, text)) for text in jobs} == jobs
