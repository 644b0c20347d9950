"""Every image that a bundle of EKS names is pinned, and is one of the catalog's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.platforms.eks.rendering.manifests.clusters import ALL, SPECS, bench_jobs, cluster, made
from tests.platforms.eks.rendering.manifests.strictly import containers
from trainyard.catalog import catalog_file
from trainyard.catalog.kubernetes_addons import image, image_names
from trainyard.platforms.eks.rendering.manifests import FOLDER, documents, native
from trainyard.render.bench.plan import container_image

PINNED = re.compile(r"[a-z0-9.-]+\.[a-z]+(/[a-z0-9._-]+)+:(?P<tag>[A-Za-z0-9._-]+)(@sha256:[0-9a-f]{64})?")
# Tags that move: they name no version, or only a part of one.
MOVING = re.compile(r"latest|stable|main|master|edge|v?\d+(\.\d+)?")


def images(name: str) -> set[str]:
    files = {**made(SPECS[name]), **bench_jobs(SPECS[name])}
    return {one["image"] for listed in files.values() for document in listed for one in containers(document)}


@pytest.mark.parametrize("name", SPECS)
def test_every_image_has_a_registry_and_a_tag_that_stays(name: str):
    assert images(name)
    for found in images(name):
        matched = PINNED.fullmatch(found)
        assert matched is not None, found
        assert not MOVING.fullmatch(matched["tag"]), found


def test_every_image_is_the_catalog_s_of_the_region_and_each_of_those_is_used():
    of_catalog = {image(name, ALL.region) for name in image_names()}
    assert images("all") == of_catalog | {container_image(ALL).replace("#", "/")}


@pytest.mark.parametrize("file", sorted(one.name for one in FOLDER.glob("*.yaml")))
def test_the_files_of_the_package_name_what_the_catalog_has(file: str):
    of_catalog = {image(name, "us-west-2") for name in image_names()}
    found = {container["image"] for document in documents(native(file)) for container in containers(document)}
    assert found <= of_catalog


def test_eks_s_own_registry_is_that_of_the_region():
    spec = cluster()
    (found,) = [one["image"] for document in made(spec)["efa-device-plugin.yaml"] for one in containers(document)]
    assert found.startswith("602401143452.dkr.ecr.us-east-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.")


def has_power(container: dict[str, Any]) -> bool:
    context = container.get("securityContext") or {}
    added = (context.get("capabilities") or {}).get("add") or []
    return bool(context.get("privileged")) or bool(set(added) - {"IPC_LOCK"})


def test_what_has_power_over_nodes_has_a_digest_or_is_named_as_having_none():
    powerful = {
        container["image"]
        for spec in SPECS.values()
        for listed in made(spec).values()
        for document in listed
        for container in containers(document)
        if has_power(container)
    }
    images = catalog_file.content(catalog_file.FOLDER / "kubernetes_addons.yaml")["images"]
    named = {name for name, of_source in images.items() for facts in of_source.values() if facts.get("no_digest")}
    assert {found for found in powerful if "@sha256:" not in found} == {image(name, ALL.region) for name in named}
    page = (Path(__file__).parents[5] / "docs" / "eks.md").read_text(encoding="utf-8")
    (line,) = [line for line in page.splitlines() if line.startswith("Of those that run privileged")]
    assert named == set(re.findall(r"`([a-z-]+)`", line))
