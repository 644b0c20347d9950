"""What Prometheus scrapes in each mode, and where it sends that.

`python -m tests.monitoring.test_prometheus_config` writes the reviewed files.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.architectures.by_platform import architectures_on
from tests.monitoring.clusters import MIXED, MODES, mixed, on_head_node, on_instance, spec_of, write_url
from trainyard.document.write import yaml_text
from trainyard.monitoring.exporters import exporters
from trainyard.monitoring.node_discovery import TARGET_LABELS
from trainyard.monitoring.prometheus_config import head_node_config, instance_config, runs_as_agent
from trainyard.render.nodes import node_kinds, steps_of
from trainyard_node.samples import metrics

GOLDEN = Path(__file__).parent / "golden"
# Every architecture in every mode, and one with all kinds of nodes.
TEXTS = {"mixed": MIXED, **{one.name: one.text for one in architectures_on("parallelcluster")}}
STEP_OF_JOB = {"node-exporter": "node-exporter", "dcgm-exporter": "dcgm-exporter", "trainyard-node": "node-metrics"}
NODE_TYPES = {"head": "HeadNode", "login": "LoginNode"}


def in_mode(name: str, mode: str) -> Any:
    text = TEXTS[name].replace("mode: MODE", "mode: none")
    spec = spec_of(text)
    return spec.replaced(monitoring=spec.monitoring.replaced(mode=mode))


def documents() -> dict[str, dict[str, Any]]:
    heads = {f"head-node.{mode}.yml": on_head_node(mixed(mode)) for mode in MODES}
    return {**heads, "instance.self-hosting.yml": on_instance(mixed("self-hosting"))}


@pytest.mark.parametrize("name", documents())
def test_a_configuration_is_the_reviewed_one(name: str):
    assert yaml_text(documents()[name]) == (GOLDEN / name).read_text(encoding="utf-8")


def test_there_is_a_reviewed_file_for_every_configuration_and_no_other():
    assert {file.name for file in GOLDEN.glob("*.yml")} == set(documents())


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("mode", [*MODES, "none"])
def test_what_is_scraped_is_what_steps_install(name: str, mode: str):
    spec = in_mode(name, mode)
    scraped = {
        (exporter.job, kind)
        for exporter in exporters(spec)
        for kind in node_kinds(spec)
        if NODE_TYPES.get(kind, "Compute") in exporter.node_types
        if exporter.queues is None or kind.removeprefix("queue/") in exporter.queues
    }
    installed = {
        (job, name)
        for name, kind in node_kinds(spec).items()
        for job, step in STEP_OF_JOB.items()
        if step in {step.name for step in steps_of(spec, kind)}
    }
    assert scraped == installed
    assert bool(installed) is (mode != "none")


@pytest.mark.parametrize("name", TEXTS)
def test_nothing_is_written_for_a_cluster_that_measures_nothing(name: str):
    spec = in_mode(name, "none")
    assert head_node_config(spec, "https://nowhere") is None
    assert instance_config(spec) is None


def test_only_amazon_managed_prometheus_is_signed_for_and_only_it_makes_an_agent():
    for mode in MODES:
        (remote,) = on_head_node(mixed(mode))["remote_write"]
        assert ("sigv4" in remote) is runs_as_agent(mixed(mode)) is (mode != "self-hosting")
        assert remote["url"].startswith("https://" if runs_as_agent(mixed(mode)) else "http://10.")


PROXIED = MIXED.replace("us-east-1a}", "us-east-1a, http_proxy: 'http://10.0.0.9:3128'}")


@pytest.mark.parametrize("mode", MODES)
def test_the_proxy_of_the_nodes_leads_to_aws_and_to_no_node(mode: str):
    config = on_head_node(spec_of(PROXIED.replace("MODE", mode)))
    (remote,) = config["remote_write"]
    assert remote.get("proxy_url") == (None if mode == "self-hosting" else "http://10.0.0.9:3128")
    found = [one for job in config["scrape_configs"] for one in job.get("ec2_sd_configs", [])]
    assert {one["proxy_url"] for one in found} == {"http://10.0.0.9:3128"}
    assert not [job for job in config["scrape_configs"] if "proxy_url" in job]


def test_the_address_of_a_workspace_holds_one_slash_between_its_parts():
    assert re.fullmatch(r"https://[^/]+/workspaces/ws-[0-9-]+/api/v1/remote_write", write_url(mixed()))


def test_no_configuration_holds_a_credential():
    keys = {"access_key", "secret_key", "profile", "role_arn", "password", "credentials", "authorization"}
    found = [key for document in documents().values() for key in keys_in(document)]
    assert "region" in found
    assert not keys & set(found)


def keys_in(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for one in value.values() for key in keys_in(one))]
    return [key for one in value for key in keys_in(one)] if isinstance(value, list) else []


def test_all_jobs_ask_ec2_the_same():
    jobs = [job for job in on_head_node(mixed())["scrape_configs"] if "ec2_sd_configs" in job]
    assert len(jobs) == 3
    assert all(job["ec2_sd_configs"] == jobs[0]["ec2_sd_configs"] for job in jobs)


def test_a_target_has_no_label_that_an_exporter_of_ours_gives():
    files = ("slurm", "slurm_rivosinc", "efa", "node_health", "collectors")
    given = {label for file in files for metric in metrics(file).values() for label in metric.labels}
    assert given
    assert not given & {*TARGET_LABELS, "instance", "job"}


def test_rules_are_read_where_samples_are_kept():
    config = instance_config(mixed("self-hosting"), ["/etc/prometheus/rules/*.yaml"])
    assert config is not None
    assert config["rule_files"] == ["/etc/prometheus/rules/*.yaml"]


@pytest.mark.integration
def test_promtool_accepts_every_mode_of_every_architecture(tmp_path: Path):
    specs = {f"{name}.{mode}": in_mode(name, mode) for name in TEXTS for mode in MODES}
    agents = {name: on_head_node(spec) for name, spec in specs.items() if runs_as_agent(spec)}
    heads = {name: on_head_node(spec) for name, spec in specs.items() if not runs_as_agent(spec)}
    instances = {f"{name}.instance": on_instance(specs[name]) for name in heads}
    assert len(agents) == 2 * len(TEXTS)
    promtool_checks(agents, tmp_path, "--agent")
    promtool_checks({**heads, **instances}, tmp_path)


@pytest.mark.integration
def test_promtool_does_not_accept_a_timeout_above_the_interval(tmp_path: Path):
    config = on_head_node(mixed())
    config["global"]["scrape_timeout"] = "31s"
    with pytest.raises(AssertionError, match="scrape timeout"):
        promtool_checks({"wrong": config}, tmp_path, "--agent")


def promtool_checks(configs: dict[str, dict[str, Any]], folder: Path, *options: str) -> None:
    promtool = shutil.which("promtool")
    assert promtool is not None
    files = [folder / f"{name}.yml" for name in configs]
    for file, config in zip(files, configs.values(), strict=True):
        file.write_text(yaml.safe_dump(config))
    done = subprocess.run([promtool, "check", "config", *options, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("SUCCESS") == len(files)


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for each, document in documents().items():
        (GOLDEN / each).write_text(yaml_text(document), encoding="utf-8")
