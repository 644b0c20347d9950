"""Answers ft_launcher whether this node is well, so that a rendezvous lets no sick node join.

    python3 health_service.py SOCKET

NVIDIA's resiliency extension (NVRx, from 0.6) asks a service of the node over a Unix socket, by gRPC:
https://github.com/NVIDIA/nvidia-resiliency-ext/blob/v0.6.0/src/nvidia_resiliency_ext/shared_utils/proto/nvhcd.proto
The answer is that of `trainyard-node health`; within a container, which has no such program, that of the metrics that
the node exports, some minutes old. Where nobody knows anything the node counts as well, as it does without a service.
While the last answer was no, a file `refused` lies beside the socket: ft_launcher 0.6 then ends as if all were done.
It runs with the Python that has NVRx, which brings grpc where it asks at all.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

SERVICE, CALL = "nvhcd.HealthCheckService", "RunHealthCheck"
_METRICS = "http://127.0.0.1:9341/metrics"
_FAILED = re.compile(r'^trainyard_health_check\{[^}]*check="([^"]*)"[^}]*status="failed"[^}]*\} 1(\.0)?$', re.MULTILINE)
# ft_launcher waits a minute; the checks themselves take at most ten seconds.
_COMMAND_S, _METRICS_S = 30, 5
_MOST_BYTES = 16 * 2**20


def failed_checks() -> list[str]:
    """Return which checks of the node have failed, as far as anybody knows."""
    if shutil.which("trainyard-node"):
        command = ["trainyard-node", "health", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_COMMAND_S, check=False)
        outcomes = json.loads(done.stdout)["outcomes"]
        return sorted({outcome["check"] for outcome in outcomes if outcome["status"] == "failed"})
    # This node is asked, whatever proxy leads elsewhere.
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(_METRICS, timeout=_METRICS_S) as answer:
        return failures_in(answer.read(_MOST_BYTES).decode("utf-8", "replace"))


def failures_in(metrics: str) -> list[str]:
    """Return which checks have failed by the metrics of a node."""
    return sorted(match[1] for match in _FAILED.finditer(metrics))


def response(checks: list[str]) -> bytes:
    """Return a HealthCheckResponse: success, exit_code and output are its fields 1, 2 and 3."""
    output = json.dumps({"fail_count": len(checks), "failed_checks": checks}).encode()
    status = b"\x10\x01" if checks else b"\x08\x01"
    return status + b"\x1a" + _varint(len(output)) + output


def answer(refused: Path, _request: bytes, _context: Any) -> bytes:
    """Answer one question, and leave the file where the answer is no."""
    try:
        checks = failed_checks()
    except (OSError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired) as error:
        print(f"health_service: nothing is known of this node: {error}", file=sys.stderr, flush=True)
        checks = []
    if checks:
        print(f"health_service: this node may not join: {', '.join(checks)}", file=sys.stderr, flush=True)
    with suppress(OSError):  # on a full disk the answer is still no
        if checks:
            refused.touch()
        else:
            refused.unlink(missing_ok=True)
    return response(checks)


def main() -> int:
    """Serve until the process is ended."""
    try:
        import grpc
    except ImportError:
        print("health_service: without grpc ft_launcher asks nobody, and every node joins", file=sys.stderr)
        return 0
    answers = grpc.unary_unary_rpc_method_handler(partial(answer, Path(sys.argv[1]).with_name("refused")))
    handler = grpc.method_handlers_generic_handler(SERVICE, {CALL: answers})
    server = grpc.server(ThreadPoolExecutor(1), handlers=[handler])
    server.add_insecure_port(f"unix://{sys.argv[1]}")
    server.start()
    server.wait_for_termination()
    return 0


def _varint(number: int) -> bytes:
    digits = []
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*digits, number])


if __name__ == "__main__":
    sys.exit(main())
