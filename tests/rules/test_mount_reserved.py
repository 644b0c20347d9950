import pytest
import yaml

from tests.rules.found import paths
from trainyard.platforms.eks.rendering.manifests import native
from trainyard.rules.mount_reserved import PROGRAM_ON_EKS

RULE = "mount-reserved"

MOUNT = "file_systems: [{{mount: {mount}, ebs: {{size_gib: 9}}}}]"


@pytest.mark.parametrize("mount", ["/usr", "/opt/slurm", "/tmp", "/opt/parallelcluster/shared", "/dev/shm"])
def test_system_directories_are_found(mount: str):
    assert paths(RULE, MOUNT.format(mount=mount)) == ["file_systems[0].mount"]


@pytest.mark.parametrize(
    "mount",
    [
        "/opt/trainyard", "/opt/trainyard/releases", "/opt/slurm/etc", "/opt/parallelcluster/scripts",
        "/opt/amazon/efa", "/opt/aws/amazon-cloudwatch-agent", "/opt/nvidia", "/etc/profile.d", "/usr/local",
        "/usr/local/bin", "/root/ssh", "/var/lib/trainyard", "/var/lib/cloud", "/var/spool/cron", "/run/enroot",
        "/lib64/security", "/proc/x", "/boot/efi",
    ],
)  # fmt: skip
def test_what_root_runs_is_not_mounted_over(mount: str):
    assert paths(RULE, MOUNT.format(mount=mount)) == ["file_systems[0].mount"]


@pytest.mark.parametrize(
    "mount", ["/fsx", "/home", "/apps", "/opt/apps", "/usr2", "/mnt/data", "/srv/data", "/opt/trainyard2", "/home/etc"]
)
def test_other_directories_are_fine(mount: str):
    assert paths(RULE, MOUNT.format(mount=mount)) == []


def test_scratch_of_batch_over_a_system_directory_is_found():
    assert paths(RULE, "platform: batch\nscratch: {mount: /etc}") == ["scratch.mount"]


def test_scratch_over_a_system_directory_is_found():
    assert paths(RULE, "scratch: {mount: /var}") == ["scratch.mount"]


def test_on_eks_the_program_of_the_example_job_has_its_place():
    part = "file_systems: [{mount: /program, lustre: {size_gib: 1200}}]"
    assert paths(RULE, f"platform: eks\n{part}") == ["file_systems[0].mount"]
    assert paths(RULE, part) == []
    (job,) = (one for one in yaml.safe_load_all(native("pytorch-job.yaml")) if one["kind"] == "PyTorchJob")
    (container,) = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"]
    assert PROGRAM_ON_EKS in [volume_mount["mountPath"] for volume_mount in container["volumeMounts"]]
