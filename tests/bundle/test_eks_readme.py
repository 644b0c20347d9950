"""The commands in the README of a cluster of Amazon EKS: they are right, and they come in a possible order."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.bundle.readme_commands import arguments, aws_commands, code_lines, operation, readme_of
from tests.bundle.test_by_hand import values_that_are_not_listed
from tests.specs import spec_of
from trainyard.bundle.assemble import assemble

ZONES = "network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}\n"
SMALL = f"""\
platform: eks
{ZONES}queues: [{{name: gpu, instance_type: g5.xlarge, nodes: {{min: 0, max: 4, desired: 2}}}}]
"""
RESERVED = "capacity: {reservations: [cr-0123456789abcdef0, cr-0123456789abcdef1]}"
LARGE = f"""\
platform: eks
{ZONES}monitoring: {{mode: amp-only}}
file_systems: [{{mount: /fsx, lustre: {{size_gib: 1200, deployment: SCRATCH_2}}}}]
queues:
  - {{name: gpu, instance_type: p5.48xlarge, nodes: 4, {RESERVED}}}
  - {{name: big, instance_type: p6-b300.48xlarge, nodes: {{min: 1, max: 2}}}}
"""
EXISTING = """\
platform: eks
network:
  existing:
    vpc: vpc-0123456789abcdef0
    private_subnets: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]
file_systems:
  - {mount: /data, lustre: {id: fs-0123456789abcdef0}}
  - {mount: /home, lustre: {id: fs-0123456789abcdef1}}
queues: [{name: gpu, instance_type: g5.xlarge, nodes: {min: 0, max: 4, desired: 2}}]
"""
PARTS = {"small": SMALL, "large": LARGE, "existing": EXISTING}
EACH = pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
# https://docs.aws.amazon.com/eks/latest/eksctl/creating-and-managing-clusters.html and `--help` of each.
FLAGS = {
    "create cluster": {"-f", "--dry-run", "--kubeconfig", "--install-nvidia-plugin", "--install-neuron-plugin"},
    "delete cluster": {"-f", "--disable-nodegroup-eviction", "--wait"},
    "scale nodegroup": {"--region", "--cluster", "--name", "--nodes"},
    "utils describe-cluster-versions": {"--region"},
}


def eksctl(part: str) -> list[list[str]]:
    """Return the words of every command of eksctl."""
    return [shlex.split(line)[1:] for line in code_lines(readme_of(part)) if line.startswith("eksctl ")]


@EACH
def test_every_word_of_a_command_is_one_that_aws_knows(part: str):
    for words in aws_commands(readme_of(part)):
        given = arguments([re.sub(r"\$[A-Z_0-9]+", "subnet-0123456789abcdef0", word) for word in words])
        assert list(values_that_are_not_listed(operation(words).input_shape, given)) == []


@EACH
def test_every_flag_is_one_that_eksctl_has(part: str):
    for words in eksctl(part):
        flags = {word.partition("=")[0] for word in words if word.startswith("-")}
        assert flags <= FLAGS[" ".join(words[:2])]


@EACH
def test_the_cluster_is_removed_by_its_file_without_waiting_for_evictions_and_before_its_stacks(part: str):
    lines = code_lines(readme_of(part))
    (gone,) = [line for line in lines if line.startswith("eksctl delete")]
    assert gone == "eksctl delete cluster -f cluster.yaml --disable-nodegroup-eviction --wait"
    deleted = [line for line in lines if " delete-stack " in line]
    assert all(lines.index(line) > lines.index(gone) for line in deleted)
    created = [re.search(r"--stack-name (\S+)", line)[1] for line in lines if " create-stack " in line]  # type: ignore[index]  # all have one
    assert [line.rpartition(" ")[2] for line in deleted] == created[::-1]


@EACH
def test_the_kubeconfig_of_the_user_stays_as_it_is(part: str):
    lines = code_lines(readme_of(part))
    (made,) = [line for line in lines if line.startswith("eksctl create") and "--dry-run" not in line]
    assert "--kubeconfig kubeconfig" in made
    first = next(number for number, line in enumerate(lines) if line.startswith("kubectl ") and "version" not in line)
    assert lines.index('export KUBECONFIG="$PWD/kubeconfig"') < first


@EACH
def test_every_variable_is_set_before_it_is_used_and_every_stand_in_written_in(part: str):
    bundle = assemble(spec_of(part))
    lines = [line for line in code_lines(bundle.files["README.md"].decode()) if "KUBECONFIG" not in line]
    used_at = {name: n for n, line in reversed(list(enumerate(lines))) for name in re.findall(r"\$([A-Z_0-9]+)", line)}
    set_at = {line.split("=")[0]: n for n, line in reversed(list(enumerate(lines))) if re.match(r"[A-Z_0-9]+=", line)}
    assert set(used_at) <= set(set_at)
    assert all(set_at[name] < used_at[name] for name in used_at)
    assert all(f"s#{stand_in.value}#" in "\n".join(lines) for stand_in in bundle.stand_ins)


def test_the_readme_says_why_a_node_group_has_a_launch_template_of_its_own():
    said = readme_of(LARGE)
    assert "- `big`: eksctl puts an EFA interface on every network card of p6-b300.48xlarge" in said
    assert "launch template is in `nodes.yaml`" not in readme_of(SMALL)


def test_nothing_is_said_about_parallelcluster():
    for part in PARTS.values():
        assert "pcluster" not in readme_of(part)
        assert "ParallelCluster" not in readme_of(part)
        assert "Slurm" not in readme_of(part)


def test_fsx_is_asked_by_what_name_each_file_system_that_exists_is_mounted():
    asked = [line for line in code_lines(readme_of(EXISTING)) if " fsx describe-file-systems " in line]
    assert [re.search(r"--file-system-ids (\S+)", line)[1] for line in asked] == [  # type: ignore[index]  # both have one
        "fs-0123456789abcdef0",
        "fs-0123456789abcdef1",
    ]
    assert all("FileSystems[0].LustreConfiguration.MountName" in line for line in asked)


def test_nobody_gets_ssh_by_the_security_groups_of_a_network_that_exists():
    assert "Security groups in vpc-0123456789abcdef0:" in readme_of(EXISTING)
    assert "SSH" not in readme_of(EXISTING)


def test_the_logs_that_eksctl_leaves_behind_are_named_where_there_are_any():
    gone = "aws logs delete-log-group --region us-east-2 --log-group-name /aws/eks/example/cluster"
    lines = code_lines(readme_of(SMALL))
    assert lines.index(gone) > next(n for n, line in enumerate(lines) if line.startswith("eksctl delete"))
    assert gone not in code_lines(readme_of(f"{SMALL}eks: {{control_plane_logs: []}}\n"))
    assert gone not in code_lines(readme_of(f"{SMALL}monitoring: {{logs: false}}\n"))
