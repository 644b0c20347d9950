import pytest

from tests.rules.documents.found import problems

RULE = "hyperpod-provisioning-incomplete"
WORKERS = '"worker_groups": [{"instance_group_name": "w", "partition_name": "p"}]'
CONTROLLER = '"workload_manager": "slurm", "controller_group": "c"'


@pytest.mark.parametrize(
    ("text", "words", "path"),
    [
        (f'"workload_manager": "slurm", {WORKERS}', "no controller_group", ("worker_groups",)),
        (f'"controller_group": "", {WORKERS}', "no controller_group", ("controller_group",)),
        (
            f'{CONTROLLER}, "worker_groups": [{{"instance_group_name": "w"}}]',
            "w has no partition_name",
            ("worker_groups", 0),
        ),
        (
            f'{CONTROLLER}, "worker_groups": [{{"partition_name": "p"}}]',
            "number 1 has no instance",
            ("worker_groups", 0),
        ),
        (f'{CONTROLLER}, {WORKERS}, "fsx_dns_name": "fs-1"', "without fsx_mountname", ("fsx_dns_name",)),
        (
            f'{CONTROLLER}, {WORKERS}, "fsx_dns_name": "", "fsx_mountname": "m"',
            "without fsx_dns_name",
            ("fsx_mountname",),
        ),
    ],
)
def test_what_is_missing_is_found(text: str, words: str, path: tuple[str | int, ...]):
    (problem,) = problems(RULE, f"{{{text}}}")
    assert words in problem.message
    assert problem.path == path


@pytest.mark.parametrize(
    "more", ["", ', "fsx_dns_name": "", "fsx_mountname": ""', ', "fsx_dns_name": "fs-1", "fsx_mountname": "m"']
)
def test_whole_parameters_are_fine(more: str):
    assert problems(RULE, f"{{{CONTROLLER}, {WORKERS}{more}}}") == []


def test_another_workload_manager_is_not_judged():
    assert problems(RULE, f'{{"workload_manager": "eks", {WORKERS}}}') == []
