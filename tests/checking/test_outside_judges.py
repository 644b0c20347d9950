"""Manifests are held against schemas of Kubernetes and of what training adds to it, and templates against cfn-lint."""

from __future__ import annotations

import textwrap

import pytest

from trainyard.api.check import check_files
from trainyard.checking.kubernetes_schema import checked_version, known_versions
from trainyard.errors import InputError

POD = """\
containers:
  - name: train
    image: example.com/train:1
    resources: {limits: {nvidia.com/gpu: 8}}
"""


def manifest(head: str, pod_below: str = "", indent: int = 0) -> str:
    return textwrap.dedent(head) + (f"{pod_below}\n" + textwrap.indent(POD, " " * indent) if pod_below else "")


JOB = manifest(
    "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec:\n  backoffLimit: 3\n  template:\n",
    "    spec:\n      restartPolicy: Never", 6,
)  # fmt: skip
JOB_SET = manifest(
    "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: train}\nspec:\n"
    "  failurePolicy: {maxRestarts: 3}\n  replicatedJobs:\n    - name: workers\n      replicas: 2\n      template:\n"
    "        spec:\n          parallelism: 4\n          template:\n",
    "            spec:\n              restartPolicy: Never", 14,
)  # fmt: skip
TRAIN_JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train}
spec:
  runtimeRef: {name: torch-distributed}
  trainer:
    numNodes: 2
    numProcPerNode: 8
    image: example.com/train:1
    resourcesPerNode: {limits: {nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 32}}
"""
QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: gpus}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors: [{name: p5, resources: [{name: nvidia.com/gpu, nominalQuota: 64}]}]
"""
MPI_JOB = manifest(
    "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: nccl}\nspec:\n  slotsPerWorker: 8\n"
    "  mpiReplicaSpecs:\n    Launcher:\n      replicas: 1\n      template:\n", "        spec:", 10,
)  # fmt: skip
JOB_OF_SET = "spec.replicatedJobs[0].template.spec"
GOOD = {"Job": JOB, "JobSet": JOB_SET, "TrainJob": TRAIN_JOB, "ClusterQueue": QUEUE, "MPIJob": MPI_JOB}


@pytest.fixture
def objections(tmp_path):
    """Return a function that gives what Kubernetes says of a manifest: ids, lines and paths."""

    def run(text: str, version: str = "1.34") -> list[tuple[str, int | None, str | None]]:
        file = tmp_path / "job.yaml"
        file.write_text(text)
        (checked,) = check_files([str(file)], kubernetes_version=version)
        return [(each.id, each.line, each.path) for each in checked.findings if each.id.startswith("kubernetes-schema")]

    return run


@pytest.mark.parametrize("kind", GOOD)
def test_a_good_manifest_passes(objections, kind):
    assert objections(GOOD[kind]) == []


@pytest.mark.parametrize(
    ("kind", "right", "wrong", "path"),
    [
        ("Job", "backoffLimit: 3", "backofLimit: 3", "spec"),
        ("Job", "backoffLimit: 3", "backoffLimit: three", "spec.backoffLimit"),
        ("Job", "image: example", "imagee: example", "spec.template.spec.containers[0]"),
        ("JobSet", "maxRestarts: 3", "maxRestart: 3", "spec.failurePolicy"),
        ("JobSet", "replicas: 2", "replicas: two", "spec.replicatedJobs[0].replicas"),
        ("JobSet", "resources: {limits", "resource: {limits", f"{JOB_OF_SET}.template.spec.containers[0]"),
        ("TrainJob", "numNodes: 2", "nodes: 2", "spec.trainer"),
        ("TrainJob", "runtimeRef: {name: torch-distributed}", "suspend: false", "spec"),
        ("ClusterQueue", "nominalQuota: 64", "quota: 64", "spec.resourceGroups[0].flavors[0].resources[0]"),
        ("MPIJob", "slotsPerWorker: 8", "slots: 8", "spec"),
    ],
)  # fmt: skip
def test_what_the_schema_does_not_have_is_found_where_it_stands(objections, kind, right, wrong, path):
    assert GOOD[kind].count(right) == 1
    assert path in {found for _, _, found in objections(GOOD[kind].replace(right, wrong))}


def test_what_is_missing_in_a_custom_resource_is_a_warning_because_a_webhook_may_write_it(tmp_path):
    file = tmp_path / "job.yaml"
    file.write_text(TRAIN_JOB.replace("  runtimeRef: {name: torch-distributed}\n", ""))
    (checked,) = check_files([str(file)], kubernetes_version="1.34")
    assert [each.severity for each in checked.findings if each.id == "kubernetes-schema"] == ["warning"]


def test_what_is_still_to_be_filled_in_is_no_wrong_value(objections):
    text = GOOD["MPIJob"].replace("slotsPerWorker: 8", "slotsPerWorker: $GPUS_PER_NODE")
    assert text != GOOD["MPIJob"]
    assert objections(text) == []


def test_a_patch_is_no_whole_manifest(objections):
    assert objections("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n$patch: delete\n") == []


def test_a_kind_that_nobody_knows_is_named_and_no_error(tmp_path):
    file = tmp_path / "job.yaml"
    file.write_text(JOB.replace("batch/v1", "example.com/v1").replace("kind: Job", "kind: NoveltyJob"))
    (checked,) = check_files([str(file)], kubernetes_version="1.34")
    assert [each.severity for each in checked.findings if each.id == "kubernetes-kind-not-judged"] == ["info"]


def test_a_job_of_hyperpod_is_judged_by_the_keys_of_the_command_line_of_aws(tmp_path):
    def judged(text: str) -> list[tuple[str, str | None]]:
        file = tmp_path / "job.yaml"
        file.write_text(text)
        (checked,) = check_files([str(file)], kubernetes_version="1.34")
        return [(each.severity, each.path) for each in checked.findings if each.id.startswith("kubernetes-")]

    job = """\
apiVersion: sagemaker.amazonaws.com/v1
kind: HyperPodPyTorchJob
metadata: {name: llm}
spec:
  nprocPerNode: "8"
  replicaSpecs:
    - name: pod
      replicas: 2
      template: {spec: {containers: [{name: train, image: "example.com/train:1"}]}}
  runPolicy: {jobMaxRetryCount: 3, restartPolicy: {evalPeriodSeconds: 60}}
"""
    assert judged(job) == []
    assert judged(job.replace("jobMaxRetryCount", "maxRetry")) == [("warning", "spec.runPolicy")]
    wrong = judged(job.replace("image:", "imag:"))
    assert ("error", "spec.replicaSpecs[0].template.spec.containers[0]") in wrong


def test_a_version_without_schemas_is_refused_with_those_that_there_are():
    assert checked_version(None) == known_versions()[-1]
    with pytest.raises(InputError, match=r"1\.2"):
        checked_version("1.2")


@pytest.mark.integration
def test_cfn_lint_says_what_is_wrong_where_it_stands_and_once(tmp_path):
    file = tmp_path / "template.yaml"
    file.write_text(
        'AWSTemplateFormatVersion: "2010-09-09"\nResources:\n  Bucket:\n    Type: AWS::S3::Bucket\n'
        "    Properties: {BucketNam: logs}\n"
    )
    (tmp_path / ".cfnlintrc").write_text("append_rules: [/nowhere]\nignore_checks: [E]\n")
    (checked,) = check_files([str(file)], with_cfn_lint=True)
    (found,) = [each for each in checked.findings if each.id == "cfn-lint"]
    assert (found.severity, found.line, found.path) == ("error", 5, "Resources.Bucket.Properties.BucketNam")
    assert found.message.startswith("E3002: ")
