"""What is found about the nodes of a cluster."""

from __future__ import annotations

import pytest

from tests.operate.nodes.planted import (
    COMPUTE,
    CURRENT,
    DEPLOYMENT,
    FOLDER,
    FORMER,
    GONE,
    HEAD,
    LOGIN,
    SPEC,
    Planted,
    failed,
    node,
    step,
)
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.nodes.cluster_nodes import ClusterNodes
from trainyard.operate.nodes.finding_kinds import kinds

EVIDENCE = f"s3://ml-bucket/{FOLDER}"


def found(nodes: ClusterNodes) -> list[tuple[str, str]]:
    return [(finding.severity, finding.id) for finding in nodes.findings]


def only(nodes: ClusterNodes, id_: str) -> str:
    (message,) = (
        f"{finding.severity}: {finding.message}; {finding.remedy}" for finding in nodes.findings if finding.id == id_
    )
    return message


def fail_and_go(cluster: Planted, instance_id: str = GONE, **more: object) -> None:
    cluster.come_up()
    cluster.write(instance_id, "failed", steps=[failed("driver 570 is missing", "fabric")], **more)


def test_a_cluster_whose_nodes_are_all_ready_is_fine(cluster):
    cluster.come_up()
    nodes = cluster.look()
    assert (nodes.ok, nodes.ready, found(nodes)) == (True, True, [])
    assert [(one.id, one.place, one.status) for one in nodes.present] == [
        (HEAD, "head node", "ready"),
        (LOGIN, "login pool login", "ready"),
        (COMPUTE, "queue gpu", "ready"),
    ]


def test_nodes_that_have_just_started_are_given_their_time(cluster):
    assert (cluster.look().ok, found(cluster.look())) == (False, [("info", "node-never-reported")] * 3)
    cluster.now += 601  # what a login node has, whatever the timeouts say
    assert found(cluster.look()) == [("error", "node-never-reported"), *[("info", "node-never-reported")] * 2]
    cluster.now += 1800
    (message,) = (finding.message for finding in cluster.look().findings if COMPUTE in finding.message)
    assert message == f"{COMPUTE} (queue gpu) has been there for 40 min and has never reported; it had 40 min"


def test_a_node_that_comes_up_is_not_ready_and_no_problem_until_its_time_is_over(cluster):
    cluster.come_up()
    cluster.write(COMPUTE, "running", steps=[step("efa", "running")], seconds=None)
    assert (cluster.look().ok, found(cluster.look())) == (False, [])
    cluster.now += 2500
    assert only(cluster.look(), "node-too-slow").startswith(
        f"error: gpu-st-p5-48xlarge-1 ({COMPUTE}) (queue gpu) has been coming up for 41 min, now in step efa; "
        "it had 40 min; "
    )


def test_the_clock_of_a_node_does_not_decide_how_long_it_has_been_there(cluster):
    cluster.come_up()
    cluster.write(COMPUTE, "running", started="2001-01-01T00:00:00Z")
    assert found(cluster.look()) == []


def test_a_node_that_is_ready_is_no_problem_however_long_it_has_been_there(cluster):
    cluster.come_up()
    cluster.now += 10**6
    assert cluster.look().ok


def test_a_node_with_deferred_steps_is_not_ready_and_no_problem(cluster):
    cluster.come_up()
    cluster.write(HEAD, "deferred", role="head", queue="", steps=[step("images", "running", deferred=True)])
    assert (cluster.look().ok, found(cluster.look())) == (False, [])


def test_a_failed_node_shows_its_step_its_message_and_where_its_logs_are(cluster):
    cluster.come_up()
    cluster.write(COMPUTE, "failed", steps=[step(), failed("no route to S3", "docker")])
    nodes = cluster.look()
    assert (nodes.ok, found(nodes)) == (False, [("error", "node-failed")])
    assert only(nodes, "node-failed") == (
        f"error: gpu-st-p5-48xlarge-1 ({COMPUTE}) (queue gpu) failed: step docker with exit status 69; "
        f'the node says "no route to S3"; '
        f"correct that and replace the node; the ends of its logs lie in {EVIDENCE}/{COMPUTE}/"
    )
    assert nodes.findings[0].file == f"{EVIDENCE}/{COMPUTE}.json"


