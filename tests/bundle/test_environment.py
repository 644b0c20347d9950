"""The bundle of an environment, and of a cluster in one."""

import json

import pytest

from tests.rules.test_environments import LEAST, MOST
from trainyard.bundle.assemble import assemble
from trainyard.spec.environment import Environment
from trainyard.spec.parsing import parse

CLUSTER = """\
name: llm
region: us-east-2
platform: parallelcluster
environment: shared
network: {availability_zone: us-east-2a}
queues: [{name: q, instance_type: p5.48xlarge, nodes: 2}]
file_systems: [{mount: /fsx, lustre: {id: environment}}]
monitoring: {mode: amp-only}
"""
CHANGES = {
    "name: shared": "name: other",
    "region: us-east-2\n": "region: us-east-1\n",
    "availability_zone: us-east-2a": "availability_zone: us-east-2b",
    "203.0.113.7/32": "203.0.113.8/32",
    "/team/ml-": "/team/llm-",
    "size_gib: 512": "size_gib: 1024",
    "mode: self-hosting": "mode: amp+amg",
    "/0a1b2c3d": "/0a1b2c3e",
    "team: ml}": "team: llm}",
    'CreateS3Endpoint: "true"': 'CreateS3Endpoint: "false"',
}


def files(text: str) -> dict[str, bytes]:
    return assemble(parse(text, "shared.yaml").spec).files


def test_an_environment_has_templates_and_nothing_of_a_cluster():
    made = files(MOST)
    assert {name.split(".")[0] for name in made if "/" not in name} == {
        "README", "architecture", "monitoring", "network", "stand-ins", "storage",
    }  # fmt: skip
    assert "monitoring/head-node.yml" not in made
    readme = made["README.md"].decode()
    assert "pcluster" not in readme
    assert "launcher" not in readme
    assert "Key=trainyard:environment,Value=shared" in readme


def test_what_its_monitoring_instance_runs_is_in_it():
    made = files(MOST)
    assert list(json.loads(made["assets/plan.json"])["nodes"]) == ["monitoring"]
    assert {"monitoring/instance.yml", "monitoring/alertmanager.yml", "monitoring/rules.yml"} <= made.keys()
    readme = made["README.md"].decode()
    assert "## 2. Publish what the monitoring instance runs" in readme
    assert "--key trainyard/shared/release --body assets/release" in readme


def test_one_without_an_instance_publishes_nothing():
    assert not [name for name in files(MOST.replace("mode: self-hosting", "mode: amp-only")) if "assets" in name]


def test_the_least_environment_is_a_network():
    assert {"network.yaml", "network.parameters.json"} <= files(LEAST).keys()
    assert "storage.yaml" not in files(LEAST)


@pytest.mark.parametrize("written", CHANGES)
def test_a_change_of_an_environment_changes_its_bundle(written):
    assert MOST.count(written) >= 1
    before, after = files(MOST), files(MOST.replace(written, CHANGES[written]))
    assert {name for name in before if before[name] != after.get(name)} - {"architecture.svg"}


def test_every_section_of_an_environment_is_changed():
    sections = {name for name in Environment.field_names() if f"\n{name}:" in f"\n{MOST}"}
    assert sections == set(Environment.field_names())


def test_a_cluster_in_an_environment_makes_only_what_its_own_nodes_may_do_and_reads_the_rest():
    made = files(CLUSTER)
    assert [name for name in made if name.endswith(".parameters.json")] == ["assets.parameters.json"]
    readme = made["README.md"].decode()
    assert "--stack-name shared-network" in readme
    assert "--stack-name shared-storage" in readme
    assert readme.count("create-stack ") == 1
