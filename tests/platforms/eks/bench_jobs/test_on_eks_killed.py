"""A client that is killed while it follows a test on Amazon EKS: the next one goes on with what it has left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from moto.server import ThreadedMotoServer

from tests.edge.aws.in_memory import CREDENTIALS
from tests.kubernetes.fake_eksctl import FakeEksctl
from tests.kubernetes.programs import FakePrograms
from tests.platforms.eks.bench_jobs.eks_submissions import FIRST, SECOND, SPEC, TABLE, THIRD, TWO_NODES
from tests.platforms.eks.bench_jobs.scripted_operator import ScriptedOperator, succeeded, under_way
from tests.submission.deployed import remember_deployment
from tests.waiting import wait_until
from trainyard.edge.aws.account import Account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
SUBMIT = ("bench", "submit", "lab", "--region", "us-east-2", "--only", TWO_NODES, "--json")


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[FakePrograms]:
    """A kubectl that answers for the cluster lab, and an account that knows it."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        account = Account("us-east-2", endpoint=f"http://{host}:{port}", credentials=CREDENTIALS)
        account.client("eks").create_cluster(
            name="lab", roleArn="arn:aws:iam::123456789012:role/lab", resourcesVpcConfig={},
            tags={"trainyard:cluster": "lab"},
        )  # fmt: skip
        remember_deployment(account, SPEC)
        api = ScriptedOperator()
        with FakePrograms(tmp_path / "programs", FakeEksctl(account, api), api) as made:
            yield made
    finally:
        server.stop()


def started(programs: FakePrograms, folder: Path) -> subprocess.Popen[str]:
    assert programs.eksctl.account.endpoint is not None
    variables = {
        **os.environ, **CREDENTIALS, "AWS_ENDPOINT_URL": programs.eksctl.account.endpoint,
        "PATH": str(programs.folder / "bin"), "KUBECONFIG": "/nonexistent",
    }  # fmt: skip
    command = [sys.executable, "-m", "trainyard", *SUBMIT]
    return subprocess.Popen(
        command, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_a_client_that_is_killed_leaves_the_test_to_the_next_and_no_line_is_lost_or_comes_twice(
    programs: FakePrograms, tmp_path: Path
):
    assert isinstance(programs.api, ScriptedOperator)
    programs.api.steps[TWO_NODES] = [under_way(*FIRST)]
    first = started(programs, tmp_path)
    wait_until(lambda: list(tmp_path.glob("bench-results/lab/*.part")) or first.poll() is not None)
    first.send_signal(signal.SIGKILL)
    assert first.communicate(timeout=300)[0] == ""
    assert first.returncode == -signal.SIGKILL
    programs.api.steps[TWO_NODES] = [succeeded(*SECOND, *THIRD)]
    out, err = started(programs, tmp_path).communicate(timeout=300)
    (job,) = json.loads(out)["jobs"]
    assert (job["good"], job["state"]) == (True, "COMPLETED"), err
    assert (tmp_path / job["file"]).read_text().splitlines() == list(TABLE)
    assert len(programs.api.submitted) == 1
    assert programs.api.runs == []
