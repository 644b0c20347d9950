import pytest

from tests.rules.found import paths

RULE = "mount-reserved"

MOUNT = "file_systems: [{{mount: {mount}, ebs: {{size_gib: 9}}}}]"


@pytest.mark.parametrize("mount", ["/usr", "/opt/slurm", "/tmp", "/opt/parallelcluster/shared"])
def test_system_directories_are_found(mount: str):
    assert paths(RULE, MOUNT.format(mount=mount)) == ["file_systems[0].mount"]


@pytest.mark.parametrize("mount", ["/fsx", "/home", "/apps", "/opt/apps", "/usr2"])
def test_other_directories_are_fine(mount: str):
    assert paths(RULE, MOUNT.format(mount=mount)) == []


def test_scratch_of_batch_over_a_system_directory_is_found():
    assert paths(RULE, "platform: batch\nscratch: {mount: /etc}") == ["scratch.mount"]


def test_scratch_over_a_system_directory_is_found():
    assert paths(RULE, "scratch: {mount: /var}") == ["scratch.mount"]
