"""Rules about scripts that are data: beside the examples of each, statements that it finds and that it leaves alone."""

from __future__ import annotations

import pytest

from tests.each_case import each_case
from trainyard.checking.recognition import script
from trainyard.rules.scripts.line_rules import line_rules, variable_problem

FOUND = {
    "script-download-run": (
        "wget -qO- https://a.example/x | sh",
        "RUN curl https://a.example/x \\\n  | sudo -E bash -s -- -y",
    ),
    "script-download-of-branch": (
        "curl -O https://raw.githubusercontent.com/a/b/refs/heads/master/c.sh",
        "wget -q https://github.com/a/b/raw/main/c.tar.gz",
    ),
    "script-efa-installer-not-pinned": ("tar -xf aws-efa-installer-latest.tar.gz",),
    "script-failure-hidden": (
        "apt-get -y install nvidia-fabricmanager || echo failed",
        "mount -a || :",
        "sudo systemctl enable x || true",
    ),
    "script-image-moves": (
        "srun --container-image=docker://nvcr.io/nvidia/pytorch:latest true",
        "docker pull a.example:5000/b:latest",
    ),
    "script-metadata-without-token": ("Z=`curl -s http://169.254.169.254/latest/meta-data/placement/region`",),
    "script-efa-counters-elsewhere": ('cat "$d"/sys/class/infiniband/efa_0/ports/1/counters/port_xmit_data',),
    "script-nccl-columns-wrong": (
        "mpirun all_reduce_perf > log\nBUSBW=$(tail -1 log | awk '{print $6}')",
        "A=/opt/nccl-tests/build/alltoall_perf\ngrep x log |\\\n  awk '{printf \"%s %f GB/s %f ms\", $1, $6, $4}'",
    ),
    "script-discovery-tag-unknown": (
        "- __meta_ec2_tag_aws_parallelcluster_node_type",
        "tag:aws:parallelcluster:queue-name",
    ),
    "script-pcluster-command-unknown": ("pcluster validate -c a.yaml",),
    "script-pcluster-option-missing": ("pcluster get-image-log-events --image-id a",),
    "script-apt-key-removed": ("sudo apt-key adv --fetch-keys https://a.example/k",),
    "script-eksctl-file-deleted-by-kubectl": ("kubectl delete cluster llm",),
    "script-default-password": ("ENV GF_SECURITY_ADMIN_PASSWORD admin", "MYSQL_ROOT_PASSWORD='root' mysqld"),
    "script-folder-open-to-all": ("sudo chmod 777 /fsx", "chmod a+rwx /shared/data"),
    "script-nccl-algorithm-forced": ("mpirun -x NCCL_ALGO=ring -x A=b hostname", "NCCL_ALGO=Tree,Ring srun x"),
    "script-nccl-protocol-forced": ("export NCCL_DEBUG=INFO NCCL_PROTO=LL128", "export NCCL_PROTO=^LL"),
    "script-nccl-without-nvlink": ("docker run -e NCCL_SHM_DISABLE=1 image:1", 'export NCCL_P2P_DISABLE="1"'),
    "script-nccl-over-tcp": ("srun --export=ALL,FI_PROVIDER=sockets x", "ENV NCCL_NET=Socket"),
    "script-nccl-buffer-changed": ("export NCCL_BUFFSIZE=8388608", "env NCCL_MAX_NCHANNELS=16 ./a"),
    "script-efa-variable-obsolete": ("export RDMAV_FORK_SAFE=1", "A=1 FI_EFA_USE_DEVICE_RDMA=1 srun x"),
    "script-torch-variable-renamed": ("export NCCL_BLOCKING_WAIT=0",),
    "script-launches-one-by-one": ("CUDA_LAUNCH_BLOCKING=1 python train.py",),
    "sbatch-all-nodes": ("srun -N ALL hostname", "srun --nodes=all -l hostname"),
    "sbatch-not-requeued": ("#SBATCH --no-requeue",),
    "dockerfile-efa-kernel-module": ("RUN ./efa_installer.sh -y -g",),
    "script-log-stream-unknown": ("aws logs get-log-events --log-stream-name='ip-10-0-16-123.slurmctld'",),
    "script-log-group-unknown": ("aws logs filter-log-events --log-group-name '/aws/parallelcluster/my-cluster'",),
    "script-package-manager-in-background": ("sudo yum -y install a b &", "apt-get install -y \\\n  a &"),
    "dockerfile-base-moves": ("FROM ubuntu:latest AS build", "from --platform=linux/amd64 a.example/b/c:latest"),
}
LEFT = {
    "script-download-run": (
        "curl -O https://a.example/x",
        "curl https://a.example/x | tar xz",
        "# curl https://a.example/x | sh",
        "echo 'https://a.example/x' | bash",
    ),
    "script-download-of-branch": (
        "curl -O https://raw.githubusercontent.com/a/main/v1/c.sh",
        "wget https://github.com/a/b/releases/download/v1/main.tar.gz",
    ),
    "script-efa-installer-not-pinned": ("tar -xf aws-efa-installer-${VERSION}.tar.gz",),
    "script-failure-hidden": (
        "systemctl stop x || true",
        "apt-get -y remove a || true",
        "grep a b || true",
        "mount /fsx",
    ),
    "script-image-moves": ("docker run image:1.0-latest2", "--container-image=/fsx/a.sqsh", "docker run $IMAGE:$TAG"),
    "script-metadata-without-token": (
        "curl -sH 'X-aws-ec2-metadata-token: a' http://169.254.169.254/latest/meta-data/",
        "curl http://169.254.170.2/a",
    ),
    "script-efa-counters-elsewhere": ("ls /sys/class/infiniband/efa_0/ports/1/hw_counters",),
    "script-nccl-columns-wrong": (
        "awk '{printf \"%f GB/s\", $6}' iperf.log",
        "all_reduce_perf > log\nawk '{printf \"%s %f GB/s\", $6, $8}' log",
        "all_reduce_perf > log\nTIME_US=$(awk '{print $6}' log)",
    ),
    "script-discovery-tag-unknown": ("tag:parallelcluster:node-type", "tag:aws:autoscaling:groupName"),
    "script-pcluster-command-unknown": ("pcluster version", "pcluster create-cluster --dryrun true"),
    "script-pcluster-option-missing": (
        "pcluster get-cluster-log-events -n a --log-stream-name b",
        "pcluster list-cluster-log-streams -n a",
    ),
    "script-apt-key-removed": ("apt-key list", "cat my-apt-key"),
    "script-eksctl-file-deleted-by-kubectl": ("eksctl delete cluster -f a", "kubectl delete clusterrole a"),
    "script-default-password": (
        "GF_SECURITY_ADMIN_PASSWORD__FILE=/run/a",
        "MYSQL_ROOT_PASSWORD=$(openssl rand -hex 9)",
        "MYSQL_PASSWORD=admin-of-3",
    ),
    "script-folder-open-to-all": ("chmod 775 /fsx", "chmod 777 build/tmp", "chmod 1777 /fsx"),
    "script-nccl-algorithm-forced": ("echo NCCL_ALGO", "export MY_NCCL_ALGO=ring", "export NCCL_ALGO=$ALGO"),
    "script-nccl-protocol-forced": ("export NCCL_PROTO=$P",),
    "script-nccl-without-nvlink": ("export NCCL_P2P_DISABLE=0",),
    "script-nccl-over-tcp": ("export FI_PROVIDER=efa", 'export FI_PROVIDER="efa"'),
    "script-nccl-buffer-changed": ("export NCCL_BUFFSIZE=$SIZE",),
    "script-efa-variable-obsolete": ("export FI_EFA_FORK_SAFE=0",),
    "script-torch-variable-renamed": ("export TORCH_NCCL_BLOCKING_WAIT=1",),
    "script-launches-one-by-one": ("export CUDA_LAUNCH_BLOCKING=0",),
    "sbatch-all-nodes": ("#SBATCH -N 4", "srun --nodes=2-4 a", "srun -n ALL_TASKS"),
    "sbatch-not-requeued": ("#SBATCH --requeue",),
    "dockerfile-efa-kernel-module": ("RUN ./efa_installer.sh -y -k", "RUN ./efa_installer.sh \\\n  -y --skip-kmod"),
    "script-log-stream-unknown": (
        "--log-stream-name ip-10-0-0-1.us-east-2.compute.internal",
        "--log-stream-name ip-10-0-0-1.i-0123456789abcdef0.slurmctld",
        "--log-stream-name $HOST.cfn-init",
    ),
    "script-log-group-unknown": (
        "aws logs describe-log-groups --log-group-name-prefix /aws/parallelcluster/llm",
        "aws logs tail /aws/parallelcluster/$GROUP",
        "aws logs tail /aws/parallelcluster/llm-202611240115",
        "aws logs tail /aws/parallelcluster/llm-*",
    ),
    "script-package-manager-in-background": ("apt-get install -y a && b", "apt-get install -y a >b 2>&1", "sleep 9 &"),
    "dockerfile-base-moves": ("FROM ubuntu:22.04", "FROM build", "FROM a@sha256:0"),
}
RULES = {rule.id: rule for rule in line_rules()}


