"""The launcher, run in a real shell."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.bootstrap.node import FOLDER, RUN, Node, archive_of

RELEASE = archive_of({"run.sh": RUN, "part/data": b"x" * 10_000})
FORBIDDEN = "fatal error: An error occurred (403) when calling the HeadObject operation: Forbidden"
NO_KEY = "download failed: An error occurred (AccessDenied) when calling the GetObject operation: kms:Decrypt"
NO_NETWORK = 'fatal error: Could not connect to the endpoint URL: "https://s3.us-east-2.amazonaws.com/"'
DISK_FULL = "download failed: s3://mine/x to ./x [Errno 28] No space left on device"


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def says_why(ran: subprocess.CompletedProcess[str]) -> str:
    """Return the one line that a failed run wrote."""
    assert ran.returncode == 1
    (line,) = ran.stderr.splitlines()
    return line


def test_a_release_is_fetched_verified_unpacked_and_run(node: Node):
    digest = node.publish(RELEASE)
    ran = node.launch()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert f"ran in {node.place}/root/releases/{digest} with {FOLDER}\n" in ran.stdout
    assert node.unpacked() == [digest]


def test_aws_is_asked_in_the_region_of_the_cluster(node: Node):
    node.publish(RELEASE)
    node.launch()
    assert [words[-2] for words in node.calls()] == [f"{FOLDER}/release", f"{FOLDER}/releases/1.tar.gz"]
    assert all(words[words.index("--region") + 1] == "us-east-2" for words in node.calls())


def test_a_second_run_does_not_fetch_or_unpack_again(node: Node):
    digest = node.publish(RELEASE)
    node.launch()
    kept = node.place / "root/releases" / digest / "mark"
    kept.touch()
    ran = node.launch()
    assert ran.returncode == 0
    assert "ran in" in ran.stdout
    assert len(node.calls()) == 3
    assert kept.exists()


def test_another_release_is_put_beside_the_former_one(node: Node):
    digests = [node.publish(RELEASE)]
    node.launch()
    digests.append(node.publish(archive_of({"run.sh": RUN, "new": b""})))
    assert f"ran in {node.place}/root/releases/{digests[1]}" in node.launch().stdout
    assert node.unpacked() == sorted(digests)


@pytest.mark.parametrize("pointer", [b"none\n", None], ids=["none", "no pointer"])
def test_nothing_published_is_said_and_is_no_failure(node: Node, pointer: bytes | None):
    if pointer is not None:
        node.put("release", pointer)
    ran = node.launch()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "nothing is published for this cluster yet" in ran.stdout
    assert "nothing is published for this cluster yet" in node.log()
    assert node.unpacked() == []


@pytest.mark.parametrize(
    "pointer",
    [
        b"",
        b"none of it\n",
        b"0" * 64 + b" ../../x\n",
        b"0" * 64 + b" /etc/passwd\n",
        b"0" * 64 + b" .hidden\n",
        b"0" * 64 + b" a b\n",
        b"0" * 64 + b" $(reboot)\n",
        b"0" * 64 + b" a\n" + b"0" * 64 + b" b\n",
        b"../../" + b"0" * 58 + b" x\n",
        b"0" * 63 + b" x\n",
        b"\x00\xff\x1b[2J" * 1000,
        b"x" * 1_000_000,
    ],
)
def test_a_hostile_pointer_leads_nowhere(node: Node, pointer: bytes):
    node.put("release", pointer)
    line = says_why(node.launch())
    assert "instead of a SHA-256 and a file name" in line
    assert "\x1b" not in line
    assert len(line) < 1000
    assert len(node.calls()) == 1
    assert node.unpacked() == []


@pytest.mark.parametrize(
    "archive", [RELEASE[:-10], b"", RELEASE + b"more"], ids=["truncated", "empty", "with something added"]
)
def test_what_is_not_what_was_published_is_not_run(node: Node, archive: bytes):
    digest = node.publish(RELEASE)
    node.put("releases/1.tar.gz", archive)
    ran = node.launch()
    assert f"instead of {digest}" in says_why(ran)
    assert "ran" not in ran.stdout
    assert node.unpacked() == []


@pytest.mark.parametrize("problem", [FORBIDDEN, NO_KEY])
@pytest.mark.parametrize("key", ["release", "releases/1.tar.gz"])
def test_no_access_fails_in_the_end_and_says_to_what(node: Node, key: str, problem: str):
    node.publish(RELEASE)
    node.fail(key, problem)
    line = says_why(node.launch())
    assert f"{FOLDER}/{key} was never uploaded, or this node may not read it: {problem}" in line
    assert [words[-2] for words in node.calls()].count(f"{FOLDER}/{key}") == 6


@pytest.mark.parametrize("problem", [FORBIDDEN, NO_KEY])
@pytest.mark.parametrize("key", ["release", "releases/1.tar.gz"])
def test_rights_that_arrive_late_are_waited_for(node: Node, key: str, problem: str):
    node.publish(RELEASE)
    node.fail(key, problem, times=5)
    ran = node.launch()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "ran in" in ran.stdout


def test_a_network_that_comes_back_is_waited_for(node: Node):
    node.publish(RELEASE)
    node.fail("release", NO_NETWORK, times=5)
    assert node.launch().returncode == 0


def test_a_network_that_stays_away_is_not_waited_for_forever(node: Node):
    node.publish(RELEASE)
    node.fail("release", NO_NETWORK)
    assert f"cannot download {FOLDER}/release in 6 attempts: {NO_NETWORK}" in says_why(node.launch())
    assert len(node.calls()) == 6


def test_a_pointer_to_a_release_that_is_gone_is_a_failure(node: Node):
    node.put("release", b"0" * 64 + b" gone.tar\n")
    assert "names gone.tar, which is not in" in says_why(node.launch())


def test_a_full_disk_stops_the_download(node: Node):
    node.publish(RELEASE)
    node.fail("releases/1.tar.gz", DISK_FULL)
    assert "no space left below" in says_why(node.launch())


def test_a_full_disk_while_unpacking_leaves_nothing_behind(node: Node):
    node.publish(RELEASE)
    assert "cannot unpack 1.tar.gz" in says_why(node.launch(largest_file_kib=5))
    assert node.unpacked() == []


@pytest.mark.parametrize(
    ("archive", "why"),
    [
        (b"no archive", "cannot unpack"),
        (archive_of({"other": b""}), "holds no run.sh"),
        (archive_of({"run.sh": RUN}, mode=0o644), "holds no run.sh that can be run"),
    ],
    ids=["no archive", "without run.sh", "not executable"],
)
def test_a_release_that_cannot_run_is_not_put_into_place(node: Node, archive: bytes, why: str):
    node.publish(archive)
    assert why in says_why(node.launch())
    assert node.unpacked() == []


@pytest.mark.parametrize("name", ["../../../escaped", "part/../../escaped"])
def test_an_archive_cannot_write_outside_its_place(node: Node, name: str):
    node.publish(archive_of({"run.sh": RUN, name: b"x"}))
    assert "cannot unpack" in says_why(node.launch())
    assert not list(node.place.rglob("escaped"))


def test_a_release_that_fails_fails_the_node(node: Node):
    node.publish(archive_of({"run.sh": b"#!/bin/sh\necho broken >&2\nexit 7\n"}))
    ran = node.launch()
    assert (ran.returncode, ran.stderr) == (7, "broken\n")


def test_a_failure_is_in_the_system_log_too(node: Node):
    node.put("release", b"x")
    assert "failed: s3://mine/trainyard/llm/release holds x" in (node.launch(), node.log())[1]


@pytest.mark.parametrize("arguments", [("https://mine/x",), ("s3://mine",), (FOLDER, "more"), ("s3:///x",)])
def test_it_wants_exactly_one_folder(node: Node, arguments: tuple[str, ...]):
    assert "usage" in says_why(node.launch(*arguments))
    assert node.calls() == []


def test_a_node_that_parallelcluster_did_not_configure_is_told_so(node: Node):
    (node.place / "cfnconfig").unlink()
    assert "cfnconfig does not name the region" in says_why(node.launch())


def test_a_place_that_cannot_be_written_to_is_a_failure(node: Node):
    (node.place / "root").write_text("a file")
    assert "cannot write to" in says_why(node.launch())
