"""``trainyard image``."""

from __future__ import annotations

import json

import pytest

from tests.examples import example_spec
from trainyard.bundle.asset_lock import AssetLock, lock_text
from trainyard.rehearsal.stand_in_assets import stand_in_lock
from trainyard.spec.parsing import parse

SPEC = example_spec("software: {setup: gpu, containers: true}\nqueues: [{name: q, instance_type: p5.48xlarge}]\n")


def test_the_files_are_written_and_named(trainyard, tmp_path):
    (tmp_path / "cluster.yaml").write_text(SPEC)
    ran = trainyard("image", "cluster.yaml", "-o", "images")
    assert ran.status == 0
    assert "images/gpu-x86_64/build-image.yaml" in ran.out.splitlines()
    assert all((tmp_path / line).is_file() for line in ran.out.splitlines())
    assert "nodes install what is not locked: docker on x86_64" in ran.err
    assert "run `trainyard assets lock` with the spec" in ran.err


def test_programs_read_which_image_is_for_which_nodes(trainyard, tmp_path):
    (tmp_path / "cluster.yaml").write_text(SPEC)
    printed = json.loads(trainyard("image", "cluster.yaml", "--json").out)
    assert printed["schema"] == 1
    assert printed["locked"] is False
    assert "docker on x86_64" in printed["not_locked"]
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
        (("--parent-image", "ami-1"), "'ami-1' is neither the id of an image"),
        (("--parent-image", "arn:aws-cn:imagebuilder:us-east-2:aws:image/a/x.x.x"), "is of partition aws-cn"),
        (("--lock", "none.json"), "there is no lock none.json"),
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


def test_a_lock_that_lacks_anything_is_told_as_one_that_is_not_there(trainyard, tmp_path):
    (tmp_path / "cluster.yaml").write_text(SPEC)
    lock = stand_in_lock(parse(SPEC, "cluster.yaml").spec)
    (tmp_path / "mine.json").write_text(lock_text(lock))
    ran = trainyard("image", "cluster.yaml", "--lock", "mine.json")
    assert (ran.status, "not locked" in ran.err) == (0, False)
    (tmp_path / "part.json").write_text(lock_text(AssetLock(lock.assets[1:])))
    ran = trainyard("image", "cluster.yaml", "--lock", "part.json")
    assert "nodes install what is not locked: docker on x86_64; run" in ran.err
    printed = json.loads(trainyard("image", "cluster.yaml", "--lock", "part.json", "--json").out)
    assert (printed["locked"], printed["not_locked"]) == (True, ["docker on x86_64"])
