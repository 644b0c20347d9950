"""Which images a cluster can have, and the configuration that builds them."""

from __future__ import annotations

import pytest

from tests.specs import spec_of
from trainyard.bootstrap.steps import STEPS
from trainyard.bundle.image import assemble_images
from trainyard.errors import TrainyardError
from trainyard.platforms.parallelcluster.rendering.image import image_config, node_images
from trainyard.render.node_image import NO_PARENT, NodeImage, image_id, install_settings
from trainyard.render.stand_ins import Ids

SOFTWARE = "software: {setup: gpu, containers: true, efa_version: 1.48.0}\nmonitoring: {mode: amp-only}\n"
QUEUES = (
    "queues: [{name: a, instance_type: p5.48xlarge}, {name: b, instance_type: g5.12xlarge}, "
    "{name: c, instance_type: m5.large, setup: cpu}]\n"
)
LOGIN = "login_nodes: {count: 1}\n"
SPEC = spec_of(SOFTWARE + QUEUES + LOGIN)


def images(*parts: str) -> dict[str, NodeImage]:
    return {image.name: image for image in node_images(spec_of("".join(parts)))}


def names(image: NodeImage) -> list[str]:
    return [step.name for step in image.steps]


def test_nodes_with_gpus_share_one_image_and_all_others_another():
    found = images(SOFTWARE, QUEUES, LOGIN)
    assert {name: image.nodes for name, image in found.items()} == {
        "cpu-x86_64": ("head", "login", "queue/c"),
        "gpu-x86_64": ("queue/a", "queue/b"),
    }


def test_an_image_holds_what_can_be_baked_and_any_of_its_nodes_installs():
    found = images(SOFTWARE, QUEUES)
    assert names(found["gpu-x86_64"]) == [
        *("packages", "efa", "docker", "nvidia-toolkit", "node-exporter", "dcgm-exporter")
    ]
    assert names(found["cpu-x86_64"]) == ["packages", "docker", "node-exporter"]


def test_nodes_of_a_type_without_facts_have_the_architecture_of_its_name_or_of_the_others():
    head = "head_node: {instance_type: m8g.large}\n"
    queue = "queues: [{{name: q, instance_type: {}, setup: cpu}}]\nsoftware: {{containers: true}}\n"
    for instance_type in ("c8gn.48xlarge", "trn3.48xlarge"):
        assert {image.architecture for image in images(head, queue.format(instance_type)).values()} == {"arm64"}
    assert {image.architecture for image in images(queue.format("trn3.48xlarge")).values()} == {"x86_64"}
    monitored = "monitoring: {mode: amp-only}\n"
    of_two = images("head_node: {instance_type: t3.micro}\n", monitored, queue.format("c8gn.48xlarge"))
    assert of_two["cpu-x86_64"].nodes == ("head",)


def test_what_has_to_happen_at_boot_is_in_no_image():
    at_boot = {step.name for step in STEPS if not step.baked}
    assert {
        "enroot-pyxis",
        "fabric",
        "shared-layout",
        "cloudwatch",
        "node-package",
        "nccl",
        "job-gate",
        "images",
    } <= at_boot
    assert not at_boot & {name for image in images(SOFTWARE, QUEUES).values() for name in names(image)}


def test_the_steps_get_the_settings_of_a_queue():
    assert images(SOFTWARE, QUEUES, LOGIN)["cpu-x86_64"].example == "queue/c"
    assert (
        images("software: {setup: gpu}\n", "queues: [{name: a, instance_type: p5.48xlarge}]\n")["cpu-x86_64"].example
        == "head"
    )


def test_trainium_has_an_image_of_its_own():
    found = images("software: {setup: neuron}\nqueues: [{name: t, instance_type: trn1.32xlarge}]\n")
    assert names(found["neuron-x86_64"]) == ["packages", "efa", "neuron"]


