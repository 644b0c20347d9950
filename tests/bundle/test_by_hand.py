"""The commands in a bundle's README, held against the AWS command line's own models."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from functools import cache
from typing import TYPE_CHECKING, Any

import botocore.session
import pytest
from botocore import xform_name
from hypothesis import example, given

from tests.specs import spec_of, spec_texts
from trainyard.bundle.assemble import assemble
from trainyard.rules import example_spec
from trainyard.spec import parse

if TYPE_CHECKING:
    from pathlib import Path

    from botocore.model import OperationModel

# Options of the aws command itself: https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-options.html
OWN_OPTIONS = {"region", "query", "output"}

EVERYTHING = """\
access: {allow_from: [203.0.113.7/32, 198.51.100.0/24]}
login_nodes: {count: 1}
queues:
  - {name: a, instance_type: p5.48xlarge}
  - {name: b, instance_type: m5.large, availability_zone: us-east-2c}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250, data_repository: "s3://data/a'$(reboot)b"}}
  - {mount: /old, lustre: {size_gib: 1200, deployment: SCRATCH_2}}
  - {mount: /home, openzfs: {size_gib: 512}}
monitoring: {mode: amp+amg}
"""


def readme_of(part: str) -> str:
    return assemble(spec_of(part)).files["README.md"].decode()


def code_lines(readme: str) -> list[str]:
    blocks: list[str] = re.findall(r"```bash\n(.*?)```", readme, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def aws_commands(readme: str) -> list[list[str]]:
    """Return the words of every aws command, those inside $(…) too."""
    commands = []
    for line in code_lines(readme):
        inner = re.search(r"=\$\((aws .*)\)$", line) or re.search(r"^until (aws .*) \| grep -qE", line)
        if inner or line.startswith("aws "):
            commands.append(shlex.split(inner[1] if inner else line))
    return commands


COMMANDS = aws_commands(readme_of(EVERYTHING))


@cache
def operation(service: str, command: str) -> OperationModel:
    model = botocore.session.get_session().get_service_model(service)
    return next(model.operation_model(name) for name in model.operation_names if xform_name(name, "-") == command)


def options(words: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        if word.startswith("--"):
            name = word.removeprefix("--")
            found[name] = []
        else:
            found[name].append(word)
    return found


def test_the_readme_of_a_spec_that_uses_everything_makes_everything():
    assert {tuple(words[1:3]) for words in COMMANDS} == {
        ("ec2", "describe-vpcs"),
        ("ec2", "describe-subnets"),
        ("ec2", "create-security-group"),
        ("ec2", "authorize-security-group-ingress"),
        ("ec2", "create-managed-prefix-list"),
        ("fsx", "create-file-system"),
        ("fsx", "describe-file-systems"),
        ("fsx", "create-data-repository-association"),
        ("amp", "create-workspace"),
        ("iam", "create-policy"),
        ("iam", "create-role"),
        ("iam", "put-role-policy"),
        ("grafana", "create-workspace"),
        ("ssm", "start-session"),
    }


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[1:4]))
def test_every_option_of_a_command_is_one_that_aws_knows(words: list[str]):
    shape = operation(words[1], words[2]).input_shape
    assert shape is not None
    known = {xform_name(name, "-").replace("azfs", "a-zfs") for name in shape.members} | OWN_OPTIONS
    assert set(options(words[3:])) <= known


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[1:4]))
def test_every_option_that_aws_requires_is_given(words: list[str]):
    shape = operation(words[1], words[2]).input_shape
    assert shape is not None
    # The client fills in tokens that make a call safe to repeat.
    required = {xform_name(name, "-") for name in shape.required_members} - {"client-token", "client-request-token"}
    assert required <= set(options(words[3:]))


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[1:4]))
def test_every_fixed_value_is_one_that_aws_lists(words: list[str]):
    shape = operation(words[1], words[2]).input_shape
    assert shape is not None
    given = options(words[3:])
    for name, member in shape.members.items():
        values = given.get(xform_name(name, "-"), [])
        allowed = getattr(getattr(member, "member", member), "enum", None)
        assert not allowed or set(values) <= set(allowed)


def test_structures_in_shorthand_name_members_that_exist():
    lustre = next(words for words in COMMANDS if "LUSTRE" in words and "2.15" in words)
    given = options(lustre[3:])["lustre-configuration"][0]
    members: Any = operation("fsx", "create-file-system").input_shape.members["LustreConfiguration"].members
    for pair in given.split(","):
        key, value = pair.split("=")
        assert key in members
        assert not getattr(members[key], "enum", None) or value in members[key].enum


def test_what_the_query_asks_for_is_in_the_answer():
    for words in COMMANDS:
        given = options(words[3:])
        if "query" in given:
            first = re.split(r"[.\[]", given["query"][0])[0]
            shape = operation(words[1], words[2]).output_shape
            assert shape is not None
            assert first in shape.members


def test_policies_allow_writing_to_and_reading_from_one_workspace_and_nothing_else():
    given = [options(words[3:]).get("policy-document") for words in COMMANDS if words[1] == "iam"]
    statements = [statement for one in given if one for statement in json.loads(one[0])["Statement"]]
    assert [statement["Resource"] for statement in statements] == ["$AMP_WORKSPACE", "$AMP_WORKSPACE"]
    assert [statement["Action"][0] for statement in statements] == ["aps:RemoteWrite", "aps:QueryMetrics"]


def test_the_commands_run_in_a_real_shell_and_leave_no_stand_in(tmp_path: Path):
    bundle = assemble(spec_of(EVERYTHING))
    for name, content in bundle.files.items():
        (tmp_path / name).write_bytes(content)
    # Stands for the AWS command line: answers what a query asks for, one id after the other.
    answer = 'case "$*" in *Lifecycle*) echo AVAILABLE;; *) echo "made-$(wc -l < calls)";; esac'
    stub = f'#!/bin/sh\necho "$@" >> calls\n{answer}\n'
    for program, text in {"aws": stub, "trainyard": "#!/bin/sh\nprintf '%s\\n' \"$@\" > asked\n"}.items():
        (tmp_path / program).write_text(text)
        (tmp_path / program).chmod(0o755)
    step = bundle.files["README.md"].decode().split("## 2.")[0]
    script = "set -eu\n" + "\n".join(code_lines(step))
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    ran = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False, timeout=60
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    written = (tmp_path / "cluster.yaml").read_text()
    assert not [one for one in bundle.stand_ins if one.value in written]
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [one.output for one in bundle.stand_ins] == [word.split("=")[0] for word in asked if "=" in word]
    assert "s3://data/a'$(reboot)b" in (tmp_path / "calls").read_text()


def test_grafana_gets_a_role_because_the_api_makes_none():
    words = next(words for words in COMMANDS if words[1] == "grafana")
    given = options(words[3:])
    assert (given["permission-type"], given["workspace-role-arn"]) == (["CUSTOMER_MANAGED"], ["$GRAFANA_ROLE"])


def test_a_hostile_bucket_name_stays_one_word():
    words = next(words for words in COMMANDS if words[2] == "create-data-repository-association")
    assert options(words[3:])["data-repository-path"] == ["s3://data/a'$(reboot)b"]


@example(example_spec(EVERYTHING))
@given(spec_texts())
def test_every_variable_is_set_before_it_is_used_and_every_stand_in_written_in(text: str):
    bundle = assemble(parse(text, "cluster.yaml").spec)
    lines = code_lines(bundle.files["README.md"].decode())
    used_at = {name: n for n, line in reversed(list(enumerate(lines))) for name in re.findall(r"\$([A-Z_0-9]+)", line)}
    set_at = {line.split("=")[0]: n for n, line in reversed(list(enumerate(lines))) if re.match(r"[A-Z_0-9]+=", line)}
    assert set(used_at) <= set(set_at)
    assert all(set_at[name] < used_at[name] for name in used_at)
    assert all(f"s#{stand_in.value}#" in "\n".join(lines) for stand_in in bundle.stand_ins)


def test_an_existing_network_leaves_no_subnet_to_be_looked_up():
    part = """\
network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}
file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]
"""
    words = next(words for words in aws_commands(readme_of(part)) if words[2] == "create-file-system")
    assert options(words[3:])["subnet-ids"] == ["subnet-0123456789abcdef0"]


def test_what_this_version_does_not_render_is_said():
    existing = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}\n"
    assert "`software`: nodes boot the plain image" in readme_of(f"{existing}software: {{setup: gpu}}")
    assert "no VPC is made" in readme_of("")
    assert "does not render these yet" not in readme_of(existing)