def test_of_a_held_node_it_is_said_how_to_give_it_back(cluster):
    cluster.come_up()
    cluster.write(COMPUTE, "held", steps=[failed()], hostname="gpu-st-p5-48xlarge-1.llm.pcluster")
    said = only(cluster.look(), "node-held")
    assert 'is held and takes no jobs: step efa with exit status 69; the node says "no route to S3"' in said
    assert "`trainyard nodes replace llm gpu-st-p5-48xlarge-1 --region us-east-2 --reason TEXT`" in said
    assert "scontrol delete ReservationName=trainyard-hold-gpu-st-p5-48xlarge-1 " in said


@pytest.mark.parametrize(
    ("message", "said"),
    [("", "its record does not say why"), ("plan.json is damaged", 'the node says "plan.json is damaged"')],
)
def test_a_failure_before_the_first_step_says_what_the_node_says(cluster, message, said):
    cluster.come_up()
    cluster.write(COMPUTE, "failed", steps=[], role=None, started="", message=message)
    assert f"(queue gpu) failed: {said}; correct that" in only(cluster.look(), "node-failed")


@pytest.mark.parametrize(
    "content", [b"", b"\x1b[2J", b'{"schema": 1}', b" " * 300_000], ids=["0", "esc", "part", "big"]
)
def test_a_record_that_cannot_be_read_is_one_error(cluster, content):
    cluster.come_up()
    cluster.written[COMPUTE] = content
    nodes = cluster.look()
    assert (nodes.ok, found(nodes)) == (False, [("error", "node-record-unreadable")])
    assert only(nodes, "node-record-unreadable").isprintable()


def test_an_optional_step_that_failed_is_one_warning_for_all_nodes(cluster):
    cluster.come_up()
    other = "i-0000000000000beef"
    cluster.nodes[other] = node(other)
    for id_ in (COMPUTE, other):
        cluster.write(id_, hostname="", steps=[failed("no such image", "dcgm-exporter", required=False)])
    nodes = cluster.look()
    assert (nodes.ok, found(nodes)) == (True, [("warning", "optional-step-failed")])
    said = f'optional step dcgm-exporter failed on {COMPUTE}, {other}; the first says "no such image"'
    assert nodes.findings[0].message == said


def test_nodes_with_a_former_release_are_one_warning(cluster):
    cluster.come_up()
    cluster.write(COMPUTE, release=FORMER)
    nodes = cluster.look()
    assert (nodes.ok, found(nodes)) == (True, [("warning", "release-not-current")])
    assert COMPUTE in nodes.findings[0].message
    assert nodes.findings[0].remedy == "replace compute nodes when no jobs run on them"


def test_head_and_login_nodes_with_a_former_release_are_told_with_the_command(cluster):
    cluster.come_up()
    for id_, role in ((HEAD, "head"), (LOGIN, "login")):
        cluster.write(id_, role=role, queue="", release=FORMER)
    assert (only(cluster.look(), "release-not-current")).endswith(
        "; run on the head node and the login pool login: F=$(mktemp) && aws s3 cp --region us-east-2 "
        's3://ml-bucket/trainyard/llm/launch.sh "$F" && sudo bash "$F" s3://ml-bucket/trainyard/llm'
    )


def test_a_cluster_that_is_not_made_yet_misses_no_nodes_for_good(cluster):
    cluster.deployment = DEPLOYMENT._replace(stage="prepared")
    cluster.nodes.clear()
    assert "the deployment has not ended yet" in {finding.remedy for finding in cluster.look().findings}


def test_a_stopped_head_node_is_an_error_and_its_place_is_empty(cluster):
    cluster.come_up()
    cluster.nodes[HEAD] = node(HEAD, "HeadNode", state="stopped")
    nodes = cluster.look()
    assert (nodes.ready, found(nodes)) == (False, [("error", "node-not-running"), ("error", "nodes-missing")])


def test_a_node_that_is_on_its_way_out_does_not_count(cluster):
    cluster.come_up()
    leaving = "i-0000000000000beef"
    cluster.nodes[leaving] = node(leaving, state="shutting-down")
    assert cluster.look().ok