@pytest.mark.parametrize("part", ["", "platform: eks\nsoftware: {setup: gpu}\n"])
def test_a_cluster_that_installs_nothing_has_no_image(part):
    with pytest.raises(TrainyardError, match="nothing to bake"):
        assemble_images(spec_of(part))


def test_an_image_is_built_where_the_nodes_stand_with_what_they_may_read():
    ids = Ids({"NodeAssetsPolicyArn": "arn:aws:iam::123456789012:policy/read", "AssetsBucket": "mine"})
    image = images(SOFTWARE, QUEUES)["gpu-x86_64"]
    config = image_config(SPEC, image, ids, "ami-0123456789abcdef0")
    build = config["Build"]
    assert config["Region"] == SPEC.region
    assert build["ParentImage"] == "ami-0123456789abcdef0"
    assert build["Iam"] == {"AdditionalIamPolicies": [{"Policy": "arn:aws:iam::123456789012:policy/read"}]}
    assert build["Components"] == [
        {"Type": "script", "Value": f"s3://mine/trainyard/{SPEC.name}/image/gpu-x86_64/install.sh"}
    ]
    # A subnet without security groups is refused: SecurityGroupsAndSubnetValidator of pcluster.
    assert build["SubnetId"].startswith("subnet-")
    assert [group.partition("-")[0] for group in build["SecurityGroupIds"]] == ["sg"]
    assert [stand_in.output for stand_in in ids.in_order()] == ["ComputeNodeSecurityGroup", "PrimaryPrivateSubnet"]


def test_where_nobody_names_security_groups_image_builder_chooses_the_place():
    network = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}\n"
    image = images(SOFTWARE, QUEUES, network)["gpu-x86_64"]
    build = image_config(spec_of(SOFTWARE + QUEUES + network), image, Ids({}), "ami-0123456789abcdef0")["Build"]
    assert not {"SubnetId", "SecurityGroupIds"} & build.keys()


@pytest.mark.parametrize(
    ("name", "builder", "nvidia"), [("gpu-x86_64", "g5.2xlarge", True), ("cpu-x86_64", "m5.2xlarge", False)]
)
def test_nvidia_software_is_only_for_machines_with_a_gpu(name, builder, nvidia):
    build = image_config(SPEC, images(SOFTWARE, QUEUES)[name], Ids({}), NO_PARENT)["Build"]
    assert build["InstanceType"] == builder
    assert build["Installation"]["NvidiaSoftware"] == {"Enabled": nvidia}


def test_a_boundary_on_roles_holds_for_the_role_of_the_build_too():
    boundary = "arn:aws:iam::123456789012:policy/boundary"
    spec = spec_of(SOFTWARE + QUEUES + f"iam: {{permissions_boundary: '{boundary}'}}\n")
    build = image_config(spec, node_images(spec)[0], Ids({}), NO_PARENT)["Build"]
    assert build["Iam"]["PermissionsBoundary"] == boundary


def test_an_architecture_without_a_known_builder_is_said():
    image = images(SOFTWARE, QUEUES)["gpu-x86_64"]._replace(has="neuron", architecture="arm64")
    with pytest.raises(TrainyardError, match="neuron nodes on arm64"):
        image_config(SPEC, image, Ids({}), NO_PARENT)


def test_the_script_gets_the_release_and_the_steps():
    image = images(SOFTWARE, QUEUES)["cpu-x86_64"]
    settings = install_settings(SPEC, image, Ids({"AssetsBucket": "mine"}), sha256="0" * 64, file="r.tar")
    assert settings["folder"] == f"s3://mine/trainyard/{SPEC.name}"
    assert (settings["sha256"], settings["file"], settings["node"]) == ("0" * 64, "r.tar", "queue/c")
    assert settings["steps"][0] == {"script": "steps/10-packages.sh", "timeout_s": 300}


def test_the_name_of_an_image_is_one_that_pcluster_takes():
    assert image_id(SPEC, images(SOFTWARE, QUEUES)["gpu-x86_64"]) == f"{SPEC.name}-gpu-x86-64"
