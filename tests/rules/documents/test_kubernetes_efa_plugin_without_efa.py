from tests.rules.documents.found import on_type, paths

RULE = "kubernetes-efa-plugin-without-efa"
IMAGE = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.13"


def daemon(pod: str, image: str = IMAGE) -> str:
    spec = f"{{containers: [{{name: efa, image: '{image}'}}], {pod}}}"
    return f"apiVersion: apps/v1\nkind: DaemonSet\nspec: {{template: {{spec: {spec}}}}}\n"


def test_a_plugin_on_every_node_is_found():
    assert paths(RULE, daemon("")) == ["spec.template.spec"]


def test_each_type_without_efa_is_found():
    (path,) = paths(RULE, daemon(on_type("p5.48xlarge", "g5.xlarge", "x99.large")))
    assert path.endswith("values[1]")


def test_a_choice_of_nodes_and_other_plugins_are_fine():
    assert paths(RULE, daemon("nodeSelector: {efa: 'true'}")) == []
    assert paths(RULE, daemon(on_type("p5.48xlarge"))) == []
    assert paths(RULE, daemon("", "nvcr.io/nvidia/k8s-device-plugin:v0.18.0")) == []
