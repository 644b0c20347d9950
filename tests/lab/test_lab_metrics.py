"""A lab with metrics: a real Prometheus scrapes its nodes, says what ails them, and ends with the lab."""

from __future__ import annotations

import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.program import run
from tests.waiting import wait_until
from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.edge.prometheus_connection import Connection
from trainyard.lab.lab_process import daemons

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
SPEC = """\
kind: cluster
name: {name}
platform: parallelcluster
region: us-east-2
network: {{availability_zone: us-east-2a}}
head_node: {{instance_type: m5.2xlarge}}
queues:
  - {{name: gpu, instance_type: p5.48xlarge, nodes: {{min: 2, max: 3}}}}
"""
ONE, TWO = "gpu-st-p5-48xlarge-1", "gpu-st-p5-48xlarge-2"


@pytest.fixture(name="place")
def place_fixture() -> Iterator[Path]:
    folder = Path("/tmp") / f"labm-{os.getpid()}"  # names of sockets may not be long
    folder.mkdir()
    (folder / "cluster.yaml").write_text(SPEC.format(name=f"llm{os.getpid()}"))
    yield folder
    assert trainyard(folder, "down", "--all")
    subprocess.run(["rm", "-rf", str(folder)], check=True)


def trainyard(place: Path, *words: str, path: str = os.environ["PATH"]) -> str:
    done = run("lab", *words, variables={**os.environ, "TRAINYARD_STATE": str(place), "PATH": path})
    assert done.status == 0, done.err
    return done.out + done.err


def test_prometheus_and_the_page_show_what_slurm_does_and_how_nodes_break(place: Path):
    trainyard(place, "up", str(place / "cluster.yaml"), "--metrics")
    (lab,) = json.loads(trainyard(place, "status", "--json"))["labs"]
    api = PrometheusApi(Connection(lab["addresses"]["prometheus"]))

    def value(query: str) -> dict[str, float]:
        return {sample.labels.get("node_name", ""): sample.value for sample in api.query(query)}

    wait_until(lambda: value('up{job="dcgm-exporter"}') == {ONE: 1, TWO: 1})  # no dynamic node that nobody wants
    wait_until(lambda: value("slurm_nodes_idle") == {"head": 2})
    trainyard(place, "break", ONE, "--how", "sick")
    trainyard(place, "break", TWO)
    wait_until(lambda: value('max by (node_name) (trainyard_health_problem{code="79"})') == {ONE: 1})
    wait_until(lambda: value('up{job="node-exporter"}') == {ONE: 1, TWO: 0})
    wait_until(lambda: {one.labels["alertname"] for one in api.query("ALERTS")} & {"gpu-xid-fatal", "gpu-missing"})
    with urllib.request.urlopen(lab["addresses"]["dashboards"]) as page:
        assert page.status == 200
    folder = place / "labs" / lab["name"]
    assert lab["addresses"]["dashboards"] in trainyard(place, "status")
    trainyard(place, "down")
    assert (daemons(folder), folder.exists()) == ([], False)


def test_without_a_prometheus_the_exporters_are_there_and_a_line_says_so(place: Path):
    own = place / "programs"
    own.mkdir()
    for program in ("munged", "sacctmgr", "scancel", "scontrol", "sinfo", "slurmctld", "slurmd", "squeue", "sdiag"):
        (own / program).symlink_to(subprocess.check_output(["which", program], text=True).strip())
    told = trainyard(place, "up", str(place / "cluster.yaml"), "--metrics", path=f"{own}:/bin-without-prometheus")
    assert "there is no prometheus on this machine" in told
    (lab,) = json.loads(trainyard(place, "status", "--json"))["labs"]
    assert list(lab["addresses"]) == ["exporters"]
    with urllib.request.urlopen(f"{lab['addresses']['exporters']}/{ONE}/dcgm-exporter") as answer:
        assert b"DCGM_FI_DEV_GPU_UTIL" in answer.read()
