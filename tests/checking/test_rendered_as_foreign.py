"""What trainyard renders passes the rules that files of others have to pass."""

from __future__ import annotations

import pytest

from tests.architectures.by_platform import architectures_on
from tests.platforms.eks.rendering.options import NAMES, cluster_with
from trainyard.bundle.assemble import assemble
from trainyard.checking.foreign_file import document_findings
from trainyard.checking.recognition import FUNCTIONS
from trainyard.document.read import read_yaml
from trainyard.document.write import yaml_text
from trainyard.spec.parsing import parse

# Of what a spec asks for, a spec is warned too.
ASKED_FOR = {
    "volume": "eksctl-unencrypted-volume",
    "private-endpoint": "eksctl-endpoint-not-for-nodes",
    "spot": "eksctl-spot-for-training",
    "without-efa": "eksctl-efa-not-enabled",
}

# Every architecture as it is, and one of them with every option: the rest is for the tests of the rendering.
RENDERED = [(name, option) for name, option in NAMES if option == "as-it-is" or name == "eks-p4de-odcr"]


@pytest.mark.parametrize(("architecture", "option"), RENDERED, ids=lambda one: one)
def test_no_rule_about_eksctl_objects_to_what_an_architecture_becomes(architecture: str, option: str):
    document = read_yaml(yaml_text(cluster_with(architecture, option)), "cluster.yaml")
    found = [one for one in document_findings(document, "eksctl") if one.severity != "info"]
    assert [one for one in found if one.severity == "error" or one.id != ASKED_FOR.get(option)] == []


@pytest.mark.parametrize("architecture", architectures_on("batch"), ids=lambda one: one.name)
def test_no_rule_about_templates_objects_to_that_of_batch(architecture):
    text = assemble(parse(architecture.text, "cluster.yaml").spec).files["batch.yaml"].decode()
    found = document_findings(read_yaml(text, "batch.yaml", FUNCTIONS), "cloudformation")
    assert list(found) == []
