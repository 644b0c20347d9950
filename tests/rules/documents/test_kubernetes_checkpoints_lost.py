import pytest

from tests.rules.documents.found import limits, manifest_pod, paths

RULE = "kubernetes-checkpoints-lost"
GPU = limits(gpu=1)


def writes(option: str, mount: str = "/fsx", volume: str = "persistentVolumeClaim: {claimName: fsx}") -> str:
    container = f"command: [torchrun, a.py, {option}], volumeMounts: [{{name: v, mountPath: {mount}}}], {GPU}"
    return manifest_pod(container, f"volumes: [{{name: v, {volume}}}]")


@pytest.mark.parametrize("option", ["--checkpoint-dir=/ckpt", "--save_path, /out/x", "--dist.ckpt_folder, /tmp/c"])
def test_checkpoints_in_the_container_are_found(option: str):
    assert paths(RULE, writes(option)) == ["spec.containers[0].command"]


def test_checkpoints_in_an_empty_volume_are_found():
    assert paths(RULE, writes("--checkpoint-dir=/data/c", "/data", "emptyDir: {}")) == ["spec.containers[0].command"]


@pytest.mark.parametrize(
    "option",
    [
        "--checkpoint-dir=/fsx/c",
        "--checkpoint-dir=$DIR",
        "--checkpoint-dir=relative",
        "--checkpoint-dir=s3://b/c",
        "--local-checkpoint-dir=/tmp",
        "--load-checkpoint-path=/model",
        "--checkpoint-every=/x",
    ],
)
def test_lasting_and_unknown_places_and_what_is_read_are_fine(option: str):
    assert paths(RULE, writes(option)) == []


def test_containers_without_accelerators_are_not_looked_at():
    assert paths(RULE, writes("--checkpoint-dir=/ckpt").replace(GPU, "stdin: true")) == []
