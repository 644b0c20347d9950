"""Every architecture and every field, loaded and validated by the ParallelClusters of three minor versions."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.architectures.by_platform import architectures_on
from tests.oracle.pcluster import errors, validate_configs
from tests.render.changes import CHANGES, before_and_after
from tests.specs import spec_texts
from trainyard.api.new import new_spec
from trainyard.catalog.by_version import line_of
from trainyard.checking.spec_file import rule_findings
from trainyard.document.write import yaml_text
from trainyard.edge.pcluster import ClusterConfig, known_versions
from trainyard.render.rendering import render
from trainyard.spec.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterable

# The newest of each line that has a lock: patches of a line differ in what their images have.
VERSIONS = tuple({line_of(version): version for version in known_versions()}.values())
# test_oracle.py asks the others about the architectures each time.
NEWEST_FIRST = (VERSIONS[-1], *(pytest.param(version, marks=pytest.mark.exhaustive) for version in VERSIONS[:-1]))
MODES = ("none", "self-hosting", "amp-only", "amp+amg")
ARCHITECTURES = tuple(one.name for one in architectures_on("parallelcluster"))
# A field that only some versions have is set where they are: everything else is asked of all three.
ONLY_IN = {"login_nodes.ssh_key": tuple(version for version in VERSIONS if line_of(version) == "3.14")}


def config_of(text: str) -> ClusterConfig:
    """Return the configuration of a spec."""
    spec = parse(text, "cluster.yaml").spec
    return ClusterConfig(yaml_text(render(spec, {}).documents["cluster.yaml"]), spec.name, spec.region)


def refused(texts: dict[str, str], version: str) -> dict[str, Any]:
    """Return what ParallelCluster finds wrong with specs, by their names, and nothing of those that it accepts."""
    configs = {name: config_of(text) for name, text in texts.items()}
    distinct = list(dict.fromkeys(configs.values()))  # not every field, nor every mode, is told to ParallelCluster
    found = dict(zip(distinct, validate_configs(distinct, version=version), strict=True))
    return {name: wrong for name, config in configs.items() if (wrong := errors(found[config]))}


def architectures(pairs: Iterable[tuple[str, str]], version: str) -> dict[str, str]:
    """Return the specs of architectures with a monitoring mode each."""
    return {
        f"{name}, {mode}": new_spec(name, [f"monitoring.mode={mode}", f"parallelcluster.version={version}"])
        for name, mode in pairs
    }


def with_one_field(paths: Iterable[str], version: str) -> dict[str, str]:
    """Return specs with one field changed each."""
    texts = {}
    for path in paths:
        _, spec = before_and_after(path)
        if spec["platform"] != "parallelcluster" or path == "parallelcluster.version":
            continue
        if version in ONLY_IN.get(path, VERSIONS):
            spec["parallelcluster"] = {**spec.get("parallelcluster", {}), "version": version}
            texts[path] = yaml_text(spec)
    return texts


@pytest.mark.integration
@pytest.mark.parametrize("version", NEWEST_FIRST)
def test_parallelcluster_validates_every_architecture_with_every_mode_of_monitoring(version: str):
    assert refused(architectures(itertools.product(ARCHITECTURES, MODES), version), version) == {}


@pytest.mark.integration
@pytest.mark.parametrize("version", NEWEST_FIRST)
def test_parallelcluster_validates_every_field(version: str):
    assert refused(with_one_field(CHANGES, version), version) == {}


def passes_the_rules(text: str) -> bool:
    """Return whether no rule finds an error, nor a type that ParallelCluster would have to ask EC2 about."""
    findings = rule_findings(parse(text, "cluster.yaml"))
    return not any(one.severity == "error" or one.id == "instance-type-unknown" for one in findings)


@pytest.mark.exhaustive
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(st.lists(spec_texts(), min_size=100, max_size=100))
def test_parallelcluster_validates_whatever_the_rules_let_pass(texts: list[str]):
    passed = {text: text for text in texts if passes_the_rules(text)}
    assert refused(passed, VERSIONS[-1]) == {}
