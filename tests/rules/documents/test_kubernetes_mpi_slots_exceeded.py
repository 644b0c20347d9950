import pytest

from tests.rules.documents.found import paths

RULE = "kubernetes-mpi-slots-exceeded"
JOB = """\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
spec:
  %s
  mpiReplicaSpecs:
    Launcher: {template: {spec: {containers: [{name: l, image: "r/a:1", command: [mpirun, %s, a]}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: w, image: "r/a:1"}]}}}
"""


@pytest.mark.parametrize(
    ("spec", "options"),
    [("slotsPerWorker: 8", "-np, '17'"), ("slotsPerWorker: 8", "-n, 32, -N, 8"), ("", "--allow-run-as-root, -np, 4")],
)
def test_more_processes_than_slots_are_found(spec: str, options: str):
    assert paths(RULE, JOB % (spec, options)) == ["spec.mpiReplicaSpecs.Launcher.template.spec.containers[0].command"]


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("slotsPerWorker: 8", "-np, '16', -N, '8'"),
        ("slotsPerWorker: $GPUS", "-np, '32'"),
        ("slotsPerWorker: 8", "-np, $RANKS"),
        ("slotsPerWorker: 8", "-N, '8'"),
        ("slotsPerWorker: 8", "-np, '17', --oversubscribe"),
        ("slotsPerWorker: 8", "-np, '17', --map-by, 'slot:OVERSUBSCRIBE'"),
        ("slotsPerWorker: 8, runLauncherAsWorker: true".replace(", ", "\n  "), "-np, '24'"),
        ("mpiImplementation: MPICH", "-np, '32'"),
    ],
)
def test_enough_slots_and_unknown_numbers_are_fine(spec: str, options: str):
    assert paths(RULE, JOB % (spec, options)) == []
