"""The logs of EKS clusters: streams of the control plane, and pods by kubectl."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.preflights.recorded import Refusal
from tests.operate.eks_cluster import CONTROL_PLANE, INSIGHTS, UNREACHABLE, EksCluster, job, pod, stamp
from trainyard.api.diagnose import diagnose_files
from trainyard.api.logs import LogReader, Period, logs_of
from trainyard.cli.logs_output import event_printer, log_values, nothing_found, print_log
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.logs.cluster_log import cluster_log
from trainyard.operate.logs.log_filter import LogSelection, selected_streams
from trainyard.operate.logs.logs import Logs
from trainyard.platforms.eks.logs.pod_logs import PodLogs
from trainyard.platforms.eks.logs.stream_name import parsed_eks

WHOLE = Period()
HASH = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
SCHEDULER, AUTHENTICATOR = f"kube-scheduler-{HASH}", f"authenticator-{HASH}"
NODE = "ip-10-0-16-2.us-east-2.compute.internal"
OF_NODE = f"{NODE}-application.var.log.containers.train-worker-0_default_train-{HASH}.log"
STREAMS = {
    CONTROL_PLANE: {SCHEDULER: ["no nodes", "no GPUs"], AUTHENTICATOR: ["access denied"]},
    INSIGHTS: {OF_NODE: ["NCCL INFO"], "ip-10-0-16-3.us-east-2.compute.internal-host.messages": ["booted"]},
}


def training_pod(name: str, node: str = NODE, namespace: str = "default", *containers: str) -> dict[str, Any]:
    labels = {"training.kubeflow.org/job-name": name.partition("-")[0]}
    spec = {"nodeName": node, "containers": [{"name": container} for container in containers or ("train",)]}
    return pod(name, "Running", metadata={"labels": labels, "namespace": namespace}, spec=spec)


OF = EksCluster(
    log_streams=STREAMS,
    inside=(training_pod("train-worker-0"), training_pod("train-worker-1", "ip-10-0-16-3.us-east-2.compute.internal")),
    logs={
        "train-worker-0": [f"{stamp(9)} first", f"{stamp(5)} third", f"{stamp(5)} third"],
        "train-worker-1": [f"{stamp(7)} second", "no time of its own", f"{stamp(1)} last \x1b[2J"],
    },
)


def of_pods(of: EksCluster = OF, **wanted: Any) -> PodLogs:
    pod_logs = logs_of("llm", of.account(), kubectl=of.kubectl().of, **wanted)
    assert isinstance(pod_logs, PodLogs)
    return pod_logs


def of_cloudwatch(of: EksCluster = OF, **wanted: Any) -> Logs:
    logs = logs_of("llm", of.account(), kubectl=of.kubectl().of, **wanted)
    assert isinstance(logs, Logs)
    return logs


def messages(found: LogReader, of: Period = WHOLE, **how: Any) -> list[str]:
    return [event.message for event in found.events(of, **how)]


@pytest.mark.parametrize(
    ("name", "kind", "host"),
    [
        (SCHEDULER, "kube-scheduler", "control plane"),
        (f"kube-apiserver-audit-{HASH}", "kube-apiserver-audit", "control plane"),
        (f"kube-apiserver-{HASH}", "kube-apiserver", "control plane"),
        (OF_NODE, "application", NODE),
    ],
)
def test_a_name_says_what_logs_and_on_which_node(name: str, kind: str, host: str):
    parts = parsed_eks(name)
    assert parts is not None
    assert (parts.kind, parts.host) == (kind, host)


def test_the_streams_of_the_control_plane_are_listed_and_its_other_groups_named(capsys):
    logs = of_cloudwatch()
    assert logs.log.group.name == CONTROL_PLANE
    print_log(logs)
    text = capsys.readouterr().out
    assert "2 streams of the control plane\n" in text
    assert f"another group of this cluster: --group {INSIGHTS} (" in text
    assert "pods: --pod, --job and --node read their logs by kubectl" in text
    assert [stream["log"] for stream in log_values(logs)["streams"]] == ["kube-scheduler", "authenticator"]


def test_what_the_control_plane_says_is_printed_with_who_says_it(capsys):
    logs = of_cloudwatch(kinds=("kube-scheduler",))
    assert messages(logs) == ["no nodes", "no GPUs"]
    show = event_printer(of_cloudwatch(), as_json=False)
    for event in logs.events(Period()):
        show(event)
    assert " kube-scheduler no nodes\n" in capsys.readouterr().out


def test_where_the_control_plane_has_written_nothing_that_is_said():
    with pytest.raises(InputError, match="there is no log 'kube-apiserver'") as raised:
        of_cloudwatch(OF.but(log_streams={CONTROL_PLANE: {}}), kinds=("kube-apiserver",))
    assert raised.value.hint == "there are none at all so far"


def test_of_container_insights_the_streams_of_a_node_are_chosen():
    logs = of_cloudwatch(group=INSIGHTS, nodes=("ip-10-0-16-2",))
    assert [stream.name for stream in logs.streams] == [OF_NODE]
    with pytest.raises(InputError, match="has no logs of a node 'ip-10-0-16-9'"):
        of_cloudwatch(group=INSIGHTS, nodes=("ip-10-0-16-9",))


@pytest.mark.parametrize(
    ("wanted", "pods"),
    [
        ({"pods": ("train-worker-0",)}, ["train-worker-0"]),
        ({"pods": ("default/train-*",)}, ["train-worker-0", "train-worker-1"]),
        ({"jobs": ("train",)}, ["train-worker-0", "train-worker-1"]),
        ({"jobs": ("default/train",)}, ["train-worker-0", "train-worker-1"]),
        ({"nodes": ("ip-10-0-16-3",)}, ["train-worker-1"]),
        ({"nodes": (NODE,), "jobs": ("train",)}, ["train-worker-0"]),
    ],
    ids=str,
)
def test_pods_are_chosen_by_their_names_their_jobs_and_their_nodes(wanted: dict[str, Any], pods: list[str]):
    assert [stream.node for stream in of_pods(**wanted).streams] == pods


@pytest.mark.parametrize(
    ("wanted", "said", "hint"),
    [
        ({"pods": ("nobody",)}, "there is no pod 'nobody'", "there are default/train-worker-0, default/train-worker-1"),
        ({"jobs": ("bench",)}, "there is no pod of a job 'bench'", "there are train"),
        ({"nodes": ("ip-1",)}, "there is no pod on a node 'ip-1'", "ip-10-0-16-2.us-east-2.compute.internal"),
        ({"pods": ("*",), "kinds": ("sidecar",)}, "no such pod has a container 'sidecar'", "there are train"),
    ],
)
def test_what_there_is_not_is_one_error_that_names_what_there_is(wanted: dict[str, Any], said: str, hint: str):
    with pytest.raises(InputError, match=said) as caught:
        of_pods(**wanted)
    assert hint in (caught.value.hint or "")


def test_the_lines_of_several_pods_are_in_the_order_of_time():
    assert messages(of_pods(jobs=("train",))) == [
        "first", "second", "no time of its own", "third", "third", "last \x1b[2J",
    ]  # fmt: skip


def test_a_job_set_is_a_job_by_its_own_name():
    labels = {"jobset.sigs.k8s.io/jobset-name": "llm", "batch.kubernetes.io/job-name": "llm-worker-0"}
    of_job_set = training_pod("llm-worker-0-0-abcde")
    of_job_set["metadata"]["labels"] = labels
    of = OF.but(inside=(*OF.inside, of_job_set), logs={"llm-worker-0-0-abcde": [f"{stamp(3)} step 7"]})
    assert messages(of_pods(of, jobs=("llm",))) == messages(of_pods(of, jobs=("llm-worker-0",))) == ["step 7"]


def test_lines_are_those_of_a_period_those_that_are_found_or_only_the_last():
    pod_logs = of_pods(jobs=("train",))
    since = (1_800_000_000 - 6 * 60) * 1000
    assert messages(pod_logs, Period(since)) == ["third", "third", "last \x1b[2J"]
    assert messages(pod_logs, Period(None, since)) == ["first", "second", "no time of its own"]
    assert messages(pod_logs, grep="th[i]rd") == ["third", "third"]
    assert messages(pod_logs, tail=2) == ["third", "last \x1b[2J"]
    assert messages(pod_logs, tail=0) == []


def test_nothing_of_a_log_commands_the_terminal(capsys):
    pod_logs = of_pods(jobs=("train",))
    show = event_printer(pod_logs, as_json=False)
    for event in pod_logs.events(Period()):
        show(event)
    out = capsys.readouterr().out
    assert "train-worker-1 train last \\x1b[2J\n" in out
    assert "\x1b" not in out


def test_new_lines_come_once_also_where_two_have_the_same_time():
    kubectl = OF.kubectl()
    account = OF.account()
    found = logs_of("llm", account, pods=("train-worker-0",), kubectl=kubectl.of)
    lines = kubectl.api.logs[("default", "train-worker-0")]
    following: Iterator[Any] = found.follow(Period(), tail=1)
    assert next(following).message == "third"
    lines += [f"{stamp(-1)} new", f"{stamp(-1)} new"]
    assert [one.message for one in islice(following, 2)] == ["new", "new"]
    lines += [f"{stamp(-1)} new", f"{stamp(-2)} newer"]
    assert [one.message for one in islice(following, 2)] == ["new", "newer"]


def test_a_pod_that_has_gone_is_told_and_the_others_are_read():
    kubectl = OF.kubectl()
    found = logs_of("llm", OF.account(), jobs=("train",), kubectl=kubectl.of)
    del kubectl.api.logs[("default", "train-worker-0")]
    assert messages(found)[0] == "second"
    assert list(found.unread) == ["default/train-worker-0/train"]


def test_where_nothing_can_be_read_that_is_an_error():
    pod_logs = of_pods(OF.but(logs={}), jobs=("train",))
    with pytest.raises(TrainyardError, match="not found"):
        messages(pod_logs)


def test_where_no_line_is_found_that_is_told(capsys):
    found = of_pods(jobs=("train",))
    assert nothing_found(found, Period(), "nobody") == "no line that 'nobody' finds: looked at 2 containers by kubectl"


def test_pods_are_listed_with_their_nodes(capsys):
    pod_logs = of_pods(jobs=("train",))
    print_log(pod_logs)
    text = capsys.readouterr().out
    assert text.splitlines()[0] == "2 containers of 2 pods, by kubectl"
    assert f"  default/train-worker-0  {'':<25}" in text
    assert [stream["pod"] for stream in log_values(pod_logs)["streams"]] == [
        "default/train-worker-0",
        "default/train-worker-1",
    ]


def test_a_cluster_that_logs_nothing_in_cloudwatch_has_its_pods():
    pod_logs = of_pods(OF.but(log_streams={}))
    assert len(pod_logs.streams) == 2


def test_a_name_that_nobody_has_is_one_clear_error():
    with pytest.raises(TrainyardError, match="there is no log group"):
        logs_of("other", OF.account())


def test_an_api_that_does_not_answer_is_one_clear_error():
    with pytest.raises(TrainyardError, match="the Kubernetes API of llm cannot be reached"):
        of_pods(OF.but(refuses=UNREACHABLE), jobs=("train",))


def exported(file: Path) -> dict[str, str]:
    with tarfile.open(file) as archive:
        found = {}
        for member in archive:
            content = archive.extractfile(member)
            assert content is not None
            found[member.name.partition("/")[2]] = content.read().decode()
    return found


SECRET = {"name": "WANDB_API_KEY", "value": "very-secret"}


def test_an_archive_has_the_streams_the_pods_and_what_kubernetes_says_and_no_secrets(tmp_path: Path):
    hidden = training_pod("train-worker-2")
    hidden["spec"]["containers"][0]["env"] = [SECRET]
    hidden["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(SECRET)}
    of = OF.with_inside(hidden, job("train", ("Failed", "BackoffLimitExceeded", "")))
    file = tmp_path / "logs.tar.gz"
    done = of_cloudwatch(of).export(Period(), file)
    assert (done.streams, done.containers, done.kubernetes_left_out) == (2, 2, None)
    found = exported(file)
    assert found["pods/default/train-worker-0/train.log"].splitlines()[-1] == f"{stamp(5)} third"
    assert f"cloudwatch-logs/{SCHEDULER}" in found
    assert json.loads(found["kubernetes/mpijobs.json"])["items"][0]["metadata"]["name"] == "train"
    assert "WANDB_API_KEY" in found["kubernetes/pods.json"]
    assert not any("very-secret" in text for text in found.values())


def test_an_archive_tells_diagnose_what_was_wrong(tmp_path: Path):
    xid = "NVRM: Xid (PCI:0000:53:00): 79, pid=1234, name=python, GPU has fallen off the bus."
    file = tmp_path / "logs.tar.gz"
    of_cloudwatch(OF.but(logs={**OF.logs, "train-worker-1": [f"{stamp(9)} {xid}"]})).export(Period(), file)
    (first, *_) = diagnose_files(str(file)).causes
    assert (first.cause.id, first.evidence[0].file.rpartition("/pods/")[2]) == (
        "gpu-fell-off-bus",
        "default/train-worker-1/train.log",
    )


def test_an_archive_is_written_where_the_api_does_not_answer_and_says_so(tmp_path: Path):
    done = of_cloudwatch(OF.but(refuses=UNREACHABLE)).export(Period(), tmp_path / "logs.tar.gz")
    assert done.streams == 2
    assert "cannot be reached" in (done.kubernetes_left_out or "")


def test_an_archive_of_some_pods_has_theirs_alone(tmp_path: Path):
    done = of_pods(pods=("train-worker-1",)).export(Period(), tmp_path / "logs.tar.gz")
    assert (done.containers, done.streams) == (1, 0)
    assert [name for name in exported(tmp_path / "logs.tar.gz") if name.startswith("pods/")] == [
        "pods/default/train-worker-1/train.log"
    ]


def test_groups_of_eks_are_not_asked_to_be_of_jobs():
    account = OF.account()
    log = cluster_log(account, "llm")
    assert (log.leaves_pods_out, log.is_of_jobs) == (True, False)
    assert selected_streams(account, log, LogSelection()) == log.streams


def test_who_may_not_ask_eks_gets_the_error_of_the_logs():
    account = OF.but(log_streams={}).account(eks__DescribeCluster=Refusal("AccessDeniedException", "no", 403))
    with pytest.raises(TrainyardError, match="there is no log group"):
        logs_of("llm", account)
