"""status, connect and logs of EKS clusters on the command line."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.in_account import run, started
from tests.kubernetes.programs import FakePrograms
from tests.rehearsal.account_copies import empty_account
from tests.rehearsal.eks_clusters import made
from tests.waiting import wait_until
from trainyard.edge.aws.account import Account

WHERE = ("llm", "--region", "us-east-2")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("logs", *WHERE, "--pod", "a", "--group", "g"), "--pod has no meaning with --group"),
        (("logs", *WHERE, "--pod", "a", "--via-pcluster", "--export", "a.tar.gz"), "--pod has no meaning with"),
        (("connect", *WHERE, "--kubeconfig", "--ssh"), "--ssh and --kubeconfig are two ways"),
        (("connect", *WHERE, "--kubeconfig", "file", "--dry-run"), "--kubeconfig runs no command that could be shown"),
        (("connect", *WHERE, "--kubeconfig", "--user", "me"), "--kubeconfig has no user"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) else "",
)
def test_options_that_mean_nothing_together_are_refused(trainyard, arguments: tuple[str, ...], said: str):
    ran = trainyard(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with empty_account() as started:
        yield started


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_cluster_is_told_without_kubectl_and_gets_a_context(account: Account, tmp_path: Path, monkeypatch):
    name = made(account)
    monkeypatch.setenv("PATH", str(tmp_path))  # where no kubectl is
    status, out, err = run(account, "status", name, "--region", "us-east-2", "--json")
    values = json.loads(out)
    assert (status, err, values["up"]) == (0, "", True)
    assert values["eks"]["kubernetes_nodes"] is None
    assert list(values["unknown"].values()) == ["there is no program kubectl here"]
    file = tmp_path / "config"
    status, out, err = run(account, "connect", name, "--region", "us-east-2", "--kubeconfig", str(file), "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["context"] in file.read_text()
    status, out, err = run(account, "logs", name, "--region", "us-east-2", "--pod", "*")
    assert (status, out) == (1, "")
    assert "there is no program kubectl here" in err


@pytest.mark.integration
@pytest.mark.enable_socket
def test_ctrl_c_ends_a_kubectl_that_waits_for_an_answer(account: Account, tmp_path: Path, monkeypatch):
    name = made(account)
    with FakePrograms.of(tmp_path, account) as programs:
        programs.on_path(monkeypatch)
        programs.hangs = "kubectl --request-timeout=60s get"
        process = started(account, "status", name, "--region", "us-east-2")
        wait_until(lambda: any("get" in call.words for call in programs.calls))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        assert (process.returncode, out) == (130, ""), err
