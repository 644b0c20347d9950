import pytest

from tests.rules.documents.found import limits, paths

RULE = "kubernetes-image-moves"


def pod(image: str, more: str) -> str:
    return f"spec: {{containers: [{{image: '{image}', {more}}}]}}\n"


@pytest.mark.parametrize("image", ["nvcr.io/nvidia/pytorch", "r/a:latest", "localhost:5000/a"])
def test_an_image_without_a_lasting_tag_is_found(image: str):
    assert paths(RULE, pod(image, limits(gpu=1))) == ["spec.containers[0].image"]


@pytest.mark.parametrize("image", ["r/a:1.0", "r/a@sha256:0", "r/a:$TAG", "${REGISTRY}/a", "{{ image }}", "<image>"])
def test_a_tag_a_digest_and_a_placeholder_are_fine(image: str):
    assert paths(RULE, pod(image, limits(gpu=1))) == []


def test_devices_of_any_kind_count():
    assert paths(RULE, pod("busybox", "resources: {limits: {aws.amazon.com/neuroncore: 2}}")) == [
        "spec.containers[0].image"
    ]


def test_containers_without_devices_are_not_looked_at():
    assert paths(RULE, pod("busybox", "")) == []