def test_a_node_that_always_runs_and_is_missing_is_named_with_its_place_in_the_spec(cluster):
    cluster.come_up()
    del cluster.nodes[COMPUTE]
    nodes = cluster.look()
    assert (nodes.ok, found(nodes)) == (False, [("error", "nodes-missing")])
    assert nodes.findings[0].path == "queues[0].nodes"
    assert only(nodes, "nodes-missing").startswith(
        "error: 0 of 1 nodes are there of queue gpu, compute resource p5-48xlarge; see the log of clustermgtd"
    )


def test_a_node_that_runs_for_a_job_does_not_stand_in_for_one_that_always_runs(cluster):
    cluster.come_up()
    cluster.write(COMPUTE, hostname="gpu-dy-p5-48xlarge-1")
    assert found(cluster.look()) == [("error", "nodes-missing")]


def test_a_node_of_another_compute_resource_of_the_queue_does_not_stand_in_for_one_that_is_missing(cluster):
    cluster.come_up()
    cluster.nodes[COMPUTE] = node(COMPUTE, compute_resource="m5-large")
    cluster.write(COMPUTE)
    assert found(cluster.look()) == [("error", "nodes-missing"), ("warning", "node-not-in-spec")]


def test_while_the_cluster_is_deployed_missing_nodes_are_still_to_come(cluster):
    cluster.come_up()
    del cluster.nodes[COMPUTE]
    cluster.deployment = cluster.deployment._replace(stage="deploying")
    assert only(cluster.look(), "nodes-missing").endswith("; the deployment has not ended yet")


def test_nodes_beyond_the_spec_and_not_in_it_are_warnings(cluster):
    cluster.come_up()
    for number, queue in enumerate(["gpu", "gpu", "other"]):
        id_ = f"i-0000000000000bee{number}"
        cluster.nodes[id_] = node(id_, queue=queue)
        cluster.write(id_, queue=queue)
    nodes = cluster.look()
    assert found(nodes) == [("warning", "nodes-beyond-spec"), ("warning", "node-not-in-spec")]
    assert nodes.findings[0].message.startswith(
        "3 nodes are there of queue gpu, compute resource p5-48xlarge, which has 2"
    )
    assert "has no queue other, compute resource p5-48xlarge" in nodes.findings[1].message


def test_the_last_failure_of_a_queue_is_an_error_although_the_node_is_gone(cluster):
    fail_and_go(cluster, queue="cpu", hostname="cpu-dy-m5-1")
    cluster.now += 200
    nodes = cluster.look()
    assert (nodes.ok, nodes.ready, found(nodes)) == (False, True, [("error", "failed-node-gone")])
    assert only(nodes, "failed-node-gone") == (
        f"error: cpu-dy-m5-1 ({GONE}) (queue cpu) failed 3 min ago and is gone: step fabric with exit status 69; "
        'the node says "driver 570 is missing"; '
        "correct that; no such node has come up since; "
        f"the ends of its logs lie in {EVIDENCE}/{GONE}/"
    )


@pytest.mark.parametrize(
    ("failure", "answer"),
    [
        ({"started": "2026-11-20T12:00:00Z"}, f"gpu-st-p5-48xlarge-1 ({COMPUTE}) has come up since"),
        ({"started": "2026-11-21T13:00:00Z", "release": FORMER}, "another release has been published since"),
        ({"started": "2026-11-20T12:00:00Z", "role": "login", "queue": ""}, f"ip-10-0-0-2 ({LOGIN}) has come up since"),
    ],
    ids=["another-came-up", "another-release", "another-login-node"],
)
def test_a_failure_that_is_over_is_a_warning_that_says_why(cluster, failure, answer):
    fail_and_go(cluster, **failure)
    nodes = cluster.look()
    assert (nodes.ok, found(nodes)) == (True, [("warning", "failed-node-gone")])
    assert nodes.findings[0].message.endswith(f"; {answer}")


def test_a_node_that_came_up_before_the_failure_does_not_answer_for_it(cluster):
    fail_and_go(cluster, started="2026-11-21T13:00:00Z")
    assert found(cluster.look()) == [("error", "failed-node-gone")]


