"""Which nodes that run already have to be told of a release that is about to be published."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from tests.deploy.conftest import BUCKET
from tests.edge.aws.in_memory import IMAGE
from tests.specs import spec_of
from trainyard.bundle.assets import uploads
from trainyard.bundle.release import Release, release
from trainyard.deploy.node_record_place import record_key
from trainyard.deploy.running_nodes import RunningNodes
from trainyard.deploy.work import Work
from trainyard.edge.aws import s3
from trainyard.errors import TrainyardError

QUEUE = "queues: [{name: q, instance_type: p5.48xlarge, setup: gpu}]\nlogin_nodes: {count: 2}\n"
OLD = release(spec_of(f"{QUEUE}software: {{setup: gpu}}"))
NEW = release(spec_of(f"{QUEUE}software: {{setup: gpu, containers: true}}"))
COMMAND = (
    'F=$(mktemp) && aws s3 cp --region us-east-2 s3://ml-bucket/trainyard/llm/launch.sh "$F" '
    '&& sudo bash "$F" s3://ml-bucket/trainyard/llm'
)


def publish(work: Work, made: Release) -> None:
    for name, content in uploads(made).items():
        s3.put(work.account, BUCKET, f"trainyard/llm/{name}", content)


def launched(work: Work, kind: str, says: Mapping[str, object] | bytes | None = None) -> str:
    """Start a node; where it says anything, that is its record."""
    ec2 = work.account.client("ec2")
    tags = [
        {"Key": "parallelcluster:cluster-name", "Value": "llm"},
        {"Key": "parallelcluster:node-type", "Value": kind},
    ]
    started = ec2.run_instances(
        ImageId=IMAGE, MinCount=1, MaxCount=1, TagSpecifications=[{"ResourceType": "instance", "Tags": tags}]
    )
    id_ = str(started["Instances"][0]["InstanceId"])
    if says is not None:
        record = {"schema": 1, "instance_id": id_, "status": "ready", "steps": []}
        content = says if isinstance(says, bytes) else json.dumps({**record, **says}).encode()
        s3.put(work.account, BUCKET, record_key(work.account, "llm", id_), content)
    return id_


def ran(made: Release) -> dict[str, str]:
    return {"release": made.sha256}


def ids(work: Work, new: Release = NEW) -> list[str]:
    return [finding.id for finding in RunningNodes(work, new).untold()]


def test_a_head_node_that_ran_the_former_release_has_to_be_told_with_the_command(work: Work):
    publish(work, OLD)
    id_ = launched(work, "HeadNode", ran(OLD))
    (finding,) = RunningNodes(work, NEW).untold()
    assert (finding.id, finding.severity) == ("head-node-not-told", "warning")
    assert finding.message.startswith(f"the head node {id_} has to be told of this release: new steps: enroot-pyxis")
    assert finding.remedy == f"run on the head node: {COMMAND}"
    assert finding.file == "s3://ml-bucket/trainyard/llm/release"


def test_a_release_that_was_published_and_not_carried_out_is_told_again(work: Work):
    publish(work, OLD)
    publish(work, NEW)
    launched(work, "HeadNode", ran(OLD))
    assert ids(work) == ["head-node-not-told"]


def test_a_head_node_that_ran_this_release_knows_it(work: Work):
    publish(work, OLD)
    launched(work, "HeadNode", ran(NEW))
    assert ids(work) == []


def test_a_head_node_on_which_this_release_failed_is_told_again_and_why(work: Work):
    publish(work, NEW)
    steps = [
        {"name": "cloudwatch", "required": False, "status": "failed", "message": "no agent"},
        {"name": "enroot-pyxis", "required": True, "status": "failed", "message": "no plugin"},
    ]
    launched(work, "HeadNode", {**ran(NEW), "status": "ready", "steps": steps})
    (finding,) = RunningNodes(work, NEW).untold()
    assert finding.message.endswith('its last run failed in step enroot-pyxis, and the node says "no plugin"')


@pytest.mark.parametrize(
    ("says", "words"),
    [
        (
            {
                "status": "ready",
                "message": "the node goes on as it was: ended by SIGHUP",
                "steps": [{"name": "cloudwatch", "required": False, "status": "failed", "message": "ended by SIGHUP"}],
            },
            'its last run failed, and the node says "the node goes on as it was: ended by SIGHUP"',
        ),
        ({"status": "failed", "message": "plan.json is damaged", "steps": []}, 'the node says "plan.json is damaged"'),
        ({"status": "failed", "message": "", "steps": []}, "its last run failed and does not say why"),
        (
            {
                "status": "running",
                "message": "",
                "steps": [{"name": "efa", "required": True, "status": "running", "message": ""}],
            },
            "its last run has not ended: either it goes on right now, or it was killed",
        ),
    ],
    ids=["hang-up", "outside-steps", "silent", "killed"],
)
def test_a_head_node_whose_run_did_not_get_to_its_end_is_told_again_and_why(
    work: Work, says: dict[str, object], words: str
):
    publish(work, NEW)
    launched(work, "HeadNode", {**ran(NEW), **says})
    (finding,) = RunningNodes(work, NEW).untold()
    assert words in finding.message
    # A release that asks the same of the head node does not hide it.
    same = release(spec_of(f"{QUEUE}software: {{setup: gpu, containers: true, on_failure: hold}}"))
    (finding,) = RunningNodes(work, same).untold()
    assert words in finding.message


def test_a_message_of_a_node_is_shortened(work: Work):
    publish(work, NEW)
    launched(work, "HeadNode", {**ran(NEW), "status": "failed", "message": "x" * 5000})
    (finding,) = RunningNodes(work, NEW).untold()
    assert len(finding.message) < 400


def test_a_head_node_whose_last_run_was_good_knows_the_release(work: Work):
    publish(work, NEW)
    for status in ("ready", "deferred"):
        launched(work, "HeadNode", {**ran(NEW), "status": status, "message": "", "steps": []})
    assert ids(work) == []


def test_an_optional_step_that_failed_is_no_reason_to_tell_a_node(work: Work):
    publish(work, NEW)
    step = {"name": "cloudwatch", "required": False, "status": "failed", "message": "no agent"}
    launched(work, "HeadNode", {**ran(NEW), "steps": [step, {"name": "efa", "required": True, "status": "done"}]})
    assert ids(work) == []


def test_a_release_that_asks_the_same_of_the_head_node_is_no_news_to_it(work: Work):
    publish(work, OLD)
    launched(work, "HeadNode", ran(OLD))
    other = release(spec_of(f"{QUEUE}software: {{setup: gpu, on_failure: hold}}"))
    assert other.sha256 != OLD.sha256
    assert ids(work, other) == []


@pytest.mark.parametrize(
    "says",
    [
        None,
        b"",
        b"{",
        b"[]",
        b"[" * 100_000,
        {"release": "../../x"},
        {"release": None},
        {},
        {"release": "0" * 64, "steps": [1]},
    ],
)
def test_of_a_node_that_does_not_say_what_it_ran_that_which_is_published_counts(
    work: Work, says: Mapping[str, object] | bytes | None
):
    publish(work, OLD)
    launched(work, "HeadNode", says)
    assert ids(work) == ["head-node-not-told"]
    publish(work, NEW)
    assert ids(work) == []


def test_where_the_former_release_is_gone_or_damaged_the_node_is_told(work: Work):
    publish(work, OLD)
    launched(work, "HeadNode", ran(OLD))
    for content in (b"damaged", None):
        key = f"trainyard/llm/releases/{OLD.file}"
        if content is None:
            s3.delete(work.account, BUCKET, key)
        else:
            s3.put(work.account, BUCKET, key, content)
        (finding,) = RunningNodes(work, NEW).untold()
        assert "cannot be read" in finding.message


def test_login_nodes_are_told_together_and_only_those_that_have_to_be(work: Work):
    publish(work, OLD)
    launched(work, "HeadNode", ran(NEW))
    late = [launched(work, "LoginNode", ran(OLD)) for _ in range(2)]
    knows = launched(work, "LoginNode", ran(NEW))
    (finding,) = RunningNodes(work, NEW).untold()
    assert finding.id == "login-nodes-not-told"
    assert all(one in finding.message for one in late)
    assert knows not in finding.message
    assert (finding.remedy or "").endswith(COMMAND)


def test_compute_nodes_come_and_go_and_are_not_told(work: Work):
    publish(work, OLD)
    launched(work, "HeadNode", ran(NEW))
    launched(work, "Compute", ran(OLD))
    assert ids(work) == []


def test_what_the_head_node_would_have_to_take_back_is_refused(work: Work):
    publish(work, NEW)
    launched(work, "HeadNode", ran(NEW))
    with pytest.raises(
        TrainyardError, match="no longer asks for, and no release takes it back: enroot-pyxis"
    ) as caught:
        ids(work, OLD)
    assert "nothing was touched" in (caught.value.hint or "")


def test_images_that_are_no_longer_imported_stay_and_are_nothing_to_refuse(work: Work):
    fsx = "file_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 250}}]\n"
    software = 'software: {setup: gpu, containers: true, container_images: ["a#b:1"]}'
    with_images = release(spec_of(f"{QUEUE}{fsx}{software}"))
    without = release(spec_of(f"{QUEUE}{fsx}software: {{setup: gpu, containers: true}}"))
    publish(work, with_images)
    launched(work, "HeadNode", ran(with_images))
    assert ids(work, without) == []
