"""A newer ParallelCluster: images of its own are built anew by it, and a second cluster takes over with them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shlex import split
from typing import Any

import pytest
import yaml

from tests.rehearsal.account_copies import prepared_account
from tests.rehearsal.test_replacement import FORMER, make_former, problems, replaced
from tests.rehearsal.whole import equipped
from trainyard.deploy.deployment import deploy, work_for
from trainyard.deploy.resume_commands import commands_after
from trainyard.deploy.work import Options
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.pcluster_environment import environment
from trainyard.spec.parsing import parse

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket, pytest.mark.exhaustive]

_OLD_IMAGE = "ami-0123456789abcdef0"
# One architecture and one kind of node, so that one image is built.
_CPU_ONLY = FORMER.replace(
    "  - {name: gpu, instance_type: p5.48xlarge, nodes: 2, capacity: {reservation: cr-0123456789abcdef0}}\n", ""
)
_FORMER = (
    _CPU_ONLY.replace("nodes: {min: 0, max: 4}", "nodes: 1") + f"image: {{ami: {_OLD_IMAGE}, built_for: 3.15.1}}\n"
)
_SUCCESSOR = _FORMER.replace("blue", "green").replace("version: 3.15.1", "version: 3.16.1")


def _pcluster(account: Account, *words: str) -> Any:
    """Run the real `pcluster` as a person does who has it on PATH."""
    of_version = environment("3.16.1", print)
    path = f"{of_version.bin_folder}:{of_version.node_folder}:{os.environ['PATH']}"
    done = subprocess.run(
        ["pcluster", *words, "--region", account.region],
        env={**os.environ, **account.variables(), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def _image_files(account: Account, text: str, folder: Path) -> list[Path]:
    """Make what comes before the cluster, and write what builds its images by the command that is told then."""
    spec_file = folder / "green.yaml"
    spec_file.write_text(text)
    official = _pcluster(account, "list-official-images", "--os", "ubuntu2204", "--architecture", "x86_64")
    with equipped(work_for(parse(text, "green.yaml").spec, account, options=Options(before_cluster=True))) as work:
        assert problems(deploy(work, text)) == []
        words = split(commands_after(work, "prepared", str(spec_file))[0])
    parent = ["--parent-image", official["images"][0]["amiId"], "-o", str(folder / "images")]
    subprocess.run([sys.executable, "-m", *words, *parent], check=True, capture_output=True)
    return sorted(folder.glob("images/*/build-image.yaml"))


def test_a_second_cluster_takes_over_with_images_that_the_newer_version_has_built(tmp_path):
    without_image = _SUCCESSOR.partition("image:")[0]
    with prepared_account(_FORMER, make_former, _SUCCESSOR) as account:
        (refusal,) = problems(replaced(account, _SUCCESSOR))
        assert "custom AMI was created with pcluster 3.15.1" in refusal
        (config,) = _image_files(account, without_image, tmp_path)
        assert "00000000" not in config.read_text()  # nothing is left to fill in
        name = yaml.safe_load(config.read_text())["Image"]["Name"]
        _pcluster(account, "build-image", "--image-id", name, "--image-configuration", str(config))
        built = _pcluster(account, "describe-image", "--image-id", name)
        assert built["imageBuildStatus"] == "BUILD_COMPLETE"
        image = built["ec2AmiInfo"]["amiId"]
        upgraded = f"{without_image}image: {{ami: {image}, built_for: 3.16.1}}\n"
        assert problems(replaced(account, upgraded)) == []
        running = [node for node in nodes(account, "green") if node.state == "running"]
        ec2 = account.client("ec2")
        described = ec2.describe_instances(InstanceIds=[node.id for node in running])["Reservations"]
        assert {one["ImageId"] for reservation in described for one in reservation["Instances"]} == {image}
        assert len(running) == 2  # the head node and the one of the queue
        assert [node for node in nodes(account, "blue") if node.state == "running"] == []
