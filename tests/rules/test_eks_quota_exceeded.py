from tests.rules.found import paths, problems
from trainyard.catalog.eks_limits import eks_limits

RULE = "eks-quota-exceeded"


def queues(count: int) -> str:
    listed = ", ".join(f"{{name: q{number}, instance_type: g5.xlarge}}" for number in range(count))
    return f"platform: eks\nqueues: [{listed}]"


def ranges(count: int) -> str:
    return f"platform: eks\naccess: {{allow_from: [{', '.join(f'10.0.{number}.0/24' for number in range(count))}]}}"


def test_the_system_nodes_count_as_a_node_group():
    most = eks_limits().managed_node_groups - 1
    assert paths(RULE, queues(most)) == []
    assert paths(RULE, queues(most + 1)) == [f"queues[{most}]"]


def test_a_large_node_group_is_a_warning_with_what_may_be_asked_for():
    most = eks_limits().nodes_of_managed_node_group
    (problem,) = problems(RULE, f"platform: eks\nqueues: [{{name: q, instance_type: g5.xlarge, nodes: {most + 1}}}]")
    assert problem.path == ("queues", 0, "nodes")
    assert "raise the quota" in (problem.remedy or "")
    assert paths(RULE, f"platform: eks\nqueues: [{{name: q, instance_type: g5.xlarge, nodes: {most}}}]") == []


def test_ranges_beyond_what_nobody_can_raise_are_an_error():
    most = eks_limits().public_ranges
    (problem,) = problems(RULE, ranges(most + 1))
    assert (problem.path, problem.severity) == (("access", "allow_from", most), "error")
    assert paths(RULE, ranges(most)) == []
    assert paths(RULE, f"{ranges(most + 1)}\neks: {{endpoint: private}}") == []