def test_of_many_failures_the_last_ten_are_told_one_by_one(cluster):
    for number in range(13):
        fail_and_go(cluster, f"i-1{number:016x}", queue="cpu")
    nodes = cluster.look()
    assert found(nodes) == [*[("error", "failed-node-gone")] * 10, ("warning", "failed-node-gone")]
    assert nodes.findings[-1].message == "3 more nodes of those that are gone failed before"


def test_broken_records_of_gone_nodes_are_one_warning(cluster):
    cluster.come_up()
    cluster.written |= {GONE: b"?", "i-0000000000000beef": b"?"}
    assert (cluster.look().ok, found(cluster.look())) == (True, [("warning", "node-record-unreadable")])


def test_records_that_were_not_read_are_counted(cluster):
    cluster.come_up()
    assert only(cluster.look(unread=5), "older-records-unread").startswith("info: 5 older records")


@pytest.mark.parametrize("pointer", [None, b"none\n"])
def test_a_cluster_for_which_nothing_is_published_is_ready_when_it_runs(cluster, pointer):
    cluster.pointer = pointer
    nodes = cluster.look()
    assert (nodes.ok, found(nodes)) == (True, [("info", "nothing-published")])
    assert {one.status for one in nodes.present} == {"not-expected"}


@pytest.mark.parametrize("pointer", [b"", b"latest", b"x" * 1000, f"{CURRENT} ../x\n".encode()])
def test_a_damaged_pointer_is_an_error(cluster, pointer):
    cluster.come_up()
    cluster.pointer = pointer
    assert found(cluster.look()) == [("error", "release-unreadable")]


@pytest.mark.parametrize("text", ["name: [", "name: llm", SPEC.replace("platform:", "platfrom:")])
def test_a_spec_that_this_version_cannot_read_is_a_warning(cluster, text):
    cluster.come_up()
    cluster.deployment = cluster.deployment._replace(spec_text=text)
    assert (cluster.look().ok, found(cluster.look())) == (True, [("warning", "spec-not-remembered")])


def test_without_a_deployment_record_nodes_are_shown_all_the_same(cluster):
    cluster.come_up()
    cluster.deployment = None
    nodes = cluster.look()
    assert (nodes.ok, len(nodes.present), found(nodes)) == (True, 3, [("warning", "spec-not-remembered")])


def test_nodes_of_one_queue_are_looked_at_alone(cluster):
    cluster.come_up()
    cluster.write(HEAD, "failed", role="head")
    assert [one.id for one in cluster.look(queue="gpu").present] == [COMPUTE]
    assert cluster.look(queue="gpu").ok
    assert cluster.look(queue="cpu").ok
    with pytest.raises(InputError, match="llm has no queue 'gup'") as refused:
        cluster.look(queue="gup")
    assert refused.value.hint == "it has cpu, gpu, login"


@pytest.mark.parametrize("name", [COMPUTE, "gpu-st-p5-48xlarge-1"])
def test_one_node_is_found_by_id_and_by_host_name(cluster, name):
    cluster.come_up()
    cluster.write(HEAD, "failed", role="head", hostname="head")
    nodes = cluster.look(node=name)
    assert ([one.id for one in nodes.present], nodes.ok) == ([COMPUTE], True)


def test_a_node_that_is_gone_is_found_by_its_id(cluster):
    fail_and_go(cluster)
    nodes = cluster.look(node=GONE)
    assert (nodes.present, [one.id for one in nodes.gone]) == ((), [GONE])
    with pytest.raises(InputError, match="llm has no node 'i-12', and no record of one"):
        cluster.look(node="i-12")


def test_an_environment_has_no_nodes(cluster):
    text = "kind: environment\nname: llm\nregion: us-east-2\nnetwork: {availability_zone: us-east-2a}\n"
    cluster.deployment = cluster.deployment._replace(spec_text=text)
    with pytest.raises(TrainyardError, match="llm is an environment and has no nodes"):
        cluster.look()


@pytest.mark.parametrize(("id_", "kind"), kinds().items())
def test_every_kind_of_finding_is_explained(id_, kind):
    assert kind.id == id_
    assert kind.severity in ("error", "warning", "info")
    assert kind.source.startswith("https://")
    assert kind.remedy.endswith(".")
