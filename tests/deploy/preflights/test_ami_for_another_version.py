from typing import Any

from tests.deploy.preflights.good import found, image, problems
from tests.deploy.preflights.recorded import listing

PREFLIGHT = "ami-for-another-version"


def images(**of: Any) -> dict[str, Any]:
    return {"ec2.DescribeImages": listing("Images", [image(**of)], image_id="ImageId")}


def test_an_image_that_another_version_built_is_found_once():
    (problem,) = problems(PREFLIGHT, answers=images(Tags=[{"Key": "parallelcluster:version", "Value": "3.14.2"}]))
    assert problem.path == ("image", "ami")
    assert problem.message == (
        "image ami-0123456789abcdef0 was built for ParallelCluster 3.14.2, and 3.16.1 makes the cluster"
    )


def test_of_an_official_image_the_name_says_it():
    name = "aws-parallelcluster-3.15.1-ubuntu-2204-lts-hvm-x86_64-202611010000"
    assert found(PREFLIGHT, answers=images(Tags=[], Name=name)) == ["image.ami"]


def test_an_image_that_does_not_say_is_a_warning():
    assert found(PREFLIGHT, answers=images(Tags=[])) == ["image.ami (warning)"]
