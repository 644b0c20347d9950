import pytest

from tests.rules.documents.found import managed, paths, problems

RULE = "eksctl-ami-without-bootstrap"
AMI = "ami: ami-0123456789abcdef0"


def test_an_image_without_its_family_is_found():
    (problem,) = problems(RULE, managed(AMI))
    assert problem.path == ("managedNodeGroups", 0, "ami")
    assert "amiFamily" in problem.message


def test_a_family_that_needs_a_command_is_found_without_one():
    (problem,) = problems(RULE, managed(f"{AMI}, amiFamily: Ubuntu2204"))
    assert "without an overrideBootstrapCommand" in problem.message


@pytest.mark.parametrize(
    "keys",
    [
        f"{AMI}, amiFamily: AmazonLinux2023",
        f"{AMI}, amiFamily: Bottlerocket",
        f"{AMI}, amiFamily: Ubuntu2204, overrideBootstrapCommand: /etc/eks/bootstrap.sh",
        "ami: auto-ssm",
        "amiFamily: Ubuntu2204",
    ],
)
def test_images_that_join_and_those_of_eksctl_are_fine(keys: str):
    assert paths(RULE, managed(keys)) == []
