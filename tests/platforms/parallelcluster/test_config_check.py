"""Complaints of the real ParallelCluster, at the spec's own lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import program
from tests.architectures.by_platform import architectures_on
from tests.specs import spec_texts
from trainyard.api.check import check_files
from trainyard.api.new import new_spec
from trainyard.bundle.assemble import assemble
from trainyard.edge.pcluster import ClusterConfig, load_schemas
from trainyard.errors import TrainyardError
from trainyard.platform_table import platform_of
from trainyard.platforms.parallelcluster.config_check import parallelcluster_findings
from trainyard.spec.parsing import parse

VERSION = "3.16.1"


def silent(_: str) -> None:
    """Hear nothing of long work."""


def config_of(text: str) -> ClusterConfig:
    spec = parse(text, "cluster.yaml").spec
    return ClusterConfig(assemble(spec).files["cluster.yaml"].decode(), spec.name, spec.region)


# One process loads many: it takes longer to start than to load a config.
@pytest.mark.integration
def test_the_real_parallelcluster_accepts_every_architecture():
    texts = {architecture.name: architecture.text for architecture in architectures_on("parallelcluster")}
    complaints = load_schemas([config_of(text) for text in texts.values()], version=VERSION, report=silent)
    assert {name: found for name, found in zip(texts, complaints, strict=True) if found} == {}


@pytest.mark.integration
def test_a_spec_that_the_real_parallelcluster_accepts_has_no_findings():
    architecture, *_ = architectures_on("parallelcluster")
    assert list(parallelcluster_findings(parse(architecture.text, "cluster.yaml"), None, silent)) == []


@pytest.mark.integration
@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(st.lists(spec_texts(), min_size=12, max_size=12))
def test_the_real_parallelcluster_accepts_whatever_a_spec_can_say(texts: list[str]):
    complaints = load_schemas([config_of(text) for text in texts], version=VERSION, report=silent)
    assert [(text, found) for text, found in zip(texts, complaints, strict=True) if found] == []


SETTINGS = [
    "name=other",
    "region=eu-west-1",
    "network.availability_zone=us-east-1b",
    "access.ssh_key=my-key",
    "access.allow_from=[203.0.113.7/32]",
    "access.allow_from=[203.0.113.7/32, 198.51.100.0/24]",
    "head_node={instance_type: m5.2xlarge, subnet: private}",
    "login_nodes={count: 2}",
    "image={os: alinux2023, ami: ami-0123456789abcdef0}",
    "queues[0].nodes={min: 0, max: 64}",
    "queues[0].capacity=spot",
    "queues[0].capacity={capacity_block: cr-0123456789abcdef0}",
    "queues[0].instance_type=p6-b200.48xlarge",
    "queues[0].efa=false",
    "queues[1]={name: inference-gpu, instance_type: g5.12xlarge, nodes: {max: 8}, placement_group: false}",
    "file_systems[0]={mount: /home, openzfs: {size_gib: 512}}",
    "file_systems=[]",
    "scratch.mount=/nvme",
    "monitoring={mode: self-hosting, log_retention_days: 365}",
    "timeouts={head_node_s: 7200, compute_node_s: 3600}",
    "parallelcluster.slurm={scaledown_idle_minutes: 1, queue_update_strategy: COMPUTE_FLEET_STOP}",
    "tags={team: llm}",
]
VARIATIONS = st.builds(
    new_spec,
    st.sampled_from([architecture.name for architecture in architectures_on("parallelcluster")]),
    st.lists(st.sampled_from(SETTINGS), unique=True),
)


@pytest.mark.integration
@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(st.lists(VARIATIONS, min_size=12, max_size=12))
def test_the_real_parallelcluster_accepts_variations_of_the_architectures(texts: list[str]):
    complaints = load_schemas([config_of(text) for text in texts], version=VERSION, report=silent)
    assert [(text, found) for text, found in zip(texts, complaints, strict=True) if found] == []


@pytest.mark.exhaustive
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(st.lists(spec_texts(), min_size=40, max_size=40))
def test_the_real_parallelcluster_accepts_thousands_of_specs(texts: list[str]):
    complaints = load_schemas([config_of(text) for text in texts], version=VERSION, report=silent)
    assert [(text, found) for text, found in zip(texts, complaints, strict=True) if found] == []


REFUSED = """\
name: c
region: us-east-2
platform: parallelcluster
image:
  ami: ami-0123456789abcdef0
  os: alinux2
