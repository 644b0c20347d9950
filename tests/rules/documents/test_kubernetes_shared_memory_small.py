import pytest

from tests.rules.documents.found import limits, manifest_pod, paths

RULE = "kubernetes-shared-memory-small"
MOUNT = "volumeMounts: [{name: shm, mountPath: /dev/shm/}]"
GPUS = limits(gpu=8)


def test_several_gpus_without_a_mount_are_found():
    assert paths(RULE, manifest_pod(GPUS)) == ["spec.containers[0]"]
    assert paths(RULE, manifest_pod(f"{GPUS}, volumeMounts: [{{name: d, mountPath: /dev/shmem}}]")) == [
        "spec.containers[0]"
    ]


@pytest.mark.parametrize("empty", ["{}", "", "{sizeLimit: 64Gi}"])
def test_an_empty_volume_on_the_disk_is_found(empty: str):
    volume = f"volumes: [{{name: other}}, {{name: shm, emptyDir: {empty}}}]"
    assert paths(RULE, manifest_pod(f"{GPUS}, {MOUNT}", volume)) == ["spec.volumes[1].emptyDir"]


@pytest.mark.parametrize("volume", ["emptyDir: {medium: Memory}", "hostPath: {path: /dev/shm}", "ephemeral: {}"])
def test_memory_of_the_pod_or_the_node_is_fine(volume: str):
    assert paths(RULE, manifest_pod(f"{GPUS}, {MOUNT}", f"volumes: [{{name: shm, {volume}}}]")) == []


def test_one_gpu_shared_ipc_and_what_is_mounted_by_others_are_fine():
    assert paths(RULE, manifest_pod(limits(gpu=1))) == []
    assert paths(RULE, manifest_pod(limits(gpu="$GPUS"))) == []
    assert paths(RULE, manifest_pod(GPUS, "hostIPC: true")) == []
    assert paths(RULE, manifest_pod(f"{GPUS}, {MOUNT}")) == []
