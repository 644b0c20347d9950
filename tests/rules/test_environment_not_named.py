"""A file system of an environment that the cluster does not name."""

import pytest

from tests.rules.found import paths

RULE = "environment-not-named"


@pytest.mark.parametrize("kind", ["lustre", "openzfs"])
def test_a_file_system_of_no_environment_is_found(kind):
    assert paths(RULE, f"file_systems: [{{mount: /fsx, {kind}: {{id: environment}}}}]") == [
        f"file_systems[0].{kind}.id"
    ]


def test_with_an_environment_it_is_fine():
    assert paths(RULE, "environment: use2\nfile_systems: [{mount: /fsx, lustre: {id: environment}}]") == []


def test_a_file_system_by_its_id_is_fine():
    assert paths(RULE, "file_systems: [{mount: /fsx, lustre: {id: fs-0123456789abcdef0}}]") == []
