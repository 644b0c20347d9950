"""Which cluster commands are about: a name or a spec file, and the region that the spec, the option or AWS' own
configuration says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.in_account import run
from tests.each_case import each_case
from tests.operate.status.planted import config, launch, plant_fleet, plant_stack
from tests.rehearsal.account_copies import empty_account
from trainyard.api.cluster_reference import cluster_reference
from trainyard.edge.aws.account import Account
from trainyard.errors import InputError, TrainyardError

SPEC = """\
name: llm
region: us-east-2
platform: parallelcluster
queues:
  - name: q
    instance_type: m5.large
    nodes: 2
"""
CONFIG = "[default]\nregion = eu-west-1\n[profile ml]\nregion = ap-south-1\n[profile bare]\noutput = json\n"
OF_CLUSTERS = (
    ("status",), ("logs",), ("connect",), ("nodes", "check"), ("nodes", "watch"), ("bench", "submit"), ("diagnose",),
    ("destroy", "--yes"), ("monitor", "verify"), ("monitor", "view"), ("batch", "submit"), ("batch", "image"),
    ("calendar",),
)  # fmt: skip
REGIONS = (
    # region, profile, AWS_REGION, AWS_DEFAULT_REGION, AWS_PROFILE; and what is chosen
    (("us-east-1", "ml", "us-west-1", "us-west-2", None), "us-east-1"),
    ((None, "ml", "us-west-1", "us-west-2", None), "us-west-1"),
    ((None, "ml", "", "us-west-2", None), "us-west-2"),
    ((None, "ml", None, "", "bare"), "ap-south-1"),
    ((None, None, None, None, "ml"), "ap-south-1"),
    ((None, None, None, None, None), "eu-west-1"),
)


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An AWS configuration with regions, and nothing in the environment."""
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "aws").write_text(CONFIG)
    (tmp_path / "cluster.yaml").write_text(SPEC)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "aws"))
    monkeypatch.chdir(tmp_path)
    return monkeypatch


@pytest.mark.parametrize(("given", "region"), REGIONS)
def test_the_region_of_a_name_comes_in_the_order_of_the_aws_cli(aws: pytest.MonkeyPatch, given, region: str):
    option, profile, *variables = given
    for name, value in zip(("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"), variables, strict=True):
        if value is not None:
            aws.setenv(name, value)
    cluster = cluster_reference("llm", option, profile)
    assert (cluster.name, cluster.account.region, cluster.account.profile) == ("llm", region, profile)


def test_the_region_and_bucket_of_a_spec_file_are_those_of_the_spec(aws: pytest.MonkeyPatch):
    aws.setenv("AWS_REGION", "us-west-1")
    Path("cluster.yaml").write_text(f"{SPEC}assets: {{bucket: ours}}\n")
    for written in ("cluster.yaml", "./cluster.yaml", str(Path("cluster.yaml").absolute())):
        cluster = cluster_reference(written, None, "ml")
        assert (cluster.name, cluster.account.region, cluster.bucket) == ("llm", "us-east-2", "ours")
    assert cluster_reference("cluster.yaml", "us-east-2").account.region == "us-east-2"


def test_a_file_without_a_dot_is_never_taken_for_a_spec(aws: pytest.MonkeyPatch):
    Path("llm").write_text(SPEC.replace("us-east-2", "us-west-2"))
    assert cluster_reference("llm").account.region == "eu-west-1"
    assert cluster_reference("./llm").account.region == "us-west-2"


def test_nothing_that_says_a_region_is_an_error_that_names_every_way(aws: pytest.MonkeyPatch):
    with pytest.raises(InputError, match="nothing says which region") as told:
        cluster_reference("llm", None, "bare")
    for way in ("spec file", "--region", "AWS_REGION", "profile"):
        assert way in str(told.value.hint)
    with pytest.raises(TrainyardError, match="nobody"):
        cluster_reference("llm", None, "nobody")


@pytest.mark.usefixtures("aws")
@each_case("command", [*OF_CLUSTERS, ("plan", "--account"), ("deploy", "--yes")])
def test_every_command_refuses_a_region_that_contradicts_the_spec(trainyard, command):
    Path("cluster.yaml").write_text(SPEC)
    ran = trainyard(*command, "cluster.yaml", "--region", "eu-north-1")
    assert (ran.status, ran.out) == (2, "")
    assert "cluster.yaml says us-east-2, and --region says eu-north-1; leave --region out" in ran.err


@pytest.mark.usefixtures("aws")
@each_case("command", OF_CLUSTERS)
def test_every_command_says_of_a_spec_file_that_is_not_there_that_it_is_not(trainyard, command):
    ran = trainyard(*command, "missing.yaml")
    assert (ran.status, ran.out) == (2, "")
    assert "missing.yaml" in ran.err
    assert "does not exist" in ran.err or "there is no file or folder" in ran.err


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with empty_account() as made:
        plant_stack(made, "llm", config())
        launch(made, "llm", "HeadNode")
        plant_fleet(made, "llm", "RUNNING")
        yield made


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_cluster_is_found_by_name_by_spec_and_by_what_the_environment_says(account: Account, tmp_path: Path):
    spec = tmp_path / "cluster.yaml"
    spec.write_text(SPEC)
    elsewhere = {"AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "eu-west-1"}
    assert run(account, "status", spec, **elsewhere).out.startswith("llm in us-east-2: ")
    assert run(account, "status", "llm", AWS_REGION="us-east-2").out.startswith("llm in us-east-2: ")
    listed = run(account, "status", "--json", AWS_REGION="us-east-2")
    assert [cluster["name"] for cluster in json.loads(listed.out)["clusters"]] == ["llm"]
    status, _, err = run(account, "status", "llm", **elsewhere)
    assert (status, "there is no cluster llm in eu-west-1" in err) == (1, True)


@pytest.mark.integration
@pytest.mark.enable_socket
def test_an_unknown_name_is_an_error_of_every_command(account: Account):
    for command in OF_CLUSTERS:
        status, out, err = run(account, *command, "nobody-s", "--region", "us-east-2")
        last = err.splitlines()[-1]
        failed = 2 if command == ("diagnose",) else 1  # where 1 says that a cause was found
        assert (command, status, out) == (command, failed, "")
        assert "nobody-s" in last
        assert "us-east-2" in last
