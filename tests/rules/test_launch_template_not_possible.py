import itertools

import pytest

from tests.each_case import each_case
from tests.rules.found import paths, problems
from tests.specs import spec_of
from trainyard.platforms.eks.rendering.node_role import own_templates

RULE = "launch-template-not-possible"
AMI = "ami: ami-0123456789abcdef0"
STANDARD = "root_volume: {type: standard}"
RESERVED = "capacity: {reservation: cr-0123456789abcdef0}"


def queue(instance_type: str, *more: str, platform: str = "eks") -> str:
    return f"platform: {platform}\nqueues: [{{{', '.join(['name: q', f'instance_type: {instance_type}', *more])}}}]"


@pytest.mark.parametrize(
    ("instance_type", "why"),
    [("p6-b300.48xlarge", "interfaces are wrong"), ("g5.8xlarge, " + STANDARD, "no volumes of type standard")],
)
def test_an_image_beside_such_a_template_is_found(instance_type: str, why: str):
    (problem,) = problems(RULE, queue(instance_type, AMI))
    assert problem.path == ("queues", 0, "ami")
    assert why in problem.message
    assert "ami-0123456789abcdef0" in problem.message


def test_an_image_of_all_nodes_is_found_where_it_stands():
    assert paths(RULE, queue("p6-b300.48xlarge") + f"\nimage: {{{AMI}}}") == ["image.ami"]


def test_a_type_of_which_nobody_knows_the_cards_is_found():
    (problem,) = problems(RULE, queue("c99.8xlarge", "placement_group: true"))
    assert problem.path == ("queues", 0)
    assert "placement_group: true is not what eksctl does" in problem.message


@pytest.mark.parametrize(
    "part",
    [
        queue("p6-b300.48xlarge"),
        queue("p5.48xlarge", AMI),
        queue("c7i.8xlarge"),
        queue("p6-b300.48xlarge", AMI, platform="parallelcluster"),
    ],
)
def test_what_can_be_made_is_fine(part: str):
    assert paths(RULE, part) == []


CHOICES = (
    ("g5.8xlarge", "g5.xlarge", "p5.48xlarge", "p6-b300.48xlarge", "c7i.8xlarge"),
    ("", "efa: false"),
    ("", "placement_group: true", "placement_group: false"),
    ("", STANDARD),
    ("", RESERVED),
)


@each_case("chosen", list(itertools.product(*CHOICES)), ids=" ".join)
def test_the_rule_sees_a_template_where_one_is_rendered(chosen: tuple[str, ...]):
    part = queue(*(one for one in chosen if one), AMI)
    rendered = bool(own_templates(spec_of(part)))
    assert ("queues[0].ami" in paths(RULE, part)) == rendered