queues:
  - name: q
    instance_type: p5.48xlarge
tags:
  parallelcluster:team: llm
"""


@pytest.mark.integration
def test_a_complaint_stands_at_the_line_of_the_field_that_caused_it():
    findings = list(parallelcluster_findings(parse(REFUSED, "cluster.yaml"), None, silent))
    assert [(finding.id, finding.severity, finding.path, finding.line, finding.column) for finding in findings] == [
        ("parallelcluster-schema", "error", "image.os", 6, 3),
        ("parallelcluster-schema", "error", "tags", 10, 1),
    ]
    assert all(finding.message.startswith("ParallelCluster 3.16.1 refuses ") for finding in findings)


def test_other_platforms_are_not_parallelcluster_s_matter():
    text = "name: c\nregion: us-east-2\nplatform: batch\nqueues: [{name: q, instance_type: p5.48xlarge}]\n"
    parsed = parse(text, "cluster.yaml")
    assert list(platform_of(parsed.spec).config_findings(parsed, None, silent)) == []


def test_a_version_that_cannot_be_installed_is_a_clear_error():
    text = f"{REFUSED}parallelcluster: {{version: 3.1.4}}\n"
    with pytest.raises(TrainyardError, match=r"does not know ParallelCluster 3\.1\.4"):
        list(parallelcluster_findings(parse(text, "cluster.yaml"), None, silent))


@pytest.mark.integration
def test_a_patch_without_a_lock_is_judged_by_its_line_and_that_is_said():
    text = f"{REFUSED}parallelcluster: {{version: 3.16.99}}\n"
    first, *others = list(parallelcluster_findings(parse(text, "cluster.yaml"), None, silent))
    assert (first.id, first.severity, first.path) == (
        "parallelcluster-not-locked",
        "warning",
        "parallelcluster.version",
    )
    assert "3.16.99 is not locked" in first.message
    assert [finding.path for finding in others] == ["image.os", "tags"]
    assert all(finding.message.startswith("ParallelCluster 3.16.1 refuses ") for finding in others)


CONFIG = """\
Region: us-east-2
Image: {Os: alinux2023}
HeadNode:
  InstanceType: m5.large
  Networking: {SubnetId: subnet-0123456789abcdef0}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: q
      ComputeResources: [{Name: c, InstanceType: m5.large, MaxCount: 2}]
      Networking: {SubnetIds: [subnet-0123456789abcdef0]}
"""


@pytest.mark.integration
def test_a_configuration_of_others_is_judged_by_the_version_that_is_asked_for(tmp_path: Path):
    good, old = tmp_path / "good.yaml", tmp_path / "old.yaml"
    good.write_text(CONFIG)
    old.write_text(CONFIG.replace("alinux2023", "centos7"))
    accepted, refused = check_files([str(good), str(old)], with_parallelcluster=True)
    assert not accepted.has_errors
    errors = [finding for finding in refused.findings if finding.severity == "error"]
    assert [(finding.path, finding.line) for finding in errors] == [("Image.Os", 2)], "told once, though both know it"
    typed = tmp_path / "typed.yaml"
    typed.write_text(CONFIG.replace("MaxCount: 2", "MaxCount: 2, StaticNodePriority: x"))
    (checked,) = check_files([str(typed)], with_parallelcluster=True, parallelcluster_version="3.15.1")
    said = [finding for finding in checked.findings if "StaticNodePriority" in (finding.path or "")]
    assert said
    assert all(finding.line == 10 for finding in said)


def test_the_version_of_the_judge_is_one_that_is_locked(tmp_path: Path):
    file = tmp_path / "config.yaml"
    file.write_text(CONFIG)
    ran = program.run("check", "--with-parallelcluster=9.9.9", str(file))
    assert ran.status == 2
    assert "'9.9.9' is not among the locked versions" in ran.err
