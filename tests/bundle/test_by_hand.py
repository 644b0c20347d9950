"""All commands in a bundle's README, held against the AWS command line's own models and run in a real shell."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from botocore.validate import validate_parameters
from hypothesis import example, given

from tests.bundle.readme_commands import (
    arguments,
    aws_commands,
    code_lines,
    commands_in,
    operation,
    options,
    readme_of,
)
from tests.each_case import each_case
from tests.examples import example_spec
from tests.specs import spec_of, spec_texts
from trainyard.bundle.assemble import assemble
from trainyard.bundle.asset_lock import lock_text
from trainyard.bundle.release import file_of, files_in
from trainyard.rehearsal.stand_in_assets import stand_in_lock
from trainyard.render.collection import collection
from trainyard.render.stand_ins import Ids
from trainyard.spec import parse

if TYPE_CHECKING:
    from botocore.model import Shape

SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:db-AbCdEf"
KEY = "arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012"
SHARED = f"""\
access: {{allow_from: [203.0.113.7/32, 198.51.100.0/24]}}
iam: {{kms_key: '{KEY}', permissions_boundary: 'arn:aws:iam::123456789012:policy/b'}}
image: {{ami: ami-0123456789abcdef0}}
login_nodes: {{custom_actions: {{on_start: [{{script: 's3://own/a.sh'}}]}}}}
parallelcluster: {{slurm: {{munge_secret: '{SECRET}'}}}}
queues:
  - {{name: a, instance_type: p5.48xlarge, setup: gpu}}
  - {{name: b, instance_type: m5.large, availability_zone: us-east-2c}}
file_systems:
  - {{mount: /fsx, lustre: {{size_gib: 4800, throughput_mb_s_per_tib: 250, data_repository: "s3://data/a'$(reboot)b"}}}}
  - {{mount: /old, lustre: {{size_gib: 1200, deployment: SCRATCH_2}}}}
  - {{mount: /home, openzfs: {{size_gib: 512}}}}
"""
KNOWN = {
    "AMPPrometheusEndpoint": "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-0a1b2c3d/",
    "MonitoringInstancePrivateIp": "10.0.16.9",
    "AlertTopicArn": "arn:aws:sns:us-east-2:123456789012:alerts",
    "HeartbeatTopicArn": "arn:aws:sns:us-east-2:123456789012:heartbeat",
}
# Together they use everything: no cluster is monitored in two ways.
MANAGED = f"{SHARED}monitoring: {{mode: amp+amg}}\n"
SELF_HOSTED = f"{SHARED}monitoring: {{mode: self-hosting}}\nnetwork: {{internet: none}}\n"
EXISTING = f"""\
{SHARED}network:
  internet: none
  existing:
    vpc: vpc-0123456789abcdef0
    private_subnets: [subnet-0123456789abcdef0]
    public_subnets: [subnet-0123456789abcdef1]
