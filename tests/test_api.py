"""What may be imported from trainyard itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import trainyard
from tests.each_case import each_case
from trainyard import api
from trainyard.errors import InputError


@each_case("name", dir(api))
def test_every_public_name_is_the_same_thing_each_time(name: str):
    assert getattr(trainyard, name) is getattr(trainyard, name)
    assert not isinstance(getattr(trainyard, name), type(sys))


def test_no_public_name_is_that_of_a_module_which_would_hide_it():
    folders = [Path(trainyard.__file__).parent, Path(api.__file__).parent]
    modules = {path.stem for folder in folders for path in folder.iterdir()}
    assert modules.isdisjoint(dir(api))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'deploy_everything'"):
        _ = trainyard.deploy_everything


def test_importing_the_package_imports_nothing_else():
    code = "import sys, trainyard; print(*sorted(name for name in sys.modules if name.startswith('trainyard')))"
    process = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert process.stdout.split() == ["trainyard"]


def test_a_spec_is_parsed_checked_and_rendered_through_the_public_functions(tmp_path: Path):
    file = tmp_path / "cluster.yaml"
    file.write_text(trainyard.new_spec("p5-observability", ["name=mine"]))
    (checked,) = trainyard.check_files([str(file)])
    assert {finding.id for finding in checked.findings if finding.severity != "info"} == {"stand-in-left"}
    rendered = trainyard.render_file(str(file), tmp_path / "bundle")
    assert rendered.written is not None
    assert trainyard.parse(file.read_text(), "cluster.yaml").spec.name == "mine"
    assert rendered.bundle == trainyard.assemble_bundle(trainyard.parse(file.read_text(), "x").spec)


def test_a_stack_output_that_the_spec_does_not_use_is_refused_before_anything_is_written(tmp_path: Path):
    file = tmp_path / "cluster.yaml"
    file.write_text(trainyard.new_spec("p5-observability"))
    with pytest.raises(InputError, match="uses no stack output 'PublicSubnett'") as refusal:
        trainyard.render_file(str(file), tmp_path / "bundle", outputs={"PublicSubnett": "subnet-0a1b2c3d4e5f60718"})
    assert "PublicSubnet" in str(refusal.value.hint)
    assert not (tmp_path / "bundle").exists()


def test_a_file_with_errors_is_not_rendered(tmp_path: Path):
    file = tmp_path / "cluster.yaml"
    file.write_text(trainyard.new_spec("p5-observability", ["image.os=alinux2"]))
    rendered = trainyard.render_file(str(file), tmp_path / "bundle")
    assert rendered.checked.has_errors
    assert rendered.written is None
    assert not (tmp_path / "bundle").exists()
