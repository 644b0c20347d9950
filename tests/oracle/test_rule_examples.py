"""The good example of every rule, validated by the real ParallelCluster: what our rules call right has to be right."""

from __future__ import annotations

from functools import cache

import pytest

from tests.examples import example_spec
from tests.oracle.pcluster import errors, validate_configs
from trainyard.document.write import yaml_text
from trainyard.edge.pcluster import ClusterConfig, known_versions
from trainyard.render.rendering import render
from trainyard.rules import all_rules
from trainyard.spec.parsing import parse

pytestmark = pytest.mark.integration

SPECS = {rule.id: parse(example_spec(rule.good), "cluster.yaml").spec for rule in all_rules()}
OF_PARALLELCLUSTER = {
    id_: spec for id_, spec in SPECS.items() if spec.platform == "parallelcluster" and not spec.is_environment
}


# One process for all the examples of a version: starting it takes longer than validating five of them.
@cache
def refused(version: str) -> dict[str, list[str]]:
    specs = {id_: spec for id_, spec in OF_PARALLELCLUSTER.items() if spec.parallelcluster.version == version}
    rendered = {id_: render(spec, {}) for id_, spec in specs.items()}
    configs = [
        ClusterConfig(yaml_text(rendered[id_].documents["cluster.yaml"]), spec.name, spec.region)
        for id_, spec in specs.items()
    ]
    zones = {one.value: one.zone[-1] for each in rendered.values() for one in each.stand_ins if one.zone}
    found = validate_configs(configs, version=version, zones=zones)
    return {id_: [str(one) for one in errors(failures)] for id_, failures in zip(specs, found, strict=True)}


def test_every_example_is_for_a_version_that_can_be_asked():
    assert {spec.parallelcluster.version for spec in OF_PARALLELCLUSTER.values()} <= set(known_versions())


@pytest.mark.parametrize("id_", OF_PARALLELCLUSTER)
def test_parallelcluster_refuses_no_good_example(id_):
    version = OF_PARALLELCLUSTER[id_].parallelcluster.version
    assert refused(version)[id_] == []
