"""That ParallelCluster's own schema takes the configurations of images, in each version, and not just anything."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.architectures.by_platform import architectures_on
from tests.specs import spec_of
from trainyard.bundle.image import assemble_images
from trainyard.edge.pcluster import environment, known_versions
from trainyard.errors import TrainyardError
from trainyard.spec.parsing import parse

pytestmark = pytest.mark.integration

WORKER = Path(__file__).with_name("image_schema_worker.py")
EACH_VERSION = pytest.mark.parametrize("version", known_versions())
SPECS = {
    "gpu": "software: {setup: gpu, containers: true}\nqueues: [{name: q, instance_type: p5.48xlarge}]\n",
    "neuron": "software: {setup: neuron}\nqueues: [{name: q, instance_type: trn1.32xlarge}]\n",
    "everything": (
        "software: {setup: gpu, containers: true, efa_version: 1.48.0}\nmonitoring: {mode: amp-only}\n"
        "iam: {permissions_boundary: 'arn:aws:iam::123456789012:policy/b'}\ntags: {team: llm}\nassets: {bucket: mine}\n"
    ),
}


@cache
def configs() -> dict[str, str]:
    """Return the configurations of all reference architectures that have images, and of some specs besides."""
    specs = {name: spec_of(part) for name, part in SPECS.items()}
    specs |= {one.name: parse(one.text, one.name).spec for one in architectures_on("parallelcluster")}
    found: dict[str, str] = {}
    for name, spec in specs.items():
        try:
            files = assemble_images(spec).files
        except TrainyardError:  # nothing to bake
            continue
        found |= {f"{name}/{file}": text.decode() for file, text in files.items() if file.endswith(".yaml")}
    return found


def asked(version: str, texts: list[str]) -> list[str | None]:
    made = environment(version, print)
    done = subprocess.run(
        [made.python, "-I", "-X", "utf8", str(WORKER)],
        input=json.dumps(texts), capture_output=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert not done.returncode, done.stderr
    answer: list[str | None] = json.loads(done.stdout)
    return answer


def changed(**build: Any) -> str:
    config = yaml.safe_load(configs()["gpu/gpu-x86_64/build-image.yaml"])
    config["Build"].update(build)
    return yaml.safe_dump(config)


@EACH_VERSION
def test_the_schema_takes_every_configuration(version):
    texts = configs()
    assert len(texts) > 6
    assert {name: wrong for name, wrong in zip(texts, asked(version, list(texts.values())), strict=True) if wrong} == {}


@EACH_VERSION
def test_the_schema_refuses_what_is_wrong(version):
    wrong = [
        changed(ParentImage="ubuntu"),
        changed(Components=[{"Type": "script", "Value": "install.sh"}]),
        changed(InstallStuff=True),
    ]
    assert all(asked(version, wrong))
