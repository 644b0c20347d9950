"""Containers as containerd and the kubelet leave them on a node, below a folder.

What a container was told is cut down to what tells jobs, in the form of the OCI runtime specification with containerd's
annotations (internal/cri/annotations/annotations.go), and what the kubelet has given away is in the form of Kubernetes'
pkg/kubelet/cm/devicemanager/checkpoint/checkpoint.go; both read 2026-11-28.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.node.doubles import START
from trainyard_node.collectors.jobs import ALLOCATED, FOLDERS

_CRI = "io.kubernetes.cri."
HOUR_S = 3600


def run_container(
    root: Path, namespace: str, spec: dict[str, Any], age_s: float = HOUR_S, folder: str = FOLDERS[0]
) -> Path:
    """Leave what containerd keeps of a container that runs."""
    containers = root / f"{folder[1:]}/io.containerd.runtime.v2.task/{namespace}"
    containers.mkdir(parents=True, exist_ok=True)
    file = containers / f"{len(list(containers.iterdir())):064x}/config.json"
    file.parent.mkdir()
    (file.parent / "rootfs").mkdir()
    file.write_text(json.dumps(spec))
    began_s = START.timestamp() - age_s
    os.utime(file, (began_s, began_s))
    return file


def run_pod(root: Path, pod: str, uid: str, host: str | None = None, age_s: float = HOUR_S) -> Path:
    """Leave what is kept of a pod, ml/POD where no namespace is given: the container of its namespaces, and its own."""
    namespace, name = ("ml/" + pod).split("/")[-2:]
    of_pod = {f"{_CRI}sandbox-name": name, f"{_CRI}sandbox-namespace": namespace, f"{_CRI}sandbox-uid": uid}
    env = ["PATH=/usr/bin", "NVIDIA_VISIBLE_DEVICES=GPU-5b1c"]
    own = {"annotations": {**of_pod, f"{_CRI}container-type": "container"}, "process": {"env": env}}
    run_container(root, "k8s.io", own, age_s / 2)
    sandbox = {
        "ociVersion": "1.2.0",
        "process": {"args": ["/pause"], "env": ["PATH=/usr/bin"]},
        "hostname": name if host is None else host,
        "annotations": {**of_pod, f"{_CRI}container-type": "sandbox"},
    }
    return run_container(root, "k8s.io", sandbox, age_s)


def run_batch(root: Path, id_: str, *env: str, queue: str = "gpu", age_s: float = HOUR_S, **more: Any) -> Path:
    """Leave what is kept of a container of AWS Batch."""
    own = [f"AWS_BATCH_JOB_ID={id_}", f"AWS_BATCH_JQ_NAME={queue}", "AWS_BATCH_JOB_ATTEMPT=1", "SECRET=hunter2", *env]
    return run_container(root, "moby", {"ociVersion": "1.2.0", "process": {"env": own}}, age_s, **more)


def allocate(root: Path, uids: Iterable[str]) -> None:
    """Let the kubelet have given a device to each of some pods."""
    entries = [
        {
            "PodUID": uid, "ContainerName": "pytorch", "ResourceName": "nvidia.com/gpu",
            "DeviceIDs": {"0": ["GPU-5b1c"]}, "AllocResp": "CiA=",
        }
        for uid in uids
    ]  # fmt: skip
    data = {"PodDeviceEntries": entries or None, "RegisteredDevices": {"nvidia.com/gpu": ["GPU-5b1c"]}}
    file = root / ALLOCATED[1:]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"Data": data, "Checksum": 4009612519}))
