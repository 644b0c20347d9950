"""The process of an emulated account: where it listens, when it ends, and that nothing of the user's reaches it."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from botocore.exceptions import ClientError

from tests.rehearsal import cloud
from tests.rehearsal.cloud import VPC
from tests.waiting import HANGS_S, wait_until
from trainyard.edge.aws.account import Account
from trainyard.errors import TrainyardError
from trainyard.rehearsal.emulated.emulated_account import emulated_account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

_SERVER = [sys.executable, "-m", "trainyard.rehearsal.emulated.server"]
# The default VPC, and AWS's own prefix lists.
_OF_A_NEW_ACCOUNT = {"EC2 VPCs", "EC2 prefix lists", "EC2 route tables", "EC2 security groups", "EC2 subnets"}
_SOME_CREDENTIALS = {"AWS_ACCESS_KEY_ID": "AKIABYHANDBYHANDBYHA", "AWS_SECRET_ACCESS_KEY": "any"}
_STARTS_AND_WAITS = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-m", "trainyard.rehearsal.emulated.server"], stdin=subprocess.PIPE)
print(child.pid, flush=True)
time.sleep(600)
"""


def started(*options: str) -> tuple[subprocess.Popen[bytes], int]:
    server = subprocess.Popen([*_SERVER, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdout is not None
    return server, int(json.loads(server.stdout.readline())["port"])


def stop(server: subprocess.Popen[bytes]) -> None:
    server.kill()
    server.communicate()


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_listens_on_loopback_alone_leaves_ctrl_c_to_its_parent_and_ends_when_its_input_closes():
    server, port = started()
    try:
        listening = listeners(server.pid)
        assert [port] == [number for _, number in listening]
        assert {address for address, _ in listening} == {"127.0.0.1"}
        server.send_signal(signal.SIGINT)  # the parent may still have to clean up
        time.sleep(0.2)
        with urlopen(f"http://127.0.0.1:{port}/trainyard/events") as answer:
            assert json.load(answer) == []
        assert server.stdin is not None
        server.stdin.close()
        wait_until(lambda: server.poll() is not None)
    finally:
        server.kill()
        server.wait()
        assert server.stdout is not None
        server.stdout.close()


def listeners(process: int) -> list[tuple[str, int]]:
    """Return addresses and ports that a process listens at, of both families."""
    inodes = set()
    for entry in Path(f"/proc/{process}/fd").iterdir():
        target = str(entry.readlink())
        if target.startswith("socket:"):
            inodes.add(target[8:-1])
    found = []
    for family in ("tcp", "tcp6"):
        table = Path(f"/proc/{process}/net/{family}").read_text(encoding="ascii")
        rows = [line.split() for line in table.splitlines()[1:]]
        for row in rows:
            if row[3] == "0A" and row[9] in inodes:  # 0A is LISTEN: include/net/tcp_states.h of Linux
                address, _, number = row[1].partition(":")
                found.append((".".join(str(byte) for byte in reversed(bytes.fromhex(address))), int(number, 16)))
    return found


def test_a_killed_parent_leaves_no_process():
    parent = subprocess.Popen([sys.executable, "-c", _STARTS_AND_WAITS], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert b"port" in parent.stdout.readline()
    assert is_alive(child)
    parent.kill()
    parent.communicate()
    wait_until(lambda: not is_alive(child))


@pytest.fixture(scope="module")
def by_hand() -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A server that was told to stay, at a port that was asked for, with nothing in its environment for moto."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.MonkeyPatch.context() as changed:
        for name in [name for name in os.environ if name.startswith("MOTO_")]:
            changed.delenv(name)
        server, at = started("--stay", "--port", str(port))
    try:
        assert at == port
        yield server, port
    finally:
        stop(server)


def test_told_to_stay_it_stays(by_hand):
    server, _ = by_hand
    server.stdin.close()
    server.stdin = None  # it is closed
    time.sleep(1.5)
    assert server.poll() is None


def test_started_by_hand_it_is_as_strict_as_when_it_is_started_for_a_rehearsal(by_hand):
    _, port = by_hand
    here = Account("us-east-1", f"http://127.0.0.1:{port}", credentials=_SOME_CREDENTIALS)
    assert here.client("iam").get_policy(PolicyArn="arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess")
    asked: dict[str, Any] = {"ImageId": "ami-0123456789abcdef0", "MinCount": 1, "MaxCount": 1}
    code, _ = cloud.refusal(here.client("ec2").run_instances, InstanceType="m5.large", **asked)
    assert code == "InvalidAMIID.NotFound"
    with urlopen(Request(f"http://127.0.0.1:{port}", headers={"Origin": "https://example.com"})) as answer:
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_an_account_is_empty_at_first_logs_nothing_and_its_process_is_gone_afterwards(monkeypatch, capfd):
    processes = []
    former = subprocess.Popen.__init__

    def remember(self: Any, *arguments: Any, **named: Any) -> None:
        former(self, *arguments, **named)
        processes.append(self)

    monkeypatch.setattr(subprocess.Popen, "__init__", remember)
    with contextlib.suppress(ZeroDivisionError), emulated_account("eu-west-1") as account:
        assert account.id == "123456789012"
        assert set(cloud.inventory(account)) == _OF_A_NEW_ACCOUNT
        assert account.region == "eu-west-1"
        account.client("secretsmanager").create_secret(Name="n", SecretString="very-secret-words")
        raise ZeroDivisionError
    assert "very-secret-words" not in "".join(capfd.readouterr())
    assert [process.returncode is not None for process in processes] == [True]


def test_nothing_of_the_users_configuration_reaches_it(monkeypatch, tmp_path):
    """A proxy, a profile that does not exist, FIPS endpoints and real-looking credentials change nothing."""
    wrong = {
        "HTTP_PROXY": "http://192.0.2.1:3128",
        "http_proxy": "http://192.0.2.1:3128",
        "AWS_PROFILE": "nobody",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_ACCESS_KEY_ID": "AKIAREALREALREALREAL",
        "AWS_SECRET_ACCESS_KEY": "real",
        "AWS_SESSION_TOKEN": "real",
        "AWS_USE_FIPS_ENDPOINT": "true",
        "AWS_ENDPOINT_URL": "http://192.0.2.1",
        "MOTO_ACCOUNT_ID": "999999999999",
    }
    for name, value in wrong.items():
        monkeypatch.setenv(name, value)
    with emulated_account("us-east-2") as account:
        assert account.id == "123456789012"
        variables = account.variables()
        script = "import boto3; print(boto3.client('sts').get_caller_identity()['Account'])"
        done = subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, **variables}, capture_output=True, text=True, check=False
        )
    assert (done.stdout.strip(), done.stderr) == ("123456789012", "")
    assert "AKIAREALREALREALREAL" not in json.dumps(variables)
    assert variables["NO_PROXY"] == "127.0.0.1"


def test_without_the_extra_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(TrainyardError) as error, emulated_account("us-east-2"):
        pass
    assert error.value.hint == "pip install 'trainyard[rehearse]'"


def test_a_server_that_does_not_start_says_why(monkeypatch, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit('no room left')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(TrainyardError, match=r"did not start: .*no room left"), emulated_account("us-east-2"):
        pass


def test_several_clients_at_once_get_what_each_asked_for(account):
    """Every call is answered as if it were alone: ids are unique, and one conditional write of many wins."""
    bucket = cloud.some_name()
    s3 = account.client("s3")
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": account.region})

    def work(number: int) -> tuple[str, str]:
        stack = cloud.create(account, {"Vpc": VPC}, name=f"{bucket}-{number}")
        try:
            s3.put_object(Bucket=bucket, Key="lock", Body=str(number).encode(), IfNoneMatch="*")
        except ClientError as error:
            return stack["StackStatus"], error.response["Error"]["Code"]
        return stack["StackStatus"], "won"

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(16)))
    assert {status for status, _ in results} == {"CREATE_COMPLETE"}
    assert Counter(outcome for _, outcome in results) == {"won": 1, "PreconditionFailed": 15}
    assert len(cloud.inventory(account)["EC2 VPCs"]) >= 16
    client = account.client("cloudformation")
    for number in range(16):
        client.delete_stack(StackName=f"{bucket}-{number}")
    s3.delete_object(Bucket=bucket, Key="lock")
    s3.delete_bucket(Bucket=bucket)


def test_a_client_that_sends_half_a_call_holds_up_nobody(account):
    port = int(account.endpoint.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as slow:
        slow.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nAction=")
        answered = threading.Event()

        def call() -> None:
            account.client("ec2").describe_vpcs()
            answered.set()

        threading.Thread(target=call).start()
        assert answered.wait(HANGS_S)


def test_the_events_of_all_stacks_are_on_one_page(account):
    stack = cloud.create(account, {"Vpc": VPC})
    with urlopen(f"{account.endpoint}/trainyard/events") as answer:
        events = [event for event in json.load(answer) if event["stack"] == stack["StackName"]]
    assert [event["status"] for event in events][-2:] == ["CREATE_COMPLETE", "CREATE_COMPLETE"]
    assert {"time", "stack_id", "logical_id", "physical_id", "type", "reason"} <= set(events[0])
    cloud.delete(account, stack)


def test_no_page_in_a_browser_may_call_it(account):
    request = Request(account.endpoint, headers={"Origin": "https://example.com"})
    with contextlib.suppress(HTTPError), urlopen(request) as answer:
        assert "Access-Control-Allow-Origin" not in answer.headers
        return
    raise AssertionError("the account does not list its buckets")