"""
PARTS = {"managed": MANAGED, "self-hosted": SELF_HOSTED, "existing": EXISTING}

# The release is packed; stand-ins.json and the README say what the stand-ins were.
WRITTEN_IN = ("cluster.yaml", ".parameters.json", "assets/plan.json", ".yml", "-Advanced.json")

COMMANDS = [words for part in PARTS.values() for words in aws_commands(readme_of(part))]


def test_the_readmes_of_specs_that_use_everything_make_everything():
    assert {" ".join(words[1:3]) for words in COMMANDS} == {
        "cloudformation create-stack",
        "cloudformation wait",
        "cloudformation describe-stacks",
        "cloudformation delete-stack",
        "ec2 describe-vpcs",
        "ec2 describe-route-tables",
        "ec2 describe-images",
        "ec2 describe-instances",
        "ec2 create-security-group",
        "ec2 authorize-security-group-ingress",
        "ec2 create-vpc-endpoint",
        "amp describe-workspace",
        "cloudwatch put-dashboard",
        "cloudwatch delete-dashboards",
        "fsx describe-volumes",
        "iam create-policy",
        "s3api head-bucket",
        "s3api create-bucket",
        "s3api put-public-access-block",
        "s3api put-bucket-encryption",
        "s3api put-object",
        "secretsmanager describe-secret",
        "sts get-caller-identity",
        "ssm start-session",
    }


@each_case("words", COMMANDS, ids=lambda words: " ".join(words[1:4]))
def test_every_word_of_a_command_is_one_that_aws_knows(words: list[str]):
    shape = operation(words).input_shape
    given = arguments([re.sub(r"\$[A-Z_0-9]+", "subnet-0123456789abcdef0", word) for word in words])
    validate_parameters(given, shape)
    assert list(values_that_are_not_listed(shape, given)) == []


def values_that_are_not_listed(shape: Shape, value: Any) -> Iterator[str]:
    """Yield values that are none of those that AWS lists for them."""
    if shape.type_name == "structure":
        for name, member in value.items():
            yield from values_that_are_not_listed(shape.members[name], member)
    elif shape.type_name == "list":
        for member in value:
            yield from values_that_are_not_listed(shape.member, member)
    elif getattr(shape, "enum", None) and value not in shape.enum:
        yield value


def test_what_the_query_asks_for_is_in_the_answer():
    for words in COMMANDS:
        given = options(words)
        if "query" in given:
            first = re.split(r"[.\[]", given["query"][0])[0]
            shape = operation(words).output_shape
            assert shape is not None
            assert first in shape.members


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_the_commands_run_in_a_real_shell_and_leave_no_stand_in(tmp_path: Path, part: str):
    bundle = assemble(spec_of(part))
    for name, content in bundle.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    # Stands for the AWS command line: answers what a query asks for, one id after the other.
    answer = 'case "$*" in *head-bucket*) exit 255;; *) echo "made-$(wc -l < calls)";; esac'
    stub = f'#!/bin/sh\necho "$@" >> calls\n{answer}\n'
    asked = "#!/bin/sh\nprintf '%s\\n' \"$@\" > asked\n"
    for program, text in {"aws": stub, "trainyard": asked, "sleep": "#!/bin/sh\n"}.items():
        (tmp_path / program).write_text(text)
        (tmp_path / program).chmod(0o755)
    script = "set -eu\n" + "\n".join(code_lines(bundle.files["README.md"].decode().split("## 2.")[0]))
    variables = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    ran = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False, timeout=60
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    written = [tmp_path / name for name in bundle.files if name.endswith(WRITTEN_IN)]
    assert not [stand_in for stand_in in bundle.stand_ins for file in written if stand_in.value in file.read_text()]
    assert not list(tmp_path.glob("*.bak"))
    given = [word for word in (tmp_path / "asked").read_text().splitlines() if "=" in word]
    assert [stand_in.output for stand_in in bundle.stand_ins] == [word.split("=")[0] for word in given]
    calls = (tmp_path / "calls").read_text()
    in_order = ("network", "storage", "monitoring", "rules", "assets")
    stacks = [f"{name}.yaml" for name in in_order if f"{name}.yaml" in bundle.files]
    assert re.findall(r"create-stack .* --template-(?:body|url) \S*/(\S+\.yaml)", calls) == stacks
    assert all(json.loads((tmp_path / name).with_suffix(".parameters.json").read_text()) for name in stacks)
    assert "create-bucket --region us-east-2 --bucket trainyard-made-" in calls


# The documented command of each mode, with what it has to be allowed.
@pytest.mark.parametrize(
    ("mode", "capabilities"),
    [
        ("none", None),
        ("self-hosting", ["CAPABILITY_NAMED_IAM"]),
        ("amp-only", ["CAPABILITY_NAMED_IAM"]),
        ("amp+amg", ["CAPABILITY_NAMED_IAM"]),
    ],
)
def test_each_mode_of_monitoring_has_its_stack_and_its_command(mode: str, capabilities: list[str] | None):
    part = f"monitoring: {{mode: {mode}}}"
    made = {command["StackName"]: command for command in commands_in(part, "cloudformation create-stack")}
    assert made["example-network"].get("Capabilities") is None
    monitoring = made.get("example-monitoring")
    assert (monitoring["Capabilities"] if monitoring else None) == capabilities


def test_names_of_ones_own_for_roles_have_to_be_allowed_apart():
    part = "iam: {resource_prefix: /team/ml-}\nmonitoring: {mode: amp-only}"
    capable = [one for one in commands_in(part, "cloudformation create-stack") if "Capabilities" in one]
    assert [one["StackName"] for one in capable] == ["example-monitoring", "example-assets"]
    assert all(one["Capabilities"] == ["CAPABILITY_NAMED_IAM"] for one in capable)


def test_a_stack_whose_outputs_are_known_is_not_made_again():
    part = "file_systems: [{mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}]"
    outputs = {one.output: one.value for one in assemble(spec_of(part)).stand_ins if one.stack == "network"}
    lines = code_lines(
        readme_of(part, {name: value.replace("0", "a") for name, value in outputs.items()}).split("## 4.")[0]
    )
    assert [line.split("file://")[1].split()[0] for line in lines if "create-stack" in line] == ["storage.yaml"]


@example(example_spec(EXISTING))
@example(example_spec(MANAGED))
@example(example_spec(SELF_HOSTED))
@given(spec_texts())
def test_every_variable_is_set_before_it_is_used_and_every_stand_in_written_in(text: str):
    bundle = assemble(parse(text, "cluster.yaml").spec)
    lines = code_lines(bundle.files["README.md"].decode())
    used_at = {name: n for n, line in reversed(list(enumerate(lines))) for name in re.findall(r"\$([A-Z_0-9]+)", line)}
    set_at = {line.split("=")[0]: n for n, line in reversed(list(enumerate(lines))) if re.match(r"[A-Z_0-9]+=", line)}
    assert set(used_at) <= set(set_at)
    assert all(set_at[name] < used_at[name] for name in used_at)
    assert all(f"s#{stand_in.value}#" in "\n".join(lines) for stand_in in bundle.stand_ins)


@pytest.mark.parametrize("mode", ["self-hosting", "amp+amg"])
def test_a_release_that_was_packed_before_its_ids_were_known_is_packed_anew(tmp_path: Path, mode: str):
    spec = spec_of(f"monitoring: {{mode: {mode}}}")
    bundle = assemble(spec)
    known = {stand_in.output: KNOWN.get(stand_in.output, stand_in.value) for stand_in in bundle.stand_ins}
    wanted = assemble(spec, known).files
    for name in ("assets/release.tar", "assets/release", "assets/plan.json", *collection(spec, Ids(known))):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        # As the blocks before leave them: with the ids in what is no archive.
        (tmp_path / name).write_bytes((bundle.files if name.startswith("assets/release") else wanted)[name])
    lines = code_lines(bundle.files["README.md"].decode())
    begin = next(number for number, line in enumerate(lines) if line.startswith("rm -rf release"))
    end = next(number for number, line in enumerate(lines) if line.startswith("RELEASE="))
    subprocess.run(["bash", "-euc", "\n".join(lines[begin:end])], cwd=tmp_path, check=True, timeout=300)
    packed = (tmp_path / "assets" / "release.tar").read_bytes()
    assert files_in(packed) == files_in(wanted["assets/release.tar"])
    digest = hashlib.sha256(packed).hexdigest()
    assert (tmp_path / "assets" / "release").read_text() == f"{digest}  {file_of(digest)}\n"


@pytest.mark.parametrize("mode", ["none", "amp-only"])
def test_a_release_whose_ids_are_all_known_stays_as_it_is(mode: str):
    part = f"software: {{setup: cpu}}\nmonitoring: {{mode: {mode}}}"
    assert "rm -rf release" not in readme_of(part, KNOWN)


def test_what_is_locked_is_downloaded_verified_and_uploaded_before_the_release():
    spec = spec_of("software: {containers: true}\nassets: {bucket: mine}")
    lock = lock_text(stand_in_lock(spec)).encode()
    (one, *_) = stand_in_lock(spec).assets
    lines = code_lines(assemble(spec, lock=lock).files["README.md"].decode())
    fetched = next(number for number, line in enumerate(lines) if line.startswith("curl") and one.file in line)
    assert one.sha256 in lines[fetched + 1]
    assert "| sha256sum --check && aws s3api put-object" in lines[fetched + 1]
    assert f"trainyard/example/assets/{one.sha256}/{one.file}" in lines[fetched + 1]
    assert any("launch.sh" in line for line in lines[fetched + 2 :])
