"""Telling by its content whose file a text is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.each_case import each_case
from tests.examples import example_spec
from trainyard.api import check_files
from trainyard.checking.any_file import check_any_file
from trainyard.checking.recognition import Recognition, document_kind, recognise

KINDS = {
    "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig": "eksctl",
    "apiVersion: eksctl.io/v1alpha5": "eksctl",
    "Resources: {Vpc: {Type: AWS::EC2::VPC}}": "cloudformation",
    "AWSTemplateFormatVersion: 2010-09-09\nResources: {}": "cloudformation",
    '{"Resources": {"Job": {"Type": "AWS::Batch::JobDefinition"}}}': "cloudformation",
    "Resources: {Job: {Type: Custom::Anything, Properties: {A: !GetAtt B.C, D: !Sub '${E}'}}}": "cloudformation",
    "Mappings: {Accounts: {123456789012: {on: 1}}}\nResources: {A: {Type: AWS::S3::Bucket}}": "cloudformation",
    "Rules: {A: {Assert: !Contains [[a], !Ref B]}}\nResources: {A: {Type: AWS::S3::Bucket}}": "cloudformation",
    "apiVersion: v1\nkind: Pod": "kubernetes",
    "---\n---\napiVersion: v1\nkind: Pod\n---\napiVersion: batch/v1\nkind: Job\n": "kubernetes",
    "# a comment\nHeadNode: {InstanceType: m5.large}": "parallelcluster",
    "Scheduling: {Scheduler: slurm}": "parallelcluster",
    '{"ClusterName": "a", "InstanceGroups": []}': "hyperpod",
    '{"workload_manager": "slurm", "worker_groups": []}': "hyperpod",
    '{"format_version": "1.2", "planned_values": {}}': "terraform",
    "#!/bin/bash\n#SBATCH --nodes=2\nsrun hostname": "sbatch",
    "#!/usr/bin/env python3\n#SBATCH --nodes=2": "sbatch",
    "#!/usr/bin/env bash\necho": "shell",
    "#! /bin/sh -e\necho": "shell",
}
NONE = (
    "version: 1\nclone_folder: c\nshallow_clone: true\nenvironment: {A: 1}\nplatform: [x64]\ninstall: []",
    "Resources: {A: {Type: AWS::S3::Bucket, B: !Rain::Embed b}}",
    "list:\n\t@grep -l 'AWSTemplateFormatVersion' *.yaml\nifdef A\n",
    "", "# only a comment\n", "a: 1", "- a", "text", "name: CI\non: [push]\njobs: {}", "version: 2\nservices: {}",
    "#!/usr/bin/env python3\nprint()", "import os\n", "Resources: []", "Resources: {a: 1}", "apiVersion: [v1]\nkind: a",
    "apiVersion: v2\nname: chart", "{", "\t- a: [", "a: {{ .Values.a }}", "image: !reference [a, b]",
)  # fmt: skip
NAMES = {
    "Dockerfile": ("FROM scratch\n", "dockerfile"),
    "train.Dockerfile": ("# syntax=x\nARG A=1\nfrom ${A}\n", "dockerfile"),
    "Dockerfile.md": ("How to build it.\n", None),
    "setup.sh": ("set -e\n", "shell"),
    "notes.md": ("apiVersion: v1\nkind: Pod\n", None),
    "pod.json": ('{"apiVersion": "v1", "kind": "Pod"}', "kubernetes"),
}


def judged(text: str) -> Recognition:
    return recognise(text, "file.yaml")


@each_case("text", KINDS)
def test_content_says_whose_file_it_is(text: str):
    recognition = judged(text)
    assert (recognition.kind, recognition.reason, recognition.problems) == (KINDS[text], None, ())


@each_case("text", NONE)
def test_what_is_nobody_s_has_a_reason(text: str):
    recognition = judged(text)
    assert (recognition.kind, recognition.documents) == (None, ())
    assert recognition.reason


def test_a_platform_among_keys_of_specs_is_meant_as_a_spec():
    for text in ("name: a\nregion: b\nplatform: eks\nqueus: []", "{platform: eks}", "{queues: [], a: 1, b: 2}"):
        assert judged(text) == Recognition()


@each_case("name", NAMES)
def test_names_count_where_content_says_too_little(name: str):
    text, kind = NAMES[name]
    assert recognise(text, name).kind == kind


def test_every_document_of_a_stream_has_its_kind_and_its_place():
    text = "apiVersion: v1\nkind: Pod\n---\napiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {}\n"
    recognition = judged(text)
    assert [kind for kind, _ in recognition.documents] == ["kubernetes", "eksctl"]
    assert recognition.documents[1][1].place(("metadata",)) == (6, 1)


def test_a_script_is_the_list_of_its_lines():
    ((_, document),) = recognise("#!/bin/bash\n#SBATCH -N 2\n", "job").documents
    assert document.value == ("#!/bin/bash", "#SBATCH -N 2")
    assert document.place((1,)) == (2, 1)


def test_what_plainly_is_a_tool_s_file_and_cannot_be_read_is_wrong():
    for text, kind in {
        "apiVersion: eksctl.io/v1alpha5\nkind: [": "eksctl",
        "Resources: {A: {Type: AWS::S3::Bucket, Name: [}}": "cloudformation",
        "Resources: {A: {Type: AWS::S3::Bucket, Name: !Reff b}}": "cloudformation",
        "Resources: {A: {Type: AWS::S3::Bucket, Name: '{{resolve:ssm:b}}', Name: c}}": "cloudformation",
    }.items():
        recognition = judged(text)
        assert recognition.kind == kind
        assert recognition.problems


@pytest.mark.parametrize(
    "value", [None, (), "text", {}, {"apiVersion": 1}, {"apiVersion": ("eksctl.io/v1",)}, {"Resources": ({},)}]
)
def test_whatever_is_no_file_of_theirs_has_no_kind(value: object):
    assert document_kind(value) is None


def test_a_bomb_in_several_documents_is_still_one():
    document = "---\na: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\n"
    assert "aliases are expanded" in str(judged(document * 100).reason)


def test_every_file_of_a_folder_is_judged_or_has_its_reason(tmp_path: Path):
    (tmp_path / "spec.yaml").write_text(example_spec(""))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "vpc.yaml").write_text("Resources: {Vpc: {Type: AWS::EC2::VPC, Properties: {A: !Ref B}}}\n")
    (tmp_path / "sub" / "broken.yaml").write_text("a: [\n")
    (tmp_path / "sub" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config.yaml").write_text("a: [\n")
    (tmp_path / "README.md").write_text("# Title\n")
    checked = {Path(one.file).name: one for one in check_files([str(tmp_path)])}
    assert {name: one.kind for name, one in checked.items() if one.not_judged is None} == {
        "spec.yaml": "spec",
        "vpc.yaml": "cloudformation",
    }
    assert [finding.id for finding in checked["vpc.yaml"].findings] == ["nothing-to-judge"]
    assert {name for name, one in checked.items() if one.not_judged} == {"broken.yaml", "picture.png", "README.md"}
    assert not any(finding.severity == "error" for one in checked.values() for finding in one.findings)


def test_an_empty_folder_is_no_success(tmp_path: Path):
    (only,) = check_files([str(tmp_path)])
    assert only.not_judged == "there is no file below it"


def test_who_names_a_file_may_have_meant_a_spec(tmp_path: Path):
    for text, id_ in {"- a": "spec-not-a-mapping", "a: [": "yaml-syntax", "name: a": "spec-missing-key"}.items():
        (tmp_path / "file.yaml").write_text(text)
        findings = check_any_file(str(tmp_path / "file.yaml")).findings
        assert id_ in {finding.id for finding in findings}
        assert check_any_file(str(tmp_path / "file.yaml"), named=False).not_judged
