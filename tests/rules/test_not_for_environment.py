"""File systems that an environment cannot make."""

import pytest

from tests.rules.found import paths

RULE = "not-for-environment"


@pytest.mark.parametrize(
    ("file_system", "path"),
    [
        ("ebs: {size_gib: 64}", "file_systems[0].ebs"),
        ("efs: {}", "file_systems[0].efs"),
        ("lustre: {id: fs-0123456789abcdef0}", "file_systems[0].lustre.id"),
        ("openzfs: {id: environment}", "file_systems[0].openzfs.id"),
    ],
)
def test_what_an_environment_cannot_make_is_found_only_there(file_system, path):
    part = f"file_systems: [{{mount: /a, {file_system}}}]"
    assert paths(RULE, f"kind: environment\n{part}") == [path]
    assert paths(RULE, part) == []


def test_file_systems_of_fsx_are_fine():
    part = "[{mount: /a, lustre: {size_gib: 1200}}, {mount: /b, openzfs: {size_gib: 64}}]"
    assert paths(RULE, f"kind: environment\nfile_systems: {part}") == []
