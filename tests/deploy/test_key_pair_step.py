"""A cluster is never made with a key pair whose private key nobody has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from trainyard.deploy.steps.key_pair import KeyPair
from trainyard.deploy.work import Options, Work
from trainyard.errors import TrainyardError
from trainyard.spec.parsing import parse

SPEC = """\
name: llm
region: us-east-2
platform: parallelcluster
network: {availability_zone: us-east-2a}
access: {ssh_key: ml-key}
queues: [{name: q, instance_type: m5.large, nodes: {min: 0, max: 1}}]
"""


@pytest.fixture
def unfinished(work: Work) -> Work:
    """A deployment after a call that was killed when it had made the key pair."""
    tags = {"trainyard:cluster": "llm", "trainyard:call": "0123"}
    marks = [{"ResourceType": "key-pair", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}]
    work.account.client("ec2").create_key_pair(KeyName="ml-key", TagSpecifications=marks)
    return replace(work, spec=parse(SPEC, "cluster.yaml").spec)


def test_a_lost_private_key_is_told_before_a_cluster_is_made(unfinished: Work):
    with pytest.raises(TrainyardError, match="ended early, and its private key may be lost"):
        KeyPair().apply(unfinished)


def test_a_lost_private_key_is_made_again_where_a_file_is_named(unfinished: Work, tmp_path: Path):
    file = tmp_path / "ml-key.pem"
    asked = replace(unfinished, options=Options(create_key_pair=file))
    assert KeyPair().apply(asked).changed
    assert "PRIVATE KEY" in file.read_text()
    assert not KeyPair().apply(asked).changed


def test_the_key_pair_of_a_cluster_that_is_there_stays(unfinished: Work, tmp_path: Path):
    template = '{"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}'
    unfinished.account.client("cloudformation").create_stack(StackName="llm", TemplateBody=template)
    file = tmp_path / "ml-key.pem"
    assert not KeyPair().apply(replace(unfinished, options=Options(create_key_pair=file))).changed
    assert not file.exists()


def test_a_key_pair_that_somebody_else_made_is_used_as_it_is(work: Work):
    work.account.client("ec2").create_key_pair(KeyName="ml-key")
    assert not KeyPair().apply(replace(work, spec=parse(SPEC, "cluster.yaml").spec)).changed
