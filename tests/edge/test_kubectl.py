"""The user's kubectl is asked about one cluster, and his kubeconfig is left out of it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.edge.aws.in_memory import CREDENTIALS, account_in_memory
from tests.kubernetes.api_server import node
from tests.kubernetes.programs import FakePrograms
from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.edge.kubernetes.refusals import ForbiddenError, NoSuchKindError, NotThereError
from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import TrainyardError

NAME = "llm"
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "one", "namespace": "jobs", "uid": "made-up"},
    "spec": {},
}
SECOND = {**POD, "metadata": {"name": "two", "labels": {"app": "x"}}}


@pytest.fixture
def programs(tmp_path, monkeypatch):
    with account_in_memory() as account, FakePrograms.of(tmp_path / "programs", account) as made:
        account.client("eks").create_cluster(
            name=NAME,
            version="1.35",
            roleArn="arn:aws:iam::123456789012:role/r",
            resourcesVpcConfig={"subnetIds": ["s"]},
        )
        yield made.on_path(monkeypatch)


@pytest.fixture
def kubectl(programs):
    with kubectl_of(programs.eksctl.account, NAME) as made:
        yield made


def test_nothing_of_the_user_is_read_and_no_secret_is_in_a_file(programs, kubectl):
    kubectl.get("nodes")
    call = programs.calls[-1]
    told = json.loads(call.kubeconfig)
    (user,) = told["users"]
    assert user["user"]["exec"]["command"] == sys.executable
    assert user["user"]["exec"]["args"] == ["-P", "-m", "trainyard.edge.kubernetes.token", "us-east-2", NAME]
    assert CREDENTIALS["AWS_SECRET_ACCESS_KEY"] not in call.kubeconfig
    assert call.variables["AWS_SECRET_ACCESS_KEY"] == CREDENTIALS["AWS_SECRET_ACCESS_KEY"]
    file = Path(call.variables["KUBECONFIG"])
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_the_private_file_is_gone_afterwards(programs):
    with kubectl_of(programs.eksctl.account, NAME) as kubectl:
        kubectl.get("nodes")
    assert not Path(programs.calls[-1].variables["KUBECONFIG"]).parent.exists()


def test_get_returns_whole_objects_of_all_namespaces(programs, kubectl):
    programs.api.add(dict(POD), node("n1", "training"))
    assert kubectl.get("pods") == [POD]
    assert programs.calls[-1].words == [
        "--request-timeout=60s", "get", "--all-namespaces", "--output=json", "--", "pods"
    ]  # fmt: skip


def test_get_can_be_narrowed(programs, kubectl):
    programs.api.add(dict(POD), dict(SECOND))
    assert [pod["metadata"]["name"] for pod in kubectl.get("pods", namespace="jobs")] == ["one"]
    assert [pod["metadata"]["name"] for pod in kubectl.get("pods", selector="app=x")] == ["two"]


@pytest.mark.parametrize("hostile", ["--kubeconfig=/etc/passwd", "-f/etc/passwd", "$(touch x)", "nodes; ls"])
def test_hostile_words_stay_words(programs, kubectl, hostile):
    with pytest.raises(NoSuchKindError):
        kubectl.get(hostile)
    assert programs.calls[-1].words[-2:] == ["--", hostile]
    with pytest.raises(NotThereError):
        list(kubectl.logs(hostile, "default"))
    assert programs.calls[-1].words[-2:] == ["--", hostile]


def test_apply_is_done_by_the_server_under_our_name(programs, kubectl):
    assert kubectl.apply([POD, SECOND], force_conflicts=True) == [
        "pod/one serverside-applied",
        "pod/two serverside-applied",
    ]
    call = programs.calls[-1]
    assert call.words[1:] == [
        "apply", "--server-side", "--field-manager=trainyard", "--force-conflicts", "--filename=-"
    ]  # fmt: skip
    assert json.loads(call.input)["items"] == [POD, SECOND]


def test_delete_names_objects_and_nothing_else(programs, kubectl):
    programs.api.add(dict(POD))
    assert kubectl.delete([POD]) == ['pod "one" deleted']
    assert json.loads(programs.calls[-1].input)["items"] == [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one", "namespace": "jobs"}}
    ]
    assert kubectl.delete([POD]) == []


def test_a_drain_evicts_pods_and_says_what_a_budget_holds_up(programs, kubectl):
    programs.api.add({**POD, "spec": {"nodeName": "n1"}})
    assert kubectl.drain("n1") == []
    assert kubectl.get("pods") == []
    flags = ["--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=60s"]
    assert ["drain", *flags, "--", "n1"] in [call.words for call in programs.calls]
    held_up = 'error when evicting pods/"web" -n "default" (will retry after 5s): Cannot evict pod as it would violate'
    programs.api.refuses = f"{held_up}\nerror: unable to drain node"
    assert kubectl.drain("n1") == [f'"{held_up}"'.replace('"web" -n "default"', "'web' -n 'default'")]
    programs.api.refuses = 'Error from server (Forbidden): nodes "n1" is forbidden: User "x" cannot patch'
    with pytest.raises(ForbiddenError):
        kubectl.drain("n1")


def test_logs_come_line_by_line(programs, kubectl):
    programs.api.logs["jobs", "one"] = ["first", "", "last"]
    assert list(kubectl.logs("one", "jobs", container="main", previous=True, since_s=60, tail=10)) == [
        "first",
        "",
        "last",
    ]
    assert programs.calls[-1].words == [
        "logs", "--namespace=jobs", "--container=main", "--since=60s", "--tail=10", "--previous", "--", "one"
    ]  # fmt: skip


def test_lines_of_a_log_have_their_times_where_these_are_asked_for(programs, kubectl):
    programs.api.logs["jobs", "one"] = ["2026-11-22T04:00:00.5Z early", "2026-11-22T04:00:01.5Z late"]
    assert list(kubectl.logs("one", "jobs")) == ["early", "late"]
    lines = kubectl.logs("one", "jobs", since="2026-11-22T04:00:01Z", timestamps=True)
    assert list(lines) == ["2026-11-22T04:00:01.5Z late"]
    assert "--since-time=2026-11-22T04:00:01Z" in programs.calls[-1].words


def test_closing_the_lines_of_a_log_ends_kubectl(programs, kubectl):
    programs.hangs = "kubectl logs"
    lines = kubectl.logs("one", "jobs", follow=True)
    lines.close()
    assert not [call for call in programs.calls if call.words[0] == "logs"]


def test_the_version_of_the_server(kubectl):
    assert kubectl.server_version() == "v1.35.2-eks-0123456"


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("Unable to connect to the server: dial tcp 10.0.0.1:443: i/o timeout", UnreachableError),
        ("The connection to the server x:443 was refused - did you specify the right host or port?", UnreachableError),
        ("error: You must be logged in to the server (Unauthorized)", ForbiddenError),
        ('Error from server (Forbidden): nodes is forbidden: User "x" cannot list resource "nodes"', ForbiddenError),
        ('error: the server doesn\'t have a resource type "mpijobs"', NoSuchKindError),
        ('Error from server (NotFound): pods "x" not found', NotThereError),
    ],
)
def test_what_kubectl_says_is_told_apart(programs, kubectl, said, error):
    programs.api.refuses = (
        "E1122 04:00:00.000000  1 memcache.go:265] couldn't get current server API group list\n" + said
    )
    with pytest.raises(error) as raised:
        kubectl.get("nodes")
    assert said.replace('"', "'") in raised.value.problem
    assert "memcache" not in raised.value.problem
    assert raised.value.hint


def test_a_cluster_that_is_not_there(programs):
    with (
        pytest.raises(TrainyardError, match="no EKS cluster other in us-east-2"),
        kubectl_of(programs.eksctl.account, "other"),
    ):
        pass


def test_a_missing_kubectl_says_where_to_get_it(programs):
    programs.remove("kubectl")
    with pytest.raises(TrainyardError, match="no program kubectl") as raised, kubectl_of(programs.eksctl.account, NAME):
        pass
    assert "https://kubernetes.io" in str(raised.value.hint)


@pytest.mark.parametrize("version", ["", "1.35", "vX"])
def test_a_kubectl_that_is_something_else_is_refused(programs, version):
    programs.kubectl_version = version
    with pytest.raises(TrainyardError, match="does not say which version"), kubectl_of(programs.eksctl.account, NAME):
        pass


def test_a_kubectl_that_cannot_take_our_credentials_is_refused(programs):
    programs.kubectl_version = "v1.21.14"
    with pytest.raises(TrainyardError, match=r"older than 1\.22") as raised, kubectl_of(programs.eksctl.account, NAME):
        pass
    assert "https://kubernetes.io" in str(raised.value.hint)


def test_it_is_asked_for_its_version_once_and_again_where_it_was_replaced(programs):
    for _ in range(3):
        with kubectl_of(programs.eksctl.account, NAME):
            pass
    assert len(programs.calls) == 1
    program = programs.folder / "bin" / "kubectl"
    os.utime(program, ns=(0, program.stat().st_mtime_ns + 1))
    with kubectl_of(programs.eksctl.account, NAME):
        pass
    assert len(programs.calls) == 2


@pytest.mark.parametrize("answer", ["<html>sign in</html>", "[1]", "{}", '{"serverVersion": 1}', ""])
def test_what_is_no_version_of_a_server_is_one_clear_error(programs, kubectl, answer):
    programs.prints = answer
    with pytest.raises(TrainyardError, match="what no API server of Kubernetes says") as raised:
        kubectl.server_version()
    assert "no proxy" in str(raised.value.hint)


@pytest.mark.parametrize("answer", ["<html>sign in</html>", "[1]"])
def test_what_is_no_list_of_objects_is_one_clear_error(programs, kubectl, answer):
    programs.prints = answer
    with pytest.raises(TrainyardError, match="what no API server of Kubernetes says"):
        kubectl.get("nodes")


def test_a_profile_takes_the_place_of_keys_in_the_environment(programs, monkeypatch):
    account: Any = programs.eksctl.account
    monkeypatch.setenv("AWS_SESSION_TOKEN", "of somebody else")
    with kubectl_of(account, NAME) as kubectl:
        kubectl.get("nodes")
    assert "AWS_SESSION_TOKEN" not in programs.calls[-1].variables
    assert os.environ["AWS_SESSION_TOKEN"] == "of somebody else"
