"""The address of an emulated cluster's API server."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from typing import Any

from trainyard.rehearsal.emulated import pages
from trainyard.rehearsal.emulated.eks.state import clusters
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.kubernetes.api_server import answer, request_of
from trainyard.rehearsal.emulated.kubernetes.pod_ends import end_pod

HOST = re.compile(r"[0-9A-Fa-f]{32}\.gr7\.([a-z0-9-]+)\.eks\.amazonaws\.com(:[0-9]+)?")
"""Hosts that are answered here, whoever asks: nobody's rights are looked at."""
NAME = "kubernetes"
"""What its calls are counted as."""


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """Answer a request to a cluster's own address."""
    host = str(environ["HTTP_HOST"]).partition(":")[0]
    aws = InProcessAccount(os.environ.get("AWS_DEFAULT_REGION", "us-east-1"))
    those = (
        cluster
        for cluster in clusters(aws).values()
        if cluster.described["endpoint"].lower() == f"https://{host}".lower()
    )
    cluster = next(those, None)
    status, content = (
        (404, {"message": "no such cluster"}) if cluster is None else answer(aws, cluster, request_of(environ))
    )
    start_response(f"{status} Answered", [("Content-Type", "application/json")])
    return [json.dumps(content, default=str).encode()]


def install() -> None:
    """Let tests end a pod, or its container: PUT /trainyard/pod-end."""
    pages.TAKES["pod-end"] = lambda state: end_pod(InProcessAccount(state.pop("region")), state)
