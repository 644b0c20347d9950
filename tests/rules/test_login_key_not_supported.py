import pytest

from tests.rules.found import paths, problems

RULE = "login-key-not-supported"


def part(version: str, pools: str, access: str = "{ssh_key: ml-key}") -> str:
    return f"access: {access}\nlogin_nodes: {pools}\nparallelcluster: {{version: {version}}}"


@pytest.mark.parametrize("version", ["3.15.0", "3.16.1", "4.0.0"])
def test_versions_since_3_15_refuse_a_key_of_a_pool(version: str):
    (problem,) = problems(RULE, part(version, "{ssh_key: ml-key}"))
    assert problem.message == f"ParallelCluster {version} refuses a key of a login pool, here ml-key"
    assert problem.severity is None


def test_every_pool_of_a_list_is_looked_at():
    pools = "[{name: one}, {name: two, ssh_key: ml-key}]"
    assert paths(RULE, part("3.16.1", pools)) == ["login_nodes[1].ssh_key"]


def test_who_has_no_other_key_is_told_where_to_write_it():
    (problem,) = problems(RULE, part("3.16.1", "{ssh_key: login-key}", access="{}"))
    assert problem.remedy == "name it in access.ssh_key, which login nodes have as well"


def test_an_earlier_version_takes_another_key_and_does_not_honour_it():
    (problem,) = problems(RULE, part("3.9.3", "{ssh_key: login-key}"))
    assert problem.severity == "warning"
    assert problem.message == "login nodes share /home with the head node, whose key ml-key replaces login-key"


@pytest.mark.parametrize("access", ["{ssh_key: login-key}", "{}"])
def test_an_earlier_version_takes_the_only_key_there_is(access: str):
    assert paths(RULE, part("3.14.2", "{ssh_key: login-key}", access)) == []


def test_pools_without_a_key_are_fine():
    assert paths(RULE, part("3.16.1", "{count: 2}")) == []
