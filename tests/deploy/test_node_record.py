"""Records of bootstraps, read as what strangers wrote."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.operate.nodes.planted import failed, node, record, step
from trainyard.deploy.node_record import MOST_BYTES, BadRecordError, disagreement, read_record
from trainyard.edge.aws.nodes import ClusterNode
from trainyard_node.record import StatusRecord
from trainyard_node.record import StepRecord as NodeStep

ID = "i-0a1b2c3d4e5f60718"

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=5,
)
KEYS = tuple(record(ID))
STEP_KEYS = tuple(step())


def read(**changes: object):
    return read_record(json.dumps({**record(ID), **changes}).encode(), ID)


def test_what_a_node_wrote_is_read():
    found = read(steps=[step("packages"), failed("no route")], status="failed")
    assert (found.role, found.queue, found.hostname) == ("compute-gpu", "gpu", "gpu-st-p5-48xlarge-1")
    assert (found.status, found.seconds, found.started) == ("failed", 41.5, 1795262400.0)
    assert [(one.name, one.status, one.exit_status) for one in found.steps] == [
        ("packages", "done", 0), ("efa", "failed", 69),
    ]  # fmt: skip


def test_an_empty_queue_and_keys_that_nobody_knows_are_no_problem():
    assert read(queue="", colour="blue").queue is None


def test_what_a_node_writes_before_it_knows_what_it_is_can_be_read():
    found = read(role=None, queue="", release=None, instance_type=None, started="", steps=[], message="no plan")
    assert (found.role, found.started, found.message) == ("unknown", None, "no plan")


def test_what_the_runner_on_the_nodes_writes_is_read():
    # The node package knows nothing of trainyard, nor trainyard of it; here both meet.
    written = StatusRecord(
        "llm", ID, "m5.large", "head", steps=[NodeStep("efa", "running", required=True, deferred=False)]
    )
    (step_record,) = read_record(written.as_text().encode(), ID).steps
    assert (step_record.name, step_record.status, step_record.required) == ("efa", "running", True)
    assert read_record(StatusRecord("llm", ID, status="failed").as_text().encode(), ID).status == "failed"


@pytest.mark.parametrize(
    ("status", "steps", "shown"),
    [
        ("running", [step("packages"), step("efa", "running")], "efa"),
        ("running", [step("packages")], None),
        ("running", [failed(name="nccl", required=False), step("efa", "running")], "efa"),
        ("deferred", [step("images", "running", deferred=True)], "images"),
        ("failed", [failed(name="nccl", required=False), failed(name="efa")], "efa"),
        ("held", [failed(name="efa")], "efa"),
        ("failed", [], None),
        ("ready", [failed(name="nccl", required=False)], None),
    ],
)
def test_the_step_to_look_at_is_the_required_one_that_failed_or_the_one_that_runs(status, steps, shown):
    found = read(status=status, steps=steps).step
    assert (found.name if found else None) == shown


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is not JSON"),
        (b"\xff\xfe", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b"9" * 10_000, "it is not JSON"),
        (b"[]", "it is no JSON object"),
        (b"{}", "its schema is not 1"),
        (b" " * (MOST_BYTES + 1), "it is longer than 256 KiB"),
    ],
    ids=["empty", "binary", "deep", "digits", "list", "no-schema", "long"],
)
def test_what_is_no_record_is_refused_in_words(content, said):
    with pytest.raises(BadRecordError, match=said):
        read_record(content, ID)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema": 2}, "its schema is not 1; a later version of trainyard may read it"),
        ({"schema": True, "status": 1}, "status is not running, ready, deferred, failed or held"),
        ({"instance_id": "i-0000000000000beef"}, "it is about instance i-0000000000000beef"),
        ({"instance_id": None}, "instance_id is missing"),
        ({"status": "fine"}, "status is not running, ready, deferred, failed or held"),
        ({"hostname": "\x1b[2Jhost"}, "hostname is no name"),
        ({"hostname": "a;reboot"}, "hostname is no name"),
        ({"role": 3}, "role is no name"),
        ({"queue": "a" * 300}, "queue is no name"),
        ({"release": "../../x"}, "release is no SHA-256"),
        ({"seconds": "long"}, "seconds is no number of seconds"),
        ({"seconds": True}, "seconds is no number of seconds"),
        ({"seconds": float("nan")}, "seconds is no number of seconds"),
        ({"seconds": float("inf")}, "seconds is no number of seconds"),
        ({"seconds": -1}, "seconds is no number of seconds"),
        ({"started": 12}, "started is no time"),
        ({"started": "yesterday"}, "started is no time"),
        ({"started": "0001-01-01T00:00:00Z"}, "started is no time"),
        ({"steps": None}, "steps is no list of objects"),
        ({"steps": ["efa"]}, "steps is no list of objects"),
        ({"steps": [step()] * 101}, "it has more than 100 steps"),
        ({"steps": [step(name="\u202e")]}, "name is no name"),
        ({"steps": [step(status="perhaps")]}, "status is not done, failed, skipped or running"),
        ({"steps": [step(required="yes")]}, "required is neither true nor false"),
        ({"steps": [step(attempts=1.5)]}, "attempts is no whole number"),
        ({"steps": [step(exit_status=10**30)]}, "exit_status is no whole number"),
        ({"steps": [step(message=["a"])]}, "message is no text"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_value_of_the_wrong_kind_is_named(changes, said):
    with pytest.raises(BadRecordError, match=said):
        read(**changes)


def test_a_long_message_is_cut_and_put_on_one_line():
    (found,) = read(steps=[step(message="first\nsecond " + "x" * 1000)]).steps
    assert found.message.startswith("first second xxx")
    assert (len(found.message), found.message[-1]) == (500, "…")


@given(st.binary(max_size=200))
def test_any_bytes_are_a_record_or_refused(content):
    with pytest.raises(BadRecordError):
        read_record(content, ID)


@given(st.sampled_from(KEYS), st.sampled_from(STEP_KEYS), ANY_JSON, ANY_JSON)
def test_any_value_under_any_key_is_read_or_refused(key, step_key, value, step_value):
    content = {**record(ID, steps=[step(**{step_key: step_value})]), key: value}
    assert read_or_refused(json.dumps(content).encode()).isprintable()


def read_or_refused(content: bytes) -> str:
    try:
        return read_record(content, ID).instance_id
    except BadRecordError as error:
        return str(error)


HEAD_NODE = node(ID, "HeadNode", private_address="10.0.0.1")
COMPUTE_NODE = node(ID)


@pytest.mark.parametrize(
    ("instance", "says", "words"),
    [
        (COMPUTE_NODE, {"role": "head", "queue": ""}, "its role is head by its own words and compute by EC2's"),
        (COMPUTE_NODE, {"role": "login"}, "its role is login"),
        (COMPUTE_NODE, {"queue": "other"}, "its queue is other by its own words and gpu"),
        (COMPUTE_NODE, {"instance_type": "m5.large"}, "its instance type is m5.large"),
        (COMPUTE_NODE, {"hostname": "other-st-p5-48xlarge-1"}, "its host name is other-st-p5-48xlarge-1"),
        (COMPUTE_NODE, {"hostname": "gpu-st-p4d-1"}, "its host name is gpu-st-p4d-1"),
        (HEAD_NODE, {"role": "compute-gpu", "queue": ""}, "its role is compute by its own words and head"),
        (HEAD_NODE, {"role": "head", "queue": "gpu"}, "its queue is gpu by its own words and none"),
        (HEAD_NODE, {"role": "head", "queue": "", "hostname": "ip-10-0-0-2"}, "and ip-10-0-0-1 by EC2's"),
        (HEAD_NODE, {"role": "head", "queue": "", "hostname": "gpu-dy-p5-1"}, "its host name is gpu-dy-p5-1"),
    ],
)
def test_a_record_that_says_otherwise_than_ec2_is_known(instance: ClusterNode, says: dict[str, str], words: str):
    assert words in (disagreement(read(**says), instance) or "")


@pytest.mark.parametrize(
    ("instance", "says"),
    [
        (COMPUTE_NODE, {}),
        (COMPUTE_NODE, {"hostname": "gpu-dy-p5-48xlarge-12.llm.pcluster"}),
        (COMPUTE_NODE, {"role": None, "queue": None, "instance_type": None, "hostname": ""}),
        (HEAD_NODE, {"role": "head", "queue": "", "hostname": "ip-10-0-0-1.ec2.internal"}),
        (HEAD_NODE, {"role": "head", "queue": "", "hostname": "a-name-of-its-own"}),
    ],
)
def test_one_that_says_the_same_or_nothing_agrees(instance: ClusterNode, says: dict[str, str | None]):
    assert disagreement(read(**says), instance) is None
