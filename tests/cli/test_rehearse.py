"""What ``trainyard rehearse`` refuses or says before anything is rehearsed."""

from __future__ import annotations

import json

import pytest

from tests.each_case import each_case
from tests.examples import example_spec
from trainyard.api.rehearse import effective_breakdowns, what_can_break_down
from trainyard.architectures import all_architectures
from trainyard.platform_table import PLATFORMS
from trainyard.rehearsal.emulated.breakdown import breakdowns
from trainyard.spec.parsing import parse


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "cluster.yaml").write_text(example_spec("software: {setup: cpu}\n"))
    return "cluster.yaml"


def test_what_can_break_down_is_listed(trainyard, spec):
    lines = trainyard("rehearse", "--break", "list").out.splitlines()
    assert dict(line.split(maxsplit=1) for line in lines) == what_can_break_down()
    listed = json.loads(trainyard("rehearse", spec, "--break", "list", "--json").out)
    assert {breakdown["name"]: breakdown["what"] for breakdown in listed["breakdowns"]} == what_can_break_down()


def test_what_cannot_break_down_is_refused_with_what_can(trainyard, spec):
    result = trainyard("rehearse", spec, "--break", "everything")
    assert result.status == 2
    assert "nothing breaks down as 'everything'" in result.err
    assert "no-capacity" in result.err


def test_an_archive_that_is_there_is_refused_before_anything_is_rehearsed(trainyard, spec, tmp_path):
    (tmp_path / "logs.tar.gz").write_bytes(b"mine")
    result = trainyard("rehearse", spec, "--archive", "logs.tar.gz")
    assert (result.status, result.out) == (2, "")
    assert "logs.tar.gz exists already" in result.err
    assert (tmp_path / "logs.tar.gz").read_bytes() == b"mine"


def test_an_archive_that_is_called_something_else_is_refused_before_anything_is_rehearsed(trainyard, spec):
    result = trainyard("rehearse", spec, "--archive", "logs.txt")
    assert (result.status, result.out) == (2, "")
    assert "call it logs.tar.gz" in result.err


def test_a_folder_of_somebody_else_is_refused_before_anything_is_rehearsed(trainyard, spec, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    result = trainyard("rehearse", spec, "-o", "mine")
    assert (result.status, result.out) == (2, "")
    assert "mine was not made by trainyard" in result.err
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []


SHARED = "kind: environment\nname: use2\nregion: us-east-2\nnetwork: {availability_zone: us-east-2a}\n"
INSIDE = "environment: use2\nplatform: eks\n"


@pytest.fixture
def inside(tmp_path):
    (tmp_path / "cluster.yaml").write_text(example_spec(INSIDE))
    (tmp_path / "shared.yaml").write_text(SHARED)
    return tmp_path


@pytest.mark.usefixtures("inside")
def test_a_cluster_in_an_environment_asks_for_its_spec(trainyard):
    result = trainyard("rehearse", "cluster.yaml")
    assert (result.status, result.out) == (2, "")
    assert "cluster.yaml is in environment use2" in result.err
    assert "--environment FILE" in result.err


def test_a_spec_from_standard_input_is_read_once(trainyard):
    result = trainyard("rehearse", "-", standard_input=example_spec(INSIDE))
    assert result.status == 2
    assert "- is in environment use2" in result.err


@pytest.mark.parametrize(
    ("cluster", "shared", "said"),
    [
        (INSIDE, SHARED.replace("use2\n", "usw2\n"), "shared.yaml describes environment usw2 in us-east-2"),
        (INSIDE, SHARED.replace("us-east-2", "us-west-2"), "describes environment use2 in us-west-2"),
        (INSIDE, example_spec(""), "shared.yaml describes the cluster example"),
        ("platform: eks\n", SHARED, "example is a cluster in no environment; leave --environment out"),
        (SHARED, SHARED, "use2 is an environment; leave --environment out"),
    ],
)
def test_another_environment_than_its_own_is_refused(trainyard, inside, cluster, shared, said):
    (inside / "cluster.yaml").write_text(example_spec(cluster))
    (inside / "shared.yaml").write_text(shared)
    result = trainyard("rehearse", "cluster.yaml", "--environment", "shared.yaml")
    assert (result.status, result.out) == (2, "")
    assert said in result.err


def test_errors_in_the_environment_are_told_with_its_file(trainyard, inside):
    (inside / "shared.yaml").write_text(SHARED + "file_systems: [{mount: /apps, ebs: {size_gib: 100}}]\n")
    result = trainyard("rehearse", "cluster.yaml", "--environment", "shared.yaml")
    assert result.status == 1
    assert "shared.yaml:5" in result.err
    assert "nothing was rehearsed: 1 error" in result.err


@pytest.mark.parametrize(
    ("architecture", "breakdown"),
    [
        ("distributed-training-gpu", "image-not-pulled"),
        ("distributed-training-gpu", "kubernetes-api-unreachable"),
        ("batch-p5", "fabric-manager"),
        ("eks-g4dn", "accounting-database"),
        ("eks-g4dn", "file-system-refused"),
    ],
)
def test_what_breaks_nothing_of_a_spec_is_refused_with_what_does(trainyard, tmp_path, architecture, breakdown):
    spec = tmp_path / "cluster.yaml"
    spec.write_text(next(entry.text for entry in all_architectures() if entry.name == architecture))
    result = trainyard("rehearse", str(spec), "--break", breakdown)
    assert result.status == 2
    assert f"{breakdown} breaks nothing of " in result.err
    assert "no-capacity" in result.err


OF_EACH_PLATFORM = {
    "parallelcluster": "platform: parallelcluster\nhead_node: {instance_type: m5.large}\n",
    "batch": "platform: batch\n",
    "eks": "platform: eks\n",
}
QUEUE = "queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}]\n"
OF_STATIC_NODES = ("fabric-manager", "no-route", "reservation-ended", "vcpu-limit")


@each_case(
    ("platform", "breakdown"),
    [
        *((platform, name) for platform in OF_EACH_PLATFORM for name in OF_STATIC_NODES),
        *((platform, "no-capacity") for platform in ("parallelcluster", "eks")),
    ],
)
def test_no_node_that_always_runs_breaks_down_where_there_is_none(platform: str, breakdown: str):
    zones = "network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}\n"
    text = f"name: llm\nregion: us-east-2\n{OF_EACH_PLATFORM[platform]}{zones}{QUEUE}"
    spec = parse(text, "llm.yaml").spec
    assert breakdown not in effective_breakdowns(spec)
    assert "role-not-allowed" in effective_breakdowns(spec)
    always = parse(text.replace("min: 0", "min: 1"), "llm.yaml").spec
    assert (breakdown in effective_breakdowns(always)) == (platform != "batch")


def test_no_role_breaks_down_in_an_environment_that_makes_none():
    text = "kind: environment\nname: shared\nregion: us-east-2\nnetwork: {availability_zone: us-east-2a}\n"
    for mode, expected in (("none", []), ("amp+amg", ["role-not-allowed"])):
        assert effective_breakdowns(parse(f"{text}monitoring: {{mode: {mode}}}\n", "e.yaml").spec) == expected


def test_everything_that_can_break_down_strikes_some_platform():
    strikes = {strike for platform in PLATFORMS.values() for strike in platform.rehearsal().STRIKES}
    assert {breakdown.strikes for breakdown in breakdowns().values()} == strikes
