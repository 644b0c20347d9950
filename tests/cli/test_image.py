"""``trainyard image``."""

from __future__ import annotations

import json

import pytest

from trainyard.rules import example_spec

SPEC = example_spec("software: {setup: gpu, containers: true}\nqueues: [{name: q, instance_type: p5.48xlarge}]\n")


def test_the_files_are_written_and_named(trainyard, tmp_path):
    (tmp_path / "cluster.yaml").write_text(SPEC)
    ran = trainyard("image", "cluster.yaml", "-o", "images")
    assert ran.status == 0
    assert "images/gpu-x86_64/build-image.yaml" in ran.out.splitlines()
    assert all((tmp_path / line).is_file() for line in ran.out.splitlines())
    assert "run `trainyard assets lock` first" in ran.err


def test_programs_read_which_image_is_for_which_nodes(trainyard, tmp_path):
    (tmp_path / "cluster.yaml").write_text(SPEC)
    printed = json.loads(trainyard("image", "cluster.yaml", "--json").out)
    assert printed["schema"] == 1
    assert printed["locked"] is False
    gpu = next(image for image in printed["images"] if image["image"] == "gpu-x86_64")
    assert (gpu["has"], gpu["architecture"], gpu["nodes"]) == ("gpu", "x86_64", ["queue/q"])
    assert "docker" in gpu["steps"]
    assert len(printed["release"]) == 64
    assert [one["output"] for one in printed["stand_ins"]] == [
        *("ComputeNodeSecurityGroup", "PrimaryPrivateSubnet", "AssetsBucket", "NodeAssetsPolicyArn")
    ]


def test_a_parent_image_and_ids_are_filled_in(trainyard, tmp_path):
    (tmp_path / "cluster.yaml").write_text(SPEC)
    given = ("--parent-image", "ami-0123456789abcdef0", "--stack-output", "AssetsBucket=mine")
    assert trainyard("image", "cluster.yaml", "-o", "images", *given).status == 0
    config = (tmp_path / "images/gpu-x86_64/build-image.yaml").read_text()
    assert "ParentImage: ami-0123456789abcdef0" in config
    assert "s3://mine/" in config


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--parent-image", "ubuntu"), "'ubuntu' is neither the id of an image"),
        (("--stack-output", "AssetsBucket"), "'AssetsBucket' is not of the form NAME=VALUE"),
        (("--stack-output", "Other=1"), "the images use no stack output 'Other'"),
    ],
)
def test_a_wrong_option_is_refused(trainyard, tmp_path, arguments, words):
    (tmp_path / "cluster.yaml").write_text(SPEC)
    ran = trainyard("image", "cluster.yaml", *arguments)
    assert ran.status == 2
    assert words in ran.err
    assert not (tmp_path / "build").exists()


def test_a_spec_that_installs_nothing_has_nothing_to_bake(trainyard, tmp_path):
    (tmp_path / "cluster.yaml").write_text(example_spec(""))
    ran = trainyard("image", "cluster.yaml")
    assert ran.status == 1
    assert "there is nothing to bake" in ran.err


def test_a_spec_with_errors_gives_no_files(trainyard, tmp_path):
    (tmp_path / "cluster.yaml").write_text(
        example_spec("queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 8, max: 4}}]")
    )
    ran = trainyard("image", "cluster.yaml")
    assert ran.status == 1
    assert "nothing was written" in ran.err
    assert not (tmp_path / "build").exists()
