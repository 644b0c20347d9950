"""What nodes fetch when they start is uploaded once all is known that it says, and not before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.deploy.conftest import BUCKET
from tests.specs import spec_of
from trainyard.bundle.release import files_in
from trainyard.deploy.steps.release import ReleaseStep
from trainyard.deploy.work import Work
from trainyard.edge.aws import s3
from trainyard.edge.aws.s3 import sizes_below
from trainyard.errors import TrainyardError

SPEC = spec_of("monitoring: {mode: amp-only}")
ENDPOINT = "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-0a1b2c3d/"


@pytest.fixture
def monitored(work: Work) -> Work:
    """A deployment whose stacks have said where metrics go."""
    return replace(work, spec=SPEC, outputs={"AMPPrometheusEndpoint": ENDPOINT})


def uploaded(work: Work) -> dict[str, bytes]:
    names = [key.removeprefix("trainyard/llm/") for key in sizes_below(work.account, BUCKET, "trainyard/llm/")]
    found = {name: s3.get(work.account, BUCKET, f"trainyard/llm/{name}") for name in names}
    return {name: object_.content for name, object_ in found.items() if object_ is not None}


def test_the_head_node_of_the_release_sends_to_the_workspace_of_the_stack(monitored: Work):
    ReleaseStep().apply(monitored)
    (release,) = [content for name, content in uploaded(monitored).items() if name.startswith("releases/")]
    assert f"url: {ENDPOINT}api/v1/remote_write".encode() in files_in(release)["monitoring/head-node.yml"]
    assert ReleaseStep().probe(monitored).state == "there"


def test_a_release_that_does_not_know_where_metrics_go_is_not_uploaded(monitored: Work):
    unknown = replace(monitored, outputs={})
    with pytest.raises(TrainyardError, match="nothing says what AMPPrometheusEndpoint is") as refusal:
        ReleaseStep().apply(unknown)
    assert refusal.value.where is not None
    assert refusal.value.where.endswith("ws-00000000000000001/")
    assert uploaded(unknown) == {}


def test_a_look_before_anything_is_made_finds_it_missing(monitored: Work):
    assert ReleaseStep().probe(replace(monitored, outputs={})).state == "missing"


def test_another_workspace_is_another_release(monitored: Work):
    ReleaseStep().apply(monitored)
    other = replace(monitored, outputs={"AMPPrometheusEndpoint": ENDPOINT.replace("0a1b", "0a1c")})
    assert ReleaseStep().probe(other).state == "missing"
    assert ReleaseStep().apply(other).changed
    assert len([name for name in uploaded(other) if name.startswith("releases/")]) == 2