def lines_of(id_: str, text: str) -> list[str | int]:
    return [problem.path[0] for problem in RULES[id_].check(script(f"#!/bin/bash\n{text}\n", "script"))]


def test_every_rule_has_further_cases_of_both_kinds():
    assert FOUND.keys() == LEFT.keys() == RULES.keys()


@each_case("id_", FOUND)
def test_statements_are_found(id_: str):
    assert [text for text in FOUND[id_] if not lines_of(id_, text)] == []


@each_case("id_", LEFT)
def test_statements_are_left_alone(id_: str):
    assert [text for text in LEFT[id_] if lines_of(id_, text)] == []


def test_the_line_is_that_of_the_words_and_not_of_the_first_of_a_long_command():
    assert lines_of(
        "script-nccl-without-nvlink", "mpirun -n 8 \\\n  -x A=b \\\n  -x NCCL_P2P_DISABLE=1 \\\n  all_reduce_perf"
    ) == [3]


def test_a_message_shows_what_was_written_but_no_password():
    rule = RULES["script-download-run"]
    (problem,) = rule.check(script("#!/bin/sh\ncurl https://me:hidden@a.example/x | sh\n", "script"))
    assert "hidden" not in problem.message
    assert "@a.example/x" in problem.message


@pytest.mark.parametrize(
    ("name", "value", "id_"),
    [("NCCL_P2P_DISABLE", "1", "script-nccl-without-nvlink"), ("NCCL_P2P_DISABLE", "0", None), ("PATH", "/bin", None)],
)
def test_a_variable_can_be_asked_about_wherever_it_is_set(name: str, value: str, id_: str | None):
    problem = variable_problem(name, value)
    assert (problem and problem[0].id) == id_


@pytest.mark.parametrize("text", ["curl https://a.example/" + "x" * 1_000_000, "mount -" * 200_000, "a \\\n" * 100_000])
def test_no_line_makes_the_search_slow(text: str):
    document = script(f"#!/bin/bash\n{text}", "script")
    assert sum(len(list(rule.check(document))) for rule in line_rules()) >= 0
