from tests.rules.documents.found import limits, manifest_pod, on_type, paths, problems

RULE = "kubernetes-efa-fewer-than-type"
P5 = on_type("p5.48xlarge")


def test_a_part_of_the_interfaces_beside_all_gpus_is_found():
    (problem,) = problems(RULE, manifest_pod(limits(gpu=8, efa=4), P5))
    assert "4 of vpc.amazonaws.com/efa, and p5.48xlarge has 32" in problem.message


def test_all_of_them_a_part_of_the_gpus_and_types_that_are_not_named_are_fine():
    for container, pod in (
        (limits(gpu=8, efa=32), P5),
        (limits(gpu=4, efa=16), P5),
        (limits(gpu=8, efa="$EFA"), P5),
        (limits(gpu=8, efa=4), ""),
        (limits(gpu=8, efa=4), on_type("p4d.24xlarge", "p5.48xlarge")),
        (limits(gpu=8), P5),
    ):
        assert paths(RULE, manifest_pod(container, pod)) == []


def test_the_cards_that_aws_recommends_are_enough():
    assert paths(RULE, manifest_pod(limits(gpu=4, efa=4), on_type("p6e-gb200.36xlarge"))) == []
