import pytest

from tests.rules.found import paths, problems

RULE = "lustre-size-does-not-exist"

LUSTRE = "file_systems: [{{mount: /fsx, lustre: {{size_gib: {size}, throughput_mb_s_per_tib: 250}}}}]"


@pytest.mark.parametrize("size", [1200, 2400, 4800, 240000])
def test_sizes_that_exist_are_fine(size: int):
    assert paths(RULE, LUSTRE.format(size=size)) == []


@pytest.mark.parametrize("size", [1, 1000, 1201, 3600, 4799])
def test_sizes_that_do_not_exist_are_found(size: int):
    assert paths(RULE, LUSTRE.format(size=size)) == ["file_systems[0].lustre.size_gib"]


def test_the_nearest_sizes_are_named():
    (problem,) = problems(RULE, LUSTRE.format(size=3600))
    assert problem.remedy == "the nearest sizes are 2,400 or 4,800 GiB"


def test_with_efa_sizes_are_whole_servers():
    with_efa = LUSTRE.replace("250", "1000, efa: true")
    assert paths(RULE, with_efa.format(size=9600)) == []
    (problem,) = problems(RULE, with_efa.format(size=2400))
    assert problem.message == "FSx for Lustre PERSISTENT_2 with EFA and 1000 MB/s for each TiB has no size of 2,400 GiB"
    assert problem.remedy == "the nearest sizes are 4,800 GiB"


def test_a_file_system_that_exists_has_the_size_it_has():
    assert paths(RULE, "file_systems: [{mount: /fsx, lustre: {id: fs-0123456789abcdef0}}]") == []
