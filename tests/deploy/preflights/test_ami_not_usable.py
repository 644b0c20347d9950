from typing import Any

from tests.deploy.preflights.good import IMAGE, OWN_NETWORK, changed, found, image, problems
from tests.deploy.preflights.recorded import listing

PREFLIGHT = "ami-not-usable"
NONE: dict[str, Any] = {"ec2.DescribeImages": {"Images": []}}


def images(**of: Any) -> dict[str, Any]:
    return {"ec2.DescribeImages": listing("Images", [image(**of)], image_id="ImageId")}


def test_an_image_that_is_not_there_is_found_once_for_all_nodes_that_boot_it():
    (problem,) = problems(PREFLIGHT, answers=NONE)
    assert problem.path == ("image", "ami")
    assert problem.message == f"account 123456789012 sees no image {IMAGE} in us-east-2"


def test_the_image_of_one_queue_is_found_at_the_queue():
    spec = changed("    nodes: 4\n", "    nodes: 4\n    ami: ami-0123456789abcdef9\n")
    assert found(PREFLIGHT, spec) == ["queues[0].ami"]


def test_an_image_that_is_not_ready_is_found():
    assert found(PREFLIGHT, answers=images(State="pending")) == ["image.ami"]


def test_an_operating_system_without_an_official_image_is_found():
    (problem,) = problems(PREFLIGHT, OWN_NETWORK, NONE)
    assert problem.path == ("image", "os")
    assert problem.message == ("ParallelCluster 3.16.1 has no official image for ubuntu2204 on x86_64 in us-east-2")


def test_an_official_image_is_asked_for_by_its_name():
    asked: list[str] = []

    def answer(question: Any) -> dict[str, Any]:
        asked.extend(filter_["Values"][0] for filter_ in question["Filters"] if filter_["Name"] == "name")
        return {"Images": [image()]}

    assert found(PREFLIGHT, OWN_NETWORK, {"ec2.DescribeImages": answer}) == []
    assert asked == ["aws-parallelcluster-3.16.1-ubuntu-2204-lts-hvm-x86_64*"]
