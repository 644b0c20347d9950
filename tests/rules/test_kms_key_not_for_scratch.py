import pytest

from tests.rules.found import paths

RULE = "kms-key-not-for-scratch"
KEY = 'iam: {kms_key: "arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012"}\n'


def part(lustre: str) -> str:
    return f"file_systems: [{{mount: /fsx, lustre: {{{lustre}}}}}]"


def test_a_scratch_file_system_beside_a_key_is_found():
    assert paths(RULE, KEY + part("size_gib: 1200, deployment: SCRATCH_2")) == ["file_systems[0].lustre.deployment"]


def test_without_a_key_it_is_fine():
    assert paths(RULE, part("size_gib: 1200, deployment: SCRATCH_2")) == []


@pytest.mark.parametrize("deployment", ["PERSISTENT_1", "PERSISTENT_2"])
def test_persistent_file_systems_take_the_key(deployment: str):
    assert paths(RULE, KEY + part(f"size_gib: 1200, deployment: {deployment}")) == []


def test_a_file_system_that_exists_has_its_key_already():
    assert paths(RULE, KEY + part("id: fs-0123456789abcdef0, deployment: SCRATCH_2")) == []
