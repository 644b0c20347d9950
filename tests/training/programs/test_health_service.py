"""What ft_launcher hears of a node: over gRPC, by a client that has the messages of NVIDIA's own definition."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from tests.waiting import wait_until
from trainyard.training.programs import health_service
from trainyard.training.programs.health_service import response

# Fields of the messages: https://github.com/NVIDIA/nvidia-resiliency-ext/blob/v0.6.0/src/nvidia_resiliency_ext/shared_utils/proto/nvhcd.proto
FIELDS = {
    "HealthCheckRequest": [("args", 9, 3)],
    "HealthCheckResponse": [("success", 8, 1), ("exit_code", 5, 1), ("output", 9, 1), ("error", 9, 1)],
}


def message(name: str) -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="nvhcd.proto", package="nvhcd", syntax="proto3")
    for title, fields in FIELDS.items():
        made = file.message_type.add(name=title)
        for number, (field, type_, label) in enumerate(fields, start=1):
            made.field.add(name=field, number=number, type=type_, label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"nvhcd.{name}"))


def as_ft_launcher_reads_it(said: bytes) -> tuple[bool, int, dict[str, Any]]:
    read = message("HealthCheckResponse").FromString(said)
    return read.success, read.exit_code, json.loads(read.output)


@pytest.mark.parametrize("checks", [[], ["gpu-xid"], [f"check-{number}" for number in range(40)]])
def test_an_answer_says_which_checks_have_failed(checks: list[str]):
    success, exit_code, output = as_ft_launcher_reads_it(response(checks))
    assert (success, exit_code) == ((False, 1) if checks else (True, 0))
    assert output == {"fail_count": len(checks), "failed_checks": checks}


@contextmanager
def served(folder: Path, health: str) -> Iterator[Any]:
    """Start the service on a node whose `trainyard-node health` is this shell, and give what calls it."""
    program = folder / "trainyard-node"
    program.write_text(f"#!/bin/sh\n{health}\n")
    program.chmod(0o755)
    socket = folder / "health.sock"
    service = subprocess.Popen([sys.executable, health_service.__file__, str(socket)],
                               env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})  # fmt: skip
    try:
        wait_until(socket.exists)
        with grpc.insecure_channel(f"unix://{socket}") as channel:
            call = channel.unary_unary("/nvhcd.HealthCheckService/RunHealthCheck")
            yield lambda: call(message("HealthCheckRequest")(args=["--no-slurm"]).SerializeToString(), timeout=60)
    finally:
        service.terminate()
        service.wait()


@pytest.mark.integration
def test_a_node_joins_only_while_its_checks_pass(tmp_path: Path):
    sick = {"outcomes": [{"check": "gpu-xid", "status": "failed"}, {"check": "efa-count", "status": "ok"}]}
    (tmp_path / "sick.json").write_text(json.dumps(sick))
    well = "echo '{\"outcomes\": []}'"
    with served(tmp_path, f"[ -e {tmp_path}/well ] && {well} && exit 0; cat {tmp_path}/sick.json; exit 1") as ask:
        assert as_ft_launcher_reads_it(ask()) == (False, 1, {"fail_count": 1, "failed_checks": ["gpu-xid"]})
        assert (tmp_path / "refused").exists()
        (tmp_path / "well").touch()
        assert as_ft_launcher_reads_it(ask())[0]
        assert not (tmp_path / "refused").exists()


@pytest.mark.integration
def test_where_nobody_knows_anything_the_node_counts_as_well(tmp_path: Path):
    with served(tmp_path, "echo broken; exit 1") as ask:
        assert as_ft_launcher_reads_it(ask())[0]


@pytest.mark.parametrize(("status", "fails"), [("failed", True), ("warning", False)])
def test_in_a_container_the_metrics_of_the_node_tell(status: str, *, fails: bool):
    text = 'trainyard_health_check{check="gpu-ecc",status="ok"} 0\n'
    text += f'trainyard_health_check{{check="gpu-xid",status="{status}"}} 1\n'
    assert bool(health_service.failures_in(text)) == fails


def test_the_answer_of_a_node_whose_disk_cannot_be_written_is_no(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(health_service, "failed_checks", lambda: ["disk"])
    said = health_service.answer(tmp_path / "gone" / "refused", b"", None)
    assert as_ft_launcher_reads_it(said)[0] is False
