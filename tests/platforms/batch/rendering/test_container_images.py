"""The Dockerfiles: read by hadolint, pinned, without root, and with what the jobs run in them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.specs import spec_of
from trainyard.catalog.assets import asset
from trainyard.platform_table import platform_of
from trainyard.platforms.batch.rendering import documents
from trainyard.platforms.batch.rendering.container_images import (
    IMAGES,
    ContainerImage,
    image_for,
    platform_for,
)
from trainyard.platforms.batch.rendering.programs import nccl_job

EVERY = (*IMAGES.values(), image_for("pytorch", "trn1.32xlarge"))
EACH = pytest.mark.parametrize("image", EVERY, ids=lambda image: image.folder)
WITH_EFA = pytest.mark.parametrize("image", EVERY[1:3], ids=lambda image: image.folder)


def dockerfile(image: ContainerImage) -> str:
    return image.files()["Dockerfile"].decode()


def instructions(image: ContainerImage) -> list[str]:
    """Return the instructions, each on one line."""
    lines = (line for line in dockerfile(image).splitlines() if not line.startswith("#"))
    return [line for line in "\n".join(lines).replace("\\\n", " ").splitlines() if line.strip()]


def judged(file: Path) -> subprocess.CompletedProcess[str]:
    hadolint = Path(sys.executable).with_name("hadolint")
    return subprocess.run([hadolint, "--no-color", file], capture_output=True, text=True, check=False)


@pytest.mark.integration
@EACH
def test_hadolint_finds_nothing_wrong(image: ContainerImage, tmp_path: Path):
    (tmp_path / "Dockerfile").write_text(dockerfile(image))
    done = judged(tmp_path / "Dockerfile")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.integration
@pytest.mark.parametrize("wrong", ["FROM debian:latest\n", "FROM debian:13\nRUN apt-get install curl\n", "FORM x\n"])
def test_hadolint_would_find_what_is_wrong(wrong: str, tmp_path: Path):
    (tmp_path / "Dockerfile").write_text(wrong)
    assert judged(tmp_path / "Dockerfile").returncode == 1


@EACH
def test_what_it_begins_with_has_a_whole_name_and_never_changes(image: ContainerImage):
    for line in instructions(image):
        if line.startswith("FROM"):
            digest = "" if image.folder == "pytorch-neuron" else "@sha256:[0-9a-f]{64}"
            assert re.fullmatch(rf"FROM [a-z0-9]+(\.[a-z0-9]+)+/[a-z0-9/-]+:[A-Za-z0-9._-]+{digest}( AS \w+)?", line)
            assert ":latest" not in line


@EACH
def test_it_does_not_run_as_root(image: ContainerImage):
    users = [line for line in instructions(image) if line.startswith("USER")]
    assert users[-1] == "USER 10001"
    assert any("useradd --uid 10001" in line for line in instructions(image))


@EACH
def test_no_line_is_wider_than_a_screen_but_those_with_a_digest(image: ContainerImage):
    assert [line for line in dockerfile(image).splitlines() if len(line) > 125 and "@sha256" not in line] == []


@EACH
def test_everything_that_it_copies_from_here_is_there(image: ContainerImage):
    copied = {name for line in instructions(image) for name in re.findall(r"^COPY ([^- ]\S*) ", line)}
    assert copied == set(image.copies) == set(image.files()) - {"Dockerfile"}


@WITH_EFA
def test_the_version_of_efa_is_one_of_the_catalog_with_its_checksum(image: ContainerImage):
    arguments = dict(re.findall(r"^ARG EFA_(\w+)=(\S+)$", dockerfile(image), re.MULTILINE))
    known = asset("efa-installer")
    assert known is not None
    # Not the newest: AWS's own page, as far as a copy of it is stored, goes to this one.
    assert arguments == {"VERSION": "1.47.0", "SHA256": known.digests["1.47.0"]}
    assert 'echo "${EFA_SHA256}  efa.tar.gz" | sha256sum --check -' in dockerfile(image)


def test_the_image_of_nccl_tests_has_what_its_job_looks_for():
    lines = "\n".join(instructions(IMAGES["nccl"]))
    searched = nccl_job.SEARCHED.split(":")
    assert {"/opt/nccl-tests/build", "/opt/amazon/openmpi/bin", "/usr/sbin"} <= set(searched)
    for needed in ("openssh-client", "openssh-server", "python3-minimal", "/opt/nccl-tests/build", "/run/sshd"):
        assert needed in lines
    # An account with ! as password is locked, and then also for keys.
    assert "--password '*'" in lines


def test_no_key_of_a_host_stays_in_the_image_of_nccl_tests():
    assert "rm -rf /var/lib/apt/lists/* /etc/ssh/ssh_host_*" in "\n".join(instructions(IMAGES["nccl"]))


def test_the_program_of_the_pytorch_image_is_where_torchrun_looks_by_default():
    template = (Path(nccl_job.__file__).parents[1] / "batch.yaml").read_text()
    assert "{Name: TRAINYARD_PROGRAM, Value: /workspace/train.py}" in template
    for instance_type in ("p5.48xlarge", "trn1.32xlarge"):
        image = image_for("pytorch", instance_type)
        assert "COPY train.py /workspace/train.py" in instructions(image)
        ast.parse(image.files()["train.py"].decode())


def test_nodes_with_trainium_have_an_image_of_their_own_for_torchrun_alone():
    assert [image_for(name, "trn2.48xlarge").folder for name in IMAGES] == ["stress-ng", "nccl", "pytorch-neuron"]
    assert [image_for(name, "p5.48xlarge").folder for name in IMAGES] == ["stress-ng", "nccl", "pytorch"]


def test_a_bundle_has_the_images_that_its_spec_names_no_others_for():
    trainium = spec_of("platform: batch\nqueues: [{name: q, instance_type: trn1.32xlarge, nodes: {min: 0, max: 2}}]")
    files = documents.container_images(trainium)
    assert list(files) == ["stress-ng/Dockerfile", "pytorch/Dockerfile", "pytorch/train.py"]
    assert files["pytorch/Dockerfile"] == image_for("pytorch", "trn1.32xlarge").files()["Dockerfile"]
    named = spec_of(
        "platform: batch\nbatch: {stress_image: public.ecr.aws/mine/a:1, pytorch_image: public.ecr.aws/mine/b:1}"
    )
    assert documents.container_images(named) == {}
    parallelcluster = spec_of("platform: parallelcluster")
    assert platform_of(parallelcluster).rendering().container_images(parallelcluster) == {}


def test_an_image_is_built_for_the_processors_of_its_nodes():
    assert [platform_for(one) for one in ("p5.48xlarge", "hpc7g.16xlarge")] == ["linux/amd64", "linux/arm64"]


def test_tags_are_those_that_job_definitions_look_for():
    template = (Path(nccl_job.__file__).parents[1] / "batch.yaml").read_text()
    for name in ("stress-ng", "pytorch"):
        assert f'"${{Repository.RepositoryUri}}:{IMAGES[name].tag}"' in template
