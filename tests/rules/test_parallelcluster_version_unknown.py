import pytest

from tests.rules.found import paths, problems
from trainyard.catalog.parallelcluster import locked_versions
from trainyard.edge.pcluster_environment import environment, known_versions
from trainyard.errors import InputError

RULE = "parallelcluster-version-unknown"


def test_a_version_without_facts_is_found():
    assert paths(RULE, "parallelcluster: {version: 4.0.0}") == ["parallelcluster.version"]


def test_versions_with_a_lock_are_those_that_are_installed():
    assert locked_versions() == known_versions()


@pytest.mark.parametrize("version", locked_versions())
def test_a_version_that_trainyard_brings_is_fine(version):
    assert paths(RULE, f"parallelcluster: {{version: {version}}}") == []


def test_another_patch_of_a_known_line_is_what_deploy_refuses():
    (problem,) = problems(RULE, "parallelcluster: {version: 3.16.3}")
    assert "brings no ParallelCluster 3.16.3, so deploy and rehearse refuse it" in problem.message
    with pytest.raises(InputError, match=r"does not know ParallelCluster 3\.16\.3"):
        environment("3.16.3", print)
