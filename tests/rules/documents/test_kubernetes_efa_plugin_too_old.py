import pytest

from tests.rules.documents.found import problems

RULE = "kubernetes-efa-plugin-too-old"


def judged(image: str, instance_type: str = "") -> list[str | None]:
    selector = f"nodeSelector: {{node.kubernetes.io/instance-type: {instance_type}}}, " if instance_type else ""
    spec = f"{{{selector}containers: [{{name: efa, image: '{image}'}}]}}"
    text = f"apiVersion: apps/v1\nkind: DaemonSet\nspec: {{template: {{spec: {spec}}}}}\n"
    return [problem.severity for problem in problems(RULE, text)]


@pytest.mark.parametrize(
    "image",
    [
        "r/eks/aws-efa-k8s-device-plugin:v0.5.9",
        "aws-efa-k8s-device-plugin:0.3",
        "public.ecr.aws/eks/aws-efa-k8s-device-plugin:v0.4.4-eksbuild.1",
    ],
)
def test_an_old_plugin_on_p6_b200_is_an_error(image: str):
    assert judged(image, "ml.p6-b200.48xlarge") == ["error"]


def test_where_no_type_is_named_it_is_mentioned():
    assert judged("r/aws-efa-k8s-device-plugin:v0.5.3") == ["info"]


@pytest.mark.parametrize(
    ("image", "instance_type"),
    [
        ("r/aws-efa-k8s-device-plugin:v0.5.10", "p6-b200.48xlarge"),
        ("r/aws-efa-k8s-device-plugin:v0.5.3", "p5.48xlarge"),
        ("r/aws-efa-k8s-device-plugin:$TAG", "p6-b200.48xlarge"),
        ("r/aws-efa-k8s-device-plugin", "p6-b200.48xlarge"),
        ("nvcr.io/nvidia/k8s-device-plugin:v0.1.0", "p6-b200.48xlarge"),
    ],
)
def test_other_versions_types_and_plugins_are_fine(image: str, instance_type: str):
    assert judged(image, instance_type) == []
