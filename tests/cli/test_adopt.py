from __future__ import annotations

import json

import pytest

CONFIG = """\
Image: {Os: alinux2023}
HeadNode: {InstanceType: m5.large, Networking: {SubnetId: subnet-0123abcd}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: train
      ComputeResources: [{Name: big, InstanceType: m5.large, MaxCount: 4}]
      Networking: {SubnetIds: [subnet-0123abcd]}
Tags: [{Key: team, Value: '${TEAM}'}]
"""


@pytest.fixture
def config(tmp_path):
    file = tmp_path / "our-cluster.yaml"
    file.write_text(CONFIG)
    return str(file)


def test_a_spec_is_printed_that_names_the_cluster_after_the_file(trainyard, config):
    ran = trainyard("adopt", config, "--region", "eu-west-1")
    assert (ran.status, ran.err) == (0, "")
    assert "\nname: our-cluster\nregion: eu-west-1\nplatform: parallelcluster\n" in ran.out


def test_a_file_that_is_there_is_not_replaced_without_force(trainyard, config, tmp_path):
    spec = tmp_path / "spec.yaml"
    spec.write_text("mine")
    ran = trainyard("adopt", config, "--region", "eu-west-1", "-o", str(spec))
    assert (ran.status, spec.read_text()) == (2, "mine")
    ran = trainyard("adopt", config, "--region", "eu-west-1", "-o", str(spec), "--force")
    assert ran.status == 0
    assert "renders the same configuration" in ran.out
    assert "to be replaced: ${TEAM} in line 9, Tags[0].Value" in ran.out
    assert trainyard("check", str(spec)).status == 0


def test_as_json_it_has_the_spec_and_what_is_left_to_do(trainyard, config):
    shown = json.loads(trainyard("adopt", config, "--region", "eu-west-1", "--name", "mine", "--json").out)
    assert (shown["name"], shown["equal"], shown["differences"]) == ("mine", True, [])
    assert [item["name"] for item in shown["placeholders"]] == ["${TEAM}"]
    assert "${TEAM}" in shown["spec"]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ([], "name a file or --cluster"),
        (["file.yaml", "--cluster", "a"], "name a file or --cluster"),
        (["--cluster", "a", "--name", "b"], "leave --name out"),
        (["missing.yaml"], "does not exist"),
        (["."], "is a folder"),
    ],
)
def test_what_cannot_be_done_says_what_to_do(trainyard, arguments, hint):
    ran = trainyard("adopt", *arguments)
    assert ran.status == 2
    assert hint in ran.err


def test_files_of_any_size_and_content_are_refused_with_the_reason(trainyard, tmp_path):
    contents = {
        "binary": (bytes(range(256)), "UTF-8"),
        "huge": (b"a: b\n" * 2_000_000, "larger than any spec"),
        "bomb": (b"a: &a [1,1,1,1,1,1,1,1,1]\n" + b"".join(
            b"%c: &%c [%s]\n" % (98 + n, 98 + n, b",".join([b"*%c" % (97 + n)] * 9)) for n in range(9)
        ), "no configuration that can be adopted"),
        "names": (CONFIG.replace("train", "\\e[31mred").replace("Name: \\e", 'Name: "\\e').encode(), ""),
    }  # fmt: skip
    for name, (content, problem) in contents.items():
        file = tmp_path / f"{name}.yaml"
        file.write_bytes(content)
        ran = trainyard("adopt", str(file), "--region", "us-east-1")
        assert ran.status == 2, name
        assert problem in ran.err
        assert "\x1b" not in ran.err
