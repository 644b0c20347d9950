"""Images of what runs in a cluster of EKS besides the jobs."""

from __future__ import annotations

import re

import pytest

from trainyard.catalog import catalog_file
from trainyard.catalog.assets import asset
from trainyard.catalog.kubernetes_addons import image, image_names

DATA = catalog_file.content(catalog_file.FOLDER / "kubernetes_addons.yaml")
PINNED = re.compile(r"[a-z0-9.-]+\.[a-z]+(/[a-z0-9._-]+)+:[A-Za-z0-9][\w.-]*[0-9][\w.-]*(@sha256:[0-9a-f]{64})?")


@pytest.mark.parametrize("name", image_names())
def test_every_image_names_its_registry_and_a_version(name: str):
    found = image(name, "us-east-2")
    assert PINNED.fullmatch(found), found
    assert "latest" not in found


@pytest.mark.parametrize(
    ("region", "registry"),
    [
        ("us-east-2", "602401143452.dkr.ecr.us-east-2.amazonaws.com"),
        ("eu-south-1", "590381155156.dkr.ecr.eu-south-1.amazonaws.com"),
        ("cn-north-1", "918309763551.dkr.ecr.cn-north-1.amazonaws.com.cn"),
        ("us-gov-west-1", "013241004608.dkr.ecr.us-gov-west-1.amazonaws.com"),
        ("xx-new-1", "602401143452.dkr.ecr.us-west-2.amazonaws.com"),
    ],
)
def test_images_of_eks_come_from_the_registry_of_the_region(region: str, registry: str):
    assert image("efa-device-plugin", region).startswith(f"{registry}/eks/aws-efa-k8s-device-plugin:v0.5.")


def test_the_efa_plugin_is_new_enough_for_p6():
    """Before 0.5.10 it counts NVLink controllers of p6-b200 as EFA.

    https://github.com/aws/sagemaker-hyperpod-cli/issues/282
    """
    match = re.search(r":v(\d+)\.(\d+)\.(\d+)", image("efa-device-plugin", "us-east-2"))
    assert match is not None
    assert tuple(map(int, match.groups())) >= (0, 5, 10)


@pytest.mark.parametrize("name", ["prometheus", "node-exporter", "dcgm-exporter"])
def test_exporters_have_the_version_that_other_platforms_install(name: str):
    known = asset(name)
    assert known is not None
    assert known.version is not None
    # The package of DCGM's exporter is named by the second of the two versions.
    assert known.version.partition("-")[0] in image(name, "us-east-2")
