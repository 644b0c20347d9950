"""Looks at an account in memory: which calls are made, and what is read from the bucket."""

from __future__ import annotations

import pytest

from tests.operate.nodes.planted import BUCKET, FOLDER, GONE, failed, plant, put, record
from trainyard.deploy.record import Deployment, write_record
from trainyard.edge.aws import s3
from trainyard.edge.aws.s3_lookup import FolderListing, ListedObject
from trainyard.errors import TrainyardError
from trainyard.operate.nodes.bucket_records import to_read
from trainyard.operate.nodes.node_query import Look


def calls_of(account) -> list[tuple[str, str]]:
    """Return a list of operation and key that grows with each call."""
    made: list[tuple[str, str]] = []
    for service in ("ec2", "s3"):
        events = account.client(service).meta.events
        events.register(
            "provide-client-params", lambda params, model, **_: made.append((model.name, params.get("Key", "")))
        )
    return made


def test_a_look_joins_instances_records_spec_and_release_and_the_next_one_fetches_only_what_has_changed(account):
    head, login, compute = plant(account)
    put(account, head, record(head, role="head", queue=""))
    put(account, login, record(login, role="login", queue=""))
    put(account, compute, record(compute))
    put(account, GONE, b" " * 300_000)
    for name in ("README.json", "\x1b[2J.json", f"{compute}/20-efa.log", "i-0a1b2c3d4e5f60718"):
        s3.put(account, BUCKET, f"{FOLDER}/{name}", b"{}")

    looking, made = Look(account, BUCKET, "llm"), calls_of(account)
    nodes = looking.look()
    assert nodes.ok
    assert [(one.id, one.role, one.group, one.compute_resource) for one in nodes.present] == [
        (head, "head", None, None),
        (compute, "compute", "gpu", "p5-48xlarge"),
        (login, "login", "login", None),
    ]
    assert [(node_state.id, node_state.status) for node_state in nodes.gone] == [(GONE, "unreadable")]
    assert len([key for _, key in made if "/nodes/" in key]) == 3

    put(account, compute, record(compute, "failed", steps=[failed()]))
    made.clear()
    assert [finding.id for finding in looking.look().findings if finding.severity == "error"] == ["node-failed"]
    fetched = ("GetObject", f"{FOLDER}/{compute}.json")
    assert made == [("DescribeInstances", ""), ("ListObjectsV2", ""), fetched]


@pytest.mark.parametrize(("platform", "title"), [("batch", "AWS Batch"), ("eks", "Amazon EKS")])
def test_a_cluster_whose_nodes_report_nothing_misses_none(account, platform, title):
    text = f"name: llm\nregion: us-east-2\nplatform: {platform}\nnetwork: {{availability_zone: us-east-2a}}\n"
    queues = "queues: [{name: gpu, instance_type: p5.48xlarge, nodes: 2}]\n"
    write_record(
        account,
        BUCKET,
        Deployment("llm", "us-east-2", "deployed", "0", None, text + queues, None, "2026-11-21T12:00:00+00:00"),
    )
    with pytest.raises(TrainyardError, match=f"llm is a cluster of {title}, whose nodes report nothing") as refused:
        Look(account, BUCKET, "llm").look()
    assert refused.value.hint == "`trainyard status llm` says which nodes there are"


def test_of_instances_that_are_gone_only_the_newest_hundred_are_read():
    written = {f"i-{number:017x}.json": ListedObject("tag", 1, float(number)) for number in range(103)}
    wanted, unread = to_read(FolderListing(written, whole=True), [f"i-{1:017x}"])
    assert (len(wanted), unread) == (101, 2)
    assert f"i-{1:017x}" in wanted
    assert {f"i-{0:017x}", f"i-{2:017x}"}.isdisjoint(wanted)


@pytest.mark.parametrize("whole", [True, False])
def test_where_a_folder_is_too_full_to_be_listed_the_records_of_instances_that_are_there_are_asked_for(whole):
    wanted, _ = to_read(FolderListing({}, whole=whole), ["i-0a1b2c3d"])
    assert (set(wanted) == {"i-0a1b2c3d"}) is not whole


def test_a_cluster_of_which_there_is_nothing_is_an_error_that_names_the_bucket(account):
    with pytest.raises(TrainyardError, match="there is no cluster llm in us-east-2") as refused:
        Look(account, BUCKET, "llm").look()
    assert refused.value.where == "s3://ml-bucket/trainyard/llm"
    with pytest.raises(TrainyardError, match="there is no cluster llm"):
        Look(account, "nobody-s-bucket", "llm").look()


def test_records_are_shown_although_nothing_else_is_left_of_a_cluster(account):
    put(account, GONE, record(GONE, "failed", steps=[failed()]))
    nodes = Look(account, BUCKET, "llm").look()
    assert ([node_state.id for node_state in nodes.gone], nodes.ok) == ([GONE], False)
