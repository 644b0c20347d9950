"""The bundles of the reference architectures, as files to be reviewed.

`python -m tests.bundle.test_golden` writes them. A file that is alike in several bundles but for its heading is there
once; golden/same_files.yaml says in which bundle, and which others have it.
"""

from __future__ import annotations

import re
import shutil
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.render.cloudformation.templates import TEXTS
from trainyard.architectures import all_architectures
from trainyard.bundle.assemble import assemble
from trainyard.document.read import read_yaml
from trainyard.document.write import yaml_text
from trainyard.spec.parsing import parse

GOLDEN = Path(__file__).parent / "golden"
SAME = GOLDEN / "same_files.yaml"
HEADING = re.compile(rb"\A# Rendered by trainyard from the spec of (\S+)\. Change")
PACKAGE = re.compile(rb"(trainyard-node-)[0-9a-f]{16}")
ARCHITECTURES = all_architectures()


# Templates are the same in every bundle, and reviewed where they lie.
TEMPLATES = {"network.yaml", "storage.yaml", "monitoring.yaml", "rules.yaml", "assets.yaml"}
# What is in them is reviewed where it comes from; assets/plan.json is the part that follows the spec.
RELEASE = {"assets/release.tar", "assets/release"}
# What is made of descriptions alone is reviewed there: rules and dashboards in tests/monitoring/golden.
# Jobs that measure bandwidth are reviewed in tests/render/bench/golden; scripts and the package for nodes, which two
# manifests hold, and images where they lie.
DESCRIBED = (
    "bench/*",
    "images/*",
    "manifests/node-files.yaml",
    "manifests/bench-scripts.yaml",
    "monitoring/aws_config.ini",
    "monitoring/cloudwatch/*",
    "monitoring/rules.yml",
    "monitoring/grafana/*",
    "monitoring/alertmanager.yml",
)


def files_of(text: str) -> dict[str, bytes]:
    files = assemble(parse(text, "cluster.yaml").spec).files
    return {name: content for name, content in files.items() if name not in TEMPLATES | RELEASE and not described(name)}


def described(name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in DESCRIBED)


def reviewed(bundle: str) -> dict[str, bytes]:
    """Return the files of a bundle as they were reviewed, without the name in their headings."""
    folder = GOLDEN / bundle
    files = {str(file.relative_to(folder)): file for file in folder.rglob("*") if file.is_file()}
    for name, holders in read_yaml(SAME.read_text(encoding="utf-8"), SAME.name).value.items():
        files.update((name, GOLDEN / holder / name) for holder, others in holders.items() if bundle in others)
    return {name: nameless(file.read_bytes()) for name, file in files.items()}


def nameless(content: bytes) -> bytes:
    """Return a file without what is no matter of the spec: its name, and the digest of the package for nodes."""
    return PACKAGE.sub(rb"\1DIGEST", HEADING.sub(b"# Rendered by trainyard from the spec. Change", content))


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda one: one.name)
def test_a_reference_architecture_renders_to_its_reviewed_bundle(architecture):
    files = files_of(architecture.text)
    assert {name: nameless(content) for name, content in files.items()} == reviewed(architecture.name)
    name = parse(architecture.text, "cluster.yaml").spec.name.encode()
    assert {match[1] for content in files.values() if (match := HEADING.search(content))} <= {name}


def test_there_is_a_reviewed_bundle_for_every_architecture_and_no_other():
    assert {folder.name for folder in GOLDEN.iterdir() if folder.is_dir()} == {one.name for one in ARCHITECTURES}


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda one: one.name)
def test_the_same_spec_gives_the_same_bytes(architecture):
    assert files_of(architecture.text) == files_of(architecture.text)


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda one: one.name)
def test_a_bundle_holds_the_templates_as_they_are(architecture):
    spec = parse(architecture.text, "cluster.yaml").spec
    files = assemble(spec).files
    held = TEMPLATES & files.keys()
    assert {"network.yaml", *(["storage.yaml"] if spec.file_systems else [])} <= held
    assert {name: files[name] for name in held} == {name: TEXTS[Path(name).stem].encode() for name in held}
    assert {name.replace(".yaml", ".parameters.json") for name in held} <= files.keys()


if __name__ == "__main__":
    shutil.rmtree(GOLDEN)
    holders: dict[tuple[str, bytes], str] = {}
    same: dict[str, dict[str, list[str]]] = {}
    for each in ARCHITECTURES:
        for name, content in files_of(each.text).items():
            holder = holders.setdefault((name, nameless(content)), each.name)
            if holder != each.name:
                same.setdefault(name, {}).setdefault(holder, []).append(each.name)
                continue
            file = GOLDEN / each.name / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(PACKAGE.sub(rb"\1DIGEST", content))
    SAME.write_text(yaml_text(dict(sorted(same.items()))), encoding="utf-8")
