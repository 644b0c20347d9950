from typing import Any

from tests.deploy.preflights.good import changed, found, image, problems
from tests.deploy.preflights.recorded import listing

PREFLIGHT = "ami-of-another-os"
UNTAGGED: dict[str, Any] = {"Tags": []}


def images(**of: Any) -> dict[str, Any]:
    return {"ec2.DescribeImages": listing("Images", [image(**of)], image_id="ImageId")}


def test_an_image_that_says_it_has_another_system_is_found_once():
    (problem,) = problems(PREFLIGHT, changed("os: ubuntu2204", "os: alinux2023"))
    assert problem.path == ("image", "ami")
    assert problem.message == "image ami-0123456789abcdef0 has ubuntu2204, and image.os says alinux2023"


def test_of_an_official_image_the_name_says_it():
    name = "aws-parallelcluster-3.16.1-rhel9-hvm-x86_64-202611010000"
    assert found(PREFLIGHT, answers=images(Name=name, **UNTAGGED)) == ["image.ami"]
    right = "aws-parallelcluster-3.16.1-ubuntu-2204-lts-hvm-x86_64-202611010000"
    assert found(PREFLIGHT, answers=images(Name=right, **UNTAGGED)) == []


def test_nothing_is_said_of_images_that_do_not_say():
    assert found(PREFLIGHT, answers=images(**UNTAGGED)) == []
