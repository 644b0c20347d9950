import pytest

from tests.rules.found import paths, problems

RULE = "limits-exceeded"


def queues(count: int) -> str:
    return f"queues: [{', '.join(f'{{name: q{n}, instance_type: m5.large}}' for n in range(count))}]"


def resources(count: int, name: str = "q") -> str:
    listed = ", ".join(f"{{name: c{n}, instance_type: m5.large}}" for n in range(count))
    return f"{{name: {name}, compute_resources: [{listed}]}}"


def file_systems(*kinds: str) -> str:
    return f"file_systems: [{', '.join(f'{{mount: /m{n}, {kind}}}' for n, kind in enumerate(kinds))}]"


def test_fifty_queues_are_fine_and_one_more_is_found():
    assert paths(RULE, queues(50)) == []
    assert paths(RULE, queues(51)) == ["queues[50]"]


def test_compute_resources_are_counted_in_a_queue_and_in_all():
    assert paths(RULE, f"queues: [{resources(50)}]") == []
    assert paths(RULE, f"queues: [{resources(51)}]") == ["queues[0].compute_resources[50]"]
    assert paths(RULE, f"queues: [{resources(40)}, {resources(11, 'r')}]") == ["queues[1].compute_resources[10]"]


def test_ten_pools_of_login_nodes_are_fine_and_one_more_is_found():
    pools = [f"{{name: p{n}}}" for n in range(11)]
    assert paths(RULE, f"login_nodes: [{', '.join(pools[:10])}]") == []
    assert paths(RULE, f"login_nodes: [{', '.join(pools)}]") == ["login_nodes[10]"]


@pytest.mark.parametrize(
    ("kind", "most"),
    [
        ("ebs: {size_gib: 200}", 5),
        ("efs: {}", 1),
        ("efs: {id: fs-0123456789abcdef0}", 20),
        ("lustre: {id: fs-0123456789abcdef0}", 20),
    ],
)
def test_file_systems_are_counted_by_kind(kind: str, most: int):
    assert paths(RULE, file_systems(*[kind] * most)) == []
    place = kind.split(":", maxsplit=1)[0]
    assert paths(RULE, file_systems(*[kind] * (most + 1))) == [f"file_systems[{most}].{place}"]


def test_lustre_and_openzfs_are_counted_together_because_both_are_given_by_id():
    part = file_systems(*["lustre: {id: fs-0123456789abcdef0}"] * 15, *["openzfs: {size_gib: 64}"] * 6)
    assert paths(RULE, part) == ["file_systems[20].openzfs"]


def test_the_message_names_what_is_too_much_and_the_limit():
    (problem,) = problems(RULE, file_systems("efs: {}", "efs: {}"))
    assert problem.message == ("/m1 is number 2 of the EFS file systems to be made, and ParallelCluster 3.16.1 takes 1")


def test_tags_are_counted_with_the_one_that_trainyard_adds():
    tags = [f"t{n}: a" for n in range(40)]
    assert paths(RULE, f"tags: {{{', '.join(tags[:39])}}}") == []
    assert paths(RULE, f"tags: {{{', '.join(tags)}}}") == ["tags.t39"]


def test_nothing_is_claimed_of_unknown_versions_and_other_platforms():
    assert paths(RULE, queues(51) + "\nparallelcluster: {version: 9.9.9}") == []
    assert paths(RULE, queues(51) + "\nplatform: eks") == []


@pytest.mark.parametrize("nodes", ["{}", "{{min: 0, max: {}}}"])
def test_slurm_names_65536_nodes_of_a_kind_and_no_more(nodes: str):
    queue = "queues: [{{name: q, instance_type: m5.large, nodes: {}}}]"
    assert paths(RULE, queue.format(nodes.format(65_536))) == []
    assert paths(RULE, queue.format(nodes.format(65_537))) == ["queues[0].nodes"]


def test_the_message_about_nodes_names_their_number():
    (problem,) = problems(RULE, f"queues: [{{name: q, instance_type: m5.large, nodes: {10**26}}}]")
    assert problem.message == (
        "queue 'q' may have 100,000,000,000,000,000,000,000,000 m5.large, and Slurm takes 65,536"
    )
