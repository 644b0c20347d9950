"""What goes to CloudWatch and Prometheus. tests/node/ runs the exporters; that AWS takes it, only AWS can tell."""

from __future__ import annotations

import yaml

from tests.mission.subject import ROOT, files, page, released, spec
from trainyard.render.cloudwatch_metrics import OF_EFA, OF_GPU, OF_SLURM, groups_of

EN = "p5en-monitoring"
ALL = "monitoring.cloudwatch_metrics=[system, gpu, efa, slurm]"
NODE = ROOT / "src" / "trainyard_node" / "cloudwatch"


def names(file: str) -> str:
    return (NODE / file).read_text(encoding="utf-8")


def test_exp_1_gpus_have_the_documented_metrics():
    documented = (
        "GPUUtilization",
        "GPUMemoryUtilization",
        "GPUTemperature",
        "GPUPowerUsage",
        "GPUMemoryUsed",
        "GPUMemoryFree",
    )
    assert all(name in names("gpu_readings.py") for name in documented)
    assert len(documented) == OF_GPU
    measured = spec(EN, ALL)
    assert "gpu" in groups_of(measured, "compute-gpu", measured.queues[0])


def test_exp_2_efa_has_the_documented_metrics():
    text = names("efa_rates.py")
    documented = ("rx_bytes_rate", "tx_bytes_rate", "rx_packets_rate", "tx_packets_rate", "rx_errors")
    assert all(name in text for name in documented)
    assert (len(documented) + 1, "tx_retransmits" in text) == (OF_EFA, True)


def test_exp_3_slurm_has_the_documented_metrics():
    text = names("slurm_totals.py")
    documented = (
        "NodesTotal", "NodesIdle", "NodesAllocated", "NodesDown", "JobsRunning", "JobsPending", "JobsTotal",
    )  # fmt: skip
    assert all(name in text for name in documented)
    assert len(documented) + 1 == OF_SLURM


def test_exp_4_the_agent_has_the_documented_metrics():
    step = released(EN, ALL)["steps/50-cloudwatch.sh"]
    for name in ("CPU_IDLE", "CPU_IOWAIT", "MEM_USED", "SWAP_USED", "DISK_USED", "free", "diskio", "netstat"):
        assert name in step


def test_exp_5_nodes_send_metrics_to_cloudwatch_themselves():
    assert "steps/67-cloudwatch-metrics.sh" in released(EN, ALL)
    assert "not used" in page("bootstrap.md").split("### 50-cloudwatch")[1].split("\n### ")[0]


def test_exp_6_prometheus_finds_nodes_in_ec2():
    jobs = {job["job_name"]: job for job in yaml.safe_load(files(EN)["monitoring/head-node.yml"])["scrape_configs"]}
    assert {"dcgm-exporter", "node-exporter", "trainyard-node"} <= set(jobs)
    assert all(jobs[name]["ec2_sd_configs"] for name in ("dcgm-exporter", "node-exporter"))
