import pytest

from tests.rules.documents.found import multi_node, paths, problems, template

RULE = "cloudformation-container-image-not-pinned"


@pytest.mark.parametrize(
    "image", ["public.ecr.aws/hpc-cloud/nccl-tests:latest", "registry.example.com:5000/train", "ubuntu"]
)
def test_latest_and_no_tag_are_remarked(image: str):
    (problem,) = problems(RULE, template(multi_node(f"{{Image: '{image}'}}")))
    assert problem.path[-1] == "Image"
    assert image in problem.message


@pytest.mark.parametrize("image", ["'a/b:1.0'", "'a/b@sha256:0123'", "!Sub '${Registry}:latest'", "!Ref Image", "''"])
def test_pinned_images_and_those_of_functions_are_fine(image: str):
    assert paths(RULE, template(multi_node(f"{{Image: {image}}}"))) == []


def test_what_stands_before_an_at_sign_is_a_digest_s_name_and_not_judged():
    assert paths(RULE, template(multi_node("{Image: 'registry.example.com/train@sha256:0123'}"))) == []
