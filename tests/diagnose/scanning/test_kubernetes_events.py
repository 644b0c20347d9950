"""What kubectl prints, given as files: events and pods as JSON, descriptions, and folders of logs."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

from trainyard.api.diagnose import diagnose_files
from trainyard.diagnose.scanning.json_events import JsonEvent, JsonEvents, is_json_events

NODE = "ip-10-0-16-3.us-east-2.compute.internal"


def listed(*items: dict[str, Any]) -> bytes:
    return json.dumps({"apiVersion": "v1", "items": list(items), "kind": "List"}, indent=4, sort_keys=True).encode()


def event(reason: str, message: str, **about: str) -> dict[str, Any]:
    """Return an event as `kubectl get events -o json` has it."""
    return {
        "apiVersion": "v1",
        "count": 3,
        "eventTime": None,
        "firstTimestamp": "2026-11-20T09:58:00Z",
        "involvedObject": {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": "train-worker-0",
            "namespace": "default",
            **about,
        },
        "kind": "JsonEvent",
        "lastTimestamp": "2026-11-20T10:00:00Z",
        "message": message,
        "metadata": {"creationTimestamp": "2026-11-20T09:58:00Z", "name": "train-worker-0.1", "namespace": "default"},
        "reason": reason,
        "source": {"component": "kubelet", "host": NODE},
        "type": "Warning",
    }


def taken(document: bytes) -> list[JsonEvent]:
    assert is_json_events(document)
    return list(JsonEvents().take(document, 1))


def test_an_event_says_its_reason_its_object_its_node_and_when_it_was_last():
    (found,) = taken(listed(event("Failed", 'Error: configmap "scripts" not found')))
    assert found.text == 'Warning Failed Pod/train-worker-0 Error: configmap "scripts" not found'
    assert (found.node, found.time) == ("ip-10-0-16-3", dt.datetime(2026, 11, 20, 10, 0, tzinfo=dt.UTC))


def test_an_event_of_a_node_is_of_that_node():
    (found,) = taken(
        listed(event("NodeNotReady", "Node status is now: NodeNotReady", kind="Node", name="ip-10-0-16-9"))
    )
    assert found.node == "ip-10-0-16-9"


def test_the_newer_form_of_events_is_read_too():
    newer = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "JsonEvent",
        "eventTime": "2026-11-20T10:00:00.000000Z",
        "regarding": {"kind": "Pod", "name": "train-worker-0"},
        "reason": "FailedScheduling",
        "message": "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.",
        "type": "Warning",
    }
    (found,) = taken(listed(newer))
    assert found.text.startswith("Warning FailedScheduling Pod/train-worker-0 0/3 nodes")
    assert found.time is not None


def test_how_a_container_ended_is_read_without_a_message():
    ended = {"terminated": {"exitCode": 137, "finishedAt": "2026-11-20T10:00:00Z", "reason": "OOMKilled"}}
    pod = {"apiVersion": "v1", "kind": "Pod", "status": {"containerStatuses": [{"name": "train", "lastState": ended}]}}
    (found,) = taken(listed(pod))
    assert (found.text, found.time is not None) == ("OOMKilled", True)


def test_events_given_as_a_file_are_diagnosed_with_their_time(tmp_path: Path):
    file = tmp_path / "events.json"
    file.write_bytes(
        listed(event("FailedScheduling", '0/2 nodes are available: persistentvolumeclaim "fsx" not found.'))
    )
    diagnosis = diagnose_files(str(file))
    assert [cause.cause.id for cause in diagnosis.causes] == ["k8s-claim-missing"]
    assert diagnosis.causes[0].evidence[0].time == dt.datetime(2026, 11, 20, 10, 0, tzinfo=dt.UTC)


DESCRIBED = """\
Name:             train-worker-0
Namespace:        default
Node:             ip-10-0-16-3.us-east-2.compute.internal/10.0.16.3
Status:           Running
Containers:
  train:
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
    Restart Count:  7
Events:
  Type     Reason   Age                  From     Message
  ----     ------   ----                 ----     -------
  Normal   Pulled   2m (x5 over 14m)     kubelet  Container image "train:v9" already present on machine
  Warning  BackOff  61s (x60 over 13m)   kubelet  Back-off restarting failed container train in pod train-worker-0
"""


def test_a_description_of_a_pod_is_diagnosed_by_its_root(tmp_path: Path):
    (tmp_path / "describe.txt").write_text(DESCRIBED)
    assert diagnose_files(str(tmp_path / "describe.txt")).causes[0].cause.id == "host-out-of-memory"


def test_a_folder_of_logs_of_pods_is_diagnosed_together(tmp_path: Path):
    folder = tmp_path / "logs" / "pods" / "default"
    folder.mkdir(parents=True)
    (folder / "train-worker-0.log").write_text(
        "2026-11-20T10:00:00.123456789Z torch.OutOfMemoryError: CUDA out of memory.\n"
    )
    (folder / "train-worker-1.log").write_text("2026-11-20T10:00:01.5Z nothing to see\n")
    failed = event("Failed", "PyTorchJob train is failed because 1 Worker replica(s) failed.", kind="PyTorchJob")
    (tmp_path / "logs" / "events.json").write_bytes(listed({**failed, "lastTimestamp": "2026-11-20T10:00:05Z"}))
    diagnosis = diagnose_files(str(tmp_path / "logs"))
    assert diagnosis.causes[0].evidence[0].file.endswith("train-worker-0.log")
    assert "k8s-training-job-failed" not in [cause.cause.id for cause in diagnosis.causes]


def test_hostile_documents_stop_nothing():
    for document in (
        b'{"apiVersion": "v1", "reason": {"a": [[[',
        b'[{"apiVersion":1,"source":{"host":3},"message":null}]',
    ):
        assert taken(document) == []
