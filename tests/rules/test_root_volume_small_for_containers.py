import pytest

from tests.rules.found import paths, problems

RULE = "root-volume-small-for-containers"


def part(size_gib: int, *, containers: bool = True) -> str:
    queue = f"{{name: q, instance_type: m5.large, root_volume: {{size_gib: {size_gib}}}}}"
    return f"queues: [{queue}]\nsoftware: {{containers: {str(containers).lower()}}}"


@pytest.mark.parametrize("size_gib", [45, 199])
def test_a_small_volume_is_found_where_there_are_containers(size_gib: int):
    assert paths(RULE, part(size_gib)) == ["queues[0].root_volume.size_gib"]


def test_what_is_recommended_is_enough():
    assert paths(RULE, part(200)) == []


def test_without_containers_images_need_no_room():
    assert paths(RULE, part(45, containers=False)) == []


def test_the_default_is_large_enough():
    assert paths(RULE, "software: {containers: true}") == []


@pytest.mark.parametrize(
    ("size_gib", "more", "found"),
    [(29, "", "error"), (30, "", None), (8, ", ami: ami-0123456789abcdef0", None)],
    ids=["below-the-image", "as-the-image", "an-image-of-its-own"],
)
def test_on_batch_a_volume_has_to_hold_the_image(size_gib: int, more: str, found: str | None):
    volume = f"root_volume: {{size_gib: {size_gib}}}{more}"
    (problem,) = problems(
        RULE,
        f"platform: batch\nqueues: [{{name: q, instance_type: p4d.24xlarge, nodes: {{min: 0, max: 2}}, {volume}}}]",
    )
    assert (problem.severity, problem.path) == (found, ("queues", 0, "root_volume", "size_gib"))


def test_on_batch_what_is_recommended_is_enough():
    queue = "{name: q, instance_type: p4d.24xlarge, nodes: {min: 0, max: 2}, root_volume: {size_gib: 200}}"
    assert paths(RULE, f"platform: batch\nqueues: [{queue}]") == []
