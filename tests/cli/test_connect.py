"""`trainyard connect`, as a process in front of an emulated account, with programs that write down their calls."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

import pytest

from tests import program
from tests.operate.connect.programs import Programs, programs
from tests.operate.status.planted import IMAGE
from tests.rehearsal.account_copies import empty_account
from tests.waiting import wait_until
from trainyard.edge.aws.account import Account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
CLUSTER = ("connect", "lab", "--region", "us-east-2")


class Cluster(NamedTuple):
    """A cluster that trainyard did not make, in an emulated account."""

    account: Account
    head: str
    compute: str


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with empty_account() as account:
        iam = account.client("iam")
        iam.create_instance_profile(InstanceProfileName="node")
        account.client("ec2").create_key_pair(KeyName="ml-key")
        head, compute = (_launched(account, "lab", role, name="node") for role in ("HeadNode", "Compute"))
        stopped = _launched(account, "halted", "HeadNode", name="node")
        account.client("ec2").stop_instances(InstanceIds=[stopped])
        _launched(account, "unmanaged", "HeadNode")
        key = {"AttributeName": "Id", "KeyType": "HASH"}
        dynamodb = account.client("dynamodb")
        dynamodb.create_table(
            TableName="parallelcluster-slurm-lab", KeySchema=[key], BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "Id", "AttributeType": "S"}],
        )  # fmt: skip
        names = {"Id": {"S": "gpu-st-nodes-1"}, "InstanceId": {"S": compute}}
        dynamodb.put_item(TableName="parallelcluster-slurm-lab", Item=names)
        yield Cluster(account, head, compute)


def _launched(account: Account, cluster: str, role: str, name: str | None = None) -> str:
    tags = {
        "parallelcluster:cluster-name": cluster,
        "parallelcluster:node-type": role,
        "parallelcluster:attributes": "rocky9, slurm, 3.14.0, x86_64",
    }
    ec2 = account.client("ec2")
    made = ec2.run_instances(
        ImageId=IMAGE, InstanceType="m5.large",
        MinCount=1, MaxCount=1, KeyName="ml-key", **({"IamInstanceProfile": {"Name": name}} if name else {}),
        NetworkInterfaces=[{"DeviceIndex": 0, "AssociatePublicIpAddress": False}],
        TagSpecifications=[
            {"ResourceType": "instance", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
        ],
    )  # fmt: skip
    return str(made["Instances"][0]["InstanceId"])


@pytest.fixture
def there(tmp_path: Path) -> Programs:
    made = programs(tmp_path / "bin", "session-manager-plugin", "ssh")
    made.key("ml-key.pem")
    return made


def variables(cluster: Cluster, there: Programs, more: Mapping[str, str]) -> dict[str, str | None]:
    of_the_user = {name: None for name in os.environ if name.startswith("AWS_")}
    return {**of_the_user, **cluster.account.variables(), "AWS_ENDPOINT_URL": str(cluster.account.endpoint),
            **there.variables, **more}  # fmt: skip


def run(cluster: Cluster, there: Programs, *words: str, **more: str) -> program.Run:
    return program.run(*words, variables=variables(cluster, there, more))


def parameters(call: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call["arguments"][5])
    return found


def test_a_shell_is_opened_as_the_user_of_the_operating_system(cluster: Cluster, there: Programs):
    ran = run(cluster, there, *CLUSTER)
    assert (ran.status, ran.err) == (0, f"rocky on the head node {cluster.head} of lab\n")
    (call,) = there.calls
    assert parameters(call)["Target"] == cluster.head
    assert parameters(call)["Parameters"] == {"command": ["sudo su - rocky"]}
    assert call["session"]["TokenValue"] == "emulated-token"
    assert "emulated-token" not in " ".join(call["arguments"])


def test_a_node_goes_by_slurm_s_name(cluster: Cluster, there: Programs):
    ran = run(cluster, there, *CLUSTER, "--node", "gpu-st-nodes-1", "--user", "ssm-user")
    assert ran.status == 0, ran.err
    assert parameters(there.calls[0]) == {"Target": cluster.compute}


def test_a_dry_run_prints_the_command_of_the_aws_cli_and_begins_nothing(cluster: Cluster, there: Programs):
    ran = run(cluster, there, *CLUSTER, "--dry-run")
    assert ran.out == (
        f"aws ssm start-session --region us-east-2 --target {cluster.head} --document-name AWS-StartInteractiveCommand "
        """--parameters '{"command": ["sudo su - rocky"]}'\n"""
    )
    assert (ran.status, ran.err, there.calls) == (0, "", [])


def test_the_documented_dry_run_of_ssh_has_a_form_for_programs(cluster: Cluster, there: Programs):
    ran = run(cluster, there, *CLUSTER, "--ssh", "--dry-run", "--json", "--", "-L", "8888:localhost:8888")
    found = json.loads(ran.out)
    key = there.folder / "home" / ".ssh" / "ml-key.pem"
    assert found["schema"] == 1
    assert found["arguments"][:4] == ["ssh", "-i", str(key), "-o"]
    assert found["arguments"][-3:] == [f"rocky@{cluster.head}", "-L", "8888:localhost:8888"]
    assert found["command"].startswith(f"ssh -i {key} -o ")


def test_ssh_takes_the_place_of_this_process_and_its_status_is_ours(cluster: Cluster, there: Programs):
    ran = run(cluster, there, *CLUSTER, "--ssh", "--user", "alice", "--", "hostname", FAKE_STATUS="7")
    assert (ran.status, ran.out) == (7, "")
    assert there.calls[0]["arguments"][-2:] == [f"alice@{cluster.head}", "hostname"]


def test_real_openssh_gets_to_the_node_through_the_printed_entry(cluster: Cluster, there: Programs, tmp_path: Path):
    (there.folder / "ssh").unlink()
    printed = run(cluster, there, *CLUSTER, "--print-ssh-config")
    assert printed.err == "`ssh lab` gets there, once this is in ~/.ssh/config\n"
    config = tmp_path / "config"
    config.write_text(printed.out)
    ssh = [str(which("ssh")), "-F", str(config), "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "lab"]
    given = {**os.environ, **variables(cluster, there, {"FAKE_DOES": "greets"})}
    environment = {name: value for name, value in given.items() if value is not None}
    ran = subprocess.run(ssh, capture_output=True, text=True, check=False, env=environment, timeout=300)
    assert "SSH-2.0" not in ran.stdout
    (call,) = there.calls
    assert parameters(call) == {
        "Target": cluster.head, "DocumentName": "AWS-StartSSHSession", "Parameters": {"portNumber": ["22"]}
    }  # fmt: skip


def test_an_entry_has_a_form_for_programs(cluster: Cluster, there: Programs):
    found = json.loads(run(cluster, there, *CLUSTER, "--node", "gpu-st-nodes-1", "--print-ssh-config", "--json").out)
    assert found["host"] == "lab-gpu-st-nodes-1"
    assert "\nHost lab-gpu-st-nodes-1\n" in found["text"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_tunnel_prints_its_address_and_ends_with_ctrl_c(cluster: Cluster, there: Programs):
    port = free_port()
    process = program.started(
        *CLUSTER, "--forward", f"grafana:{port}", variables=variables(cluster, there, {"FAKE_DOES": "waits"}),
        leads_group=True,
    )  # fmt: skip
    wait_until(lambda: there.calls or process.poll() is not None)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (0, f"http://localhost:{port}\n")
    assert f"port 3000 of the head node {cluster.head} of lab is there until Ctrl-C" in err
    assert "Terminate signal received" in err
    assert there.signals == ["SIGINT"]
    ports = {"portNumber": ["3000"], "localPortNumber": [str(port)]}
    assert parameters(there.calls[0])["Parameters"] == ports


def test_a_tunnel_has_a_form_for_programs(cluster: Cluster, there: Programs):
    port = free_port()
    ran = run(cluster, there, *CLUSTER, "--forward", f"9400:{port}", "--node", cluster.compute, "--json")
    assert json.loads(ran.out) == {
        "schema": 1, "url": f"http://localhost:{port}", "instance": cluster.compute, "port": 9400, "local_port": port
    }  # fmt: skip


def test_a_port_that_is_taken_is_told_before_a_session_begins(cluster: Cluster, there: Programs):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        ran = run(cluster, there, *CLUSTER, "--forward", f"grafana:{port}")
    assert (ran.status, ran.out, there.calls) == (2, "", [])
    assert f"port {port} of this machine cannot be used" in ran.err
    assert "--forward grafana:" in ran.err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("connect", "halted"), 1, "the head node i-[0-9a-f]+ of halted is stopp"),
        (("connect", "unmanaged"), 1, "it is not managed by Systems Manager"),
        (("connect", "nope"), 1, "no instance of a cluster nope is there in us-east-2"),
        (("connect", "lab", "--node", "gpu-st-nodes-9"), 2, "lab has no node 'gpu-st-nodes-9'"),
        (("connect", "lab", "--user", "a;id"), 2, "is no name of a user"),
        (("connect", "lab", "--ssh", "--forward", "grafana"), 2, "are two ways"),
        (("connect", "lab", "--ssh", "--key", "nowhere"), 2, "the private key cannot be read"),
        (("connect", "lab", "--key", "x"), 2, "a session needs no key"),
        (("connect", "lab", "hostname"), 2, "'hostname' is for ssh"),
        (("connect", "lab", "--forward", "9090", "--user", "me"), 2, "--forward has no user"),
        (("connect", "la\x1b[2Jb"), 2, "is no name of a cluster"),
    ],
    ids=lambda one: " ".join(one)[:40].replace("\x1b", "ESC") if isinstance(one, tuple) else None,
)
def test_what_cannot_be_is_told_in_one_line(
    cluster: Cluster, there: Programs, words: tuple[str, ...], status: int, said: str
):
    ran = run(cluster, there, *words[:2], "--region", "us-east-2", *words[2:])
    assert (ran.status, ran.out, there.calls) == (status, "", [])
    (line,) = [line for line in ran.err.splitlines() if not line.startswith("rocky on the head node")]
    assert re.search(said, line)
    assert "\x1b" not in line


def test_a_shell_has_no_form_for_programs(cluster: Cluster, there: Programs):
    ran = run(cluster, there, *CLUSTER, "--json")
    assert (ran.status, there.calls) == (2, [])
    assert json.loads(ran.out)["error"]["problem"] == "a shell is nothing that JSON could hold"


def test_a_missing_plugin_is_told_with_where_to_get_it(cluster: Cluster, there: Programs):
    (there.folder / "session-manager-plugin").unlink()
    ran = run(cluster, there, *CLUSTER)
    assert ran.status == 1
    assert "there is no program session-manager-plugin here" in ran.err


def test_a_plugin_that_fails_is_told(cluster: Cluster, there: Programs):
    ran = run(cluster, there, *CLUSTER, FAKE_DOES="fails")
    assert ran.status == 1
    assert "session-manager-plugin ended with status 3" in ran.err


def test_a_plugin_that_is_killed_is_told_by_the_status_as_shells_do(cluster: Cluster, there: Programs):
    assert run(cluster, there, *CLUSTER, FAKE_DOES="dies").status == 128 + signal.SIGKILL
