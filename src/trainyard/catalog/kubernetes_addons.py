"""Finds the images of what runs in a cluster of EKS besides the jobs, each pinned to a version."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from trainyard.catalog import catalog_file
from trainyard.catalog.partition import partition_of
from trainyard.catalog.source import merge_facts

_PATH = catalog_file.FOLDER / "kubernetes_addons.yaml"
_WHERE = "catalog/kubernetes_addons.yaml"
# Where EKS's registry of a region is not known, nodes pull across regions: what AWS's charts have by default.
# https://github.com/aws/eks-charts/blob/master/stable/aws-efa-k8s-device-plugin/values.yaml
_ELSEWHERE = "us-west-2"


def image(name: str, region: str) -> str:
    """Return an image as containerd pulls it in a region: with its tag, and its digest where that is known."""
    facts = _images()[name]
    repository = facts.get("repository") or f"{_registry(region)}/{facts['eks_repository']}"
    digest = f"@{facts['digest']}" if "digest" in facts else ""
    return f"{repository}:{facts['tag']}{digest}"


def version_of(name: str) -> str:
    """Return the version of an image, without what its publisher adds to it: 0.5.21 of v0.5.21-eksbuild.13."""
    return _images()[name]["tag"].removeprefix("v").partition("-")[0]


def image_names() -> tuple[str, ...]:
    """Return the names of all images."""
    return tuple(_images())


def _registry(region: str) -> str:
    accounts = merge_facts(_content()["registries"], f"{_WHERE} (registries)")
    place = region if region in accounts else _ELSEWHERE
    suffix = "amazonaws.com.cn" if partition_of(place) == "aws-cn" else "amazonaws.com"
    return f"{accounts[place]}.dkr.ecr.{place}.{suffix}"


@cache
def _images() -> Mapping[str, Mapping[str, str]]:
    return {name: merge_facts(facts, f"{_WHERE} ({name})") for name, facts in _content()["images"].items()}


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = catalog_file.content(_PATH)
    return content
