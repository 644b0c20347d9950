"""Which platforms a spec may name is for the table of platforms to say, not for the stored validator."""

from __future__ import annotations

import pytest

from tests.examples import example_spec
from trainyard.errors import SpecError
from trainyard.platform_table import PLATFORMS, platform_of
from trainyard.spec.parsing import COMPILED, parse


def test_a_platform_is_accepted_once_it_is_in_the_table(monkeypatch):
    text = example_spec("platform: pcs")
    with pytest.raises(SpecError) as raised:
        parse(text, "cluster.yaml")
    assert raised.value.findings[0].message == "platform must be parallelcluster, batch or eks, not 'pcs'"
    monkeypatch.setitem(PLATFORMS, "pcs", PLATFORMS["parallelcluster"].with_values(name="pcs"))
    spec = parse(text, "cluster.yaml").spec
    assert spec.platform == "pcs"
    assert platform_of(spec).name == "pcs"
    with pytest.raises(SpecError, match="must be parallelcluster, batch, eks or pcs"):
        parse(example_spec("platform: slurm"), "cluster.yaml")


def test_the_stored_validator_names_no_platform():
    assert '"batch","eks"' not in COMPILED.read_text()
