"""Prometheus on the head node."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well
from tests.specs import spec_of
from trainyard.bundle.monitoring_files import release_files
from trainyard.monitoring.aws_config import aws_config
from trainyard.render.nodes import node_plan
from trainyard.render.stand_ins import Ids

STEP = "68-prometheus"
UNIT = "trainyard-prometheus.service"
SERVER = f"etc/systemd/system/{UNIT}.d/server.conf"
CREDENTIALS = "trainyard-prometheus-credentials"
RESERVATIONS = "trainyard-reservations"
TIMERS = [f"{CREDENTIALS}.timer", f"{RESERVATIONS}.timer"]
RESERVATION = "cr-0a1b2c3d4e5f60718"
ARCHIVE = "prometheus-3.13.2.linux-amd64.tar.gz"
OUTPUTS = {
    "AMPPrometheusEndpoint": "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-0a1b2c3d/",
    "MonitoringInstancePrivateIp": "10.0.16.9",
    "AlertTopicArn": "arn:aws:sns:us-east-2:123456789012:alerts",
}
OWN_SETTINGS = ("metrics_write_url", "prometheus", "capacity_reservations")
USERADD = (
    'file=$TRAINYARD_SYSROOT/etc/passwd; mkdir -p "${file%/*}"; echo "${@: -1}:x:990:990::/:/sbin/nologin" >> "$file"'
)
# It remembers its words, and objects to what a test wrote into the file.
PROMTOOL = """\
#!/bin/sh
echo "$@" >> "$STUB/promtool"
for file; do :; done
! grep OBJECTION "$file" || exit 1
"""


def archive(version: str = "3.13.2", promtool: str = PROMTOOL) -> bytes:
    files = {"prometheus": "\\x7fELF" + version, "promtool": promtool, "prometheus.yml": "", "LICENSE": "Apache"}
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(f"prometheus-{version}.linux-amd64/{name}")
            member.size, member.mode = len(text.encode()), 0o755
            tar.addfile(member, io.BytesIO(text.encode()))
    return stream.getvalue()


def head_node(place: Path, mode: str = "amp-only", more: str = "", os_name: str = "ubuntu2204") -> FakeNode:
    """Return a head node with the settings and the files that the spec makes of it."""
    spec = spec_of(f"monitoring: {{mode: {mode}}}\n{more}")
    ids = Ids(OUTPUTS)
    settings = node_plan(spec, ids)["nodes"]["head"]["settings"]
    node = FakeNode(
        place, os_name, role="head", monitoring=mode,
        **{name: settings[f"TRAINYARD_{name.upper()}"] for name in OWN_SETTINGS},
    )  # fmt: skip
    for name, content in release_files(spec, ids).items():
        file = node.release / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
    node.asset("prometheus", ARCHIVE, archive())
    node.program("useradd", USERADD)
    return node


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return head_node(tmp_path)


def comes_up(node: FakeNode) -> str:
    """Run the step where the unit of the credentials writes them, as it does on a node."""
    node.write("run/trainyard-prometheus/credentials.json", "{}")
    return runs_well(node, STEP)


def test_it_is_installed_and_runs(node: FakeNode):
    said = comes_up(node)
    assert all(os.access(node.root / "usr/local/bin" / name, os.X_OK) for name in ("prometheus", "promtool"))
    assert not node.has("usr/local/bin/LICENSE")
    assert node.is_active(UNIT)
    assert node.is_enabled(UNIT)
    assert f"metrics go to {OUTPUTS['AMPPrometheusEndpoint']}api/v1/remote_write" in said


def test_it_reads_what_the_release_holds(node: FakeNode):
    comes_up(node)
    settings = node.root / "etc/trainyard-prometheus"
    assert (settings / "prometheus.yml").read_bytes() == (node.release / "monitoring/head-node.yml").read_bytes()
    assert (settings / "aws_config.ini").read_bytes() == aws_config()


def test_the_unit_names_the_files_that_the_step_writes(node: FakeNode):
    comes_up(node)
    unit = node.read(f"etc/systemd/system/{UNIT}")
    assert "--config.file=/etc/trainyard-prometheus/prometheus.yml" in unit
    assert "AWS_CONFIG_FILE=/etc/trainyard-prometheus/aws_config.ini" in unit
    assert "AWS_SDK_LOAD_CONFIG=1" in unit
    # What aws_config.ini names, and where the other unit makes its folder.
    credentials = node.read(f"etc/systemd/system/{CREDENTIALS}.service")
    assert "RuntimeDirectory=trainyard-prometheus\n" in credentials
    assert b"/run/trainyard-prometheus/credentials.json" in aws_config()


def test_it_listens_on_the_node_alone(tmp_path: Path):
    for mode in ("amp+amg", "self-hosting"):
        fake_node = head_node(tmp_path / mode, mode)
        comes_up(fake_node)
        started = [fake_node.read(file) for file in (f"etc/systemd/system/{UNIT}", SERVER) if fake_node.has(file)]
        lines = [line for text in started for line in text.splitlines() if line.startswith("ExecStart=/")]
        assert all("--web.listen-address=127.0.0.1:9090" in line for line in lines)
        assert lines


def test_it_is_an_agent_for_amazon_managed_prometheus_and_a_server_beside_an_instance(tmp_path: Path):
    agent, server = head_node(tmp_path / "agent"), head_node(tmp_path / "server", "self-hosting")
    comes_up(agent)
    comes_up(server)
    assert not agent.has(SERVER)
    assert "ExecStart=/usr/local/bin/prometheus --agent" in agent.read(f"etc/systemd/system/{UNIT}")
    assert "--storage.tsdb.path=/var/lib/trainyard-prometheus/" in server.read(SERVER)
    assert "--agent" not in server.read(SERVER)
    checked = [(fake_node.stub / "promtool").read_text().split() for fake_node in (agent, server)]
    assert [words[:-1] for words in checked] == [["check", "config", "--agent"], ["check", "config"]]


def test_a_server_that_becomes_an_agent_starts_again_as_one(tmp_path: Path):
    node = head_node(tmp_path, "self-hosting")
    comes_up(node)
    node.settings["prometheus"] = "agent"
    node.forget_calls()
    runs_well(node, STEP)
    assert not node.has(SERVER)
    assert ["systemctl", "restart", UNIT] in node.calls("systemctl")
    changes_nothing(node, STEP)


@pytest.mark.parametrize("mode", ["amp-only", "self-hosting"])
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path, mode: str):
    node = head_node(
        tmp_path,
        mode,
        f"queues: [{{name: q, instance_type: p5.48xlarge, capacity: {{capacity_block: {RESERVATION}}}}}]",
    )
    comes_up(node)
    node.write("usr/lib/systemd/system/timers.target", "[Unit]\n")
    for unit in (UNIT, f"{CREDENTIALS}.service", f"{RESERVATIONS}.service", *TIMERS):
        assert verify_unit(node, unit, "usr/local/bin/trainyard-node", "bin/kill", "bin/bash") == ""


def test_it_runs_as_a_user_of_its_own_without_rights(node: FakeNode):
    comes_up(node)
    lines = set(node.read(f"etc/systemd/system/{UNIT}").splitlines())
    assert {
        "User=trainyard-prometheus",
        "CapabilityBoundingSet=",
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
    } <= lines
    (made,) = node.calls("useradd")
    assert made[-1] == "trainyard-prometheus"
    assert {"--system", "--user-group", "--no-create-home"} <= set(made)


def test_a_user_that_is_there_stays(node: FakeNode):
    node.write("etc/passwd", "trainyard-prometheus:x:990:990::/nonexistent:/sbin/nologin\n")
    comes_up(node)
    assert node.calls("useradd") == []


def test_credentials_are_renewed_three_times_before_they_end(node: FakeNode):
    comes_up(node)
    assert node.is_active(f"{CREDENTIALS}.timer")
    assert node.is_enabled(f"{CREDENTIALS}.timer")
    assert "OnCalendar=*:0/5\n" in node.read(f"etc/systemd/system/{CREDENTIALS}.timer")


def test_the_node_exporter_s_folder_is_there_for_the_timers(node: FakeNode):
    comes_up(node)
    assert (node.root / "var/lib/node_exporter/textfile").is_dir()


def test_reservations_are_asked_for_only_where_the_spec_names_some(node: FakeNode, tmp_path: Path):
    comes_up(node)
    assert not node.has(f"etc/systemd/system/{RESERVATIONS}.timer")
    queue = f"queues: [{{name: q, instance_type: p5.48xlarge, capacity: {{reservation: {RESERVATION}}}}}]"
    other = head_node(tmp_path / "other", more=queue)
    comes_up(other)
    assert other.settings["capacity_reservations"] == RESERVATION
    assert other.is_active(f"{RESERVATIONS}.timer")
    other.write("var/lib/node_exporter/textfile/trainyard_capacity_reservations.prom", "old 1\n")
    other.settings["capacity_reservations"] = ""
    runs_well(other, STEP)
    assert not other.is_active(f"{RESERVATIONS}.timer")
    assert not other.has("var/lib/node_exporter/textfile/trainyard_capacity_reservations.prom")
    changes_nothing(other, STEP)


def test_a_second_run_changes_nothing(node: FakeNode):
    comes_up(node)
    changes_nothing(node, STEP)


def test_another_configuration_is_read_without_an_end(node: FakeNode):
    comes_up(node)
    file = node.release / "monitoring/head-node.yml"
    file.write_text(file.read_text().replace("30s", "60s"))
    node.forget_calls()
    runs_well(node, STEP)
    asked = [call[1] for call in node.calls("systemctl") if call[-1] == UNIT]
    assert "reload-or-restart" in asked
    assert "restart" not in asked
    assert "60s" in node.read("etc/trainyard-prometheus/prometheus.yml")


def test_a_new_version_is_started_again(node: FakeNode):
    comes_up(node)
    node.asset("prometheus", ARCHIVE, archive("3.13.3"))
    node.forget_calls()
    runs_well(node, STEP)
    assert node.read("usr/local/bin/prometheus").endswith("3.13.3")
    assert ["systemctl", "restart", UNIT] in node.calls("systemctl")


def test_what_promtool_objects_to_never_takes_effect(node: FakeNode):
    comes_up(node)
    before = node.read("etc/trainyard-prometheus/prometheus.yml")
    file = node.release / "monitoring/head-node.yml"
    file.write_text(file.read_text() + "# OBJECTION: line 3 is wrong\n")
    assert "cannot use monitoring/head-node.yml of the release: # OBJECTION" in complaint(node.run(STEP), 1)
    assert node.read("etc/trainyard-prometheus/prometheus.yml") == before
    assert node.is_active(UNIT)


@pytest.mark.parametrize("name", ["head-node.yml", "aws_config.ini"])
def test_a_release_without_its_files_is_damaged(node: FakeNode, name: str):
    (node.release / "monitoring" / name).unlink()
    assert f"the release holds no monitoring/{name}" in complaint(node.run(STEP), 65)
    assert not node.is_active(UNIT)


@pytest.mark.parametrize("mode", ["amp-only", "self-hosting"])
def test_a_release_that_was_packed_before_its_ids_were_known_is_refused(tmp_path: Path, mode: str):
    node = head_node(tmp_path, mode)
    stands_for = node_plan(spec_of(f"monitoring: {{mode: {mode}}}"))["nodes"]["head"]["settings"]
    node.settings["metrics_write_url"] = stands_for["TRAINYARD_METRICS_WRITE_URL"]
    assert "stands for an id that nobody filled in" in complaint(node.run(STEP), 64)
    assert not node.has("usr/local/bin/prometheus")


@pytest.mark.parametrize("name", ["metrics_write_url", "prometheus"])
def test_a_setting_that_is_missing_is_named(node: FakeNode, name: str):
    node.settings[name] = ""
    assert f"TRAINYARD_{name.upper()} is not set" in complaint(node.run(STEP), 64)


def test_a_node_without_credentials_says_so_and_runs_all_the_same(node: FakeNode):
    node.unit(f"{CREDENTIALS}.service", broken=True)
    ran = node.run(STEP)
    assert "cannot get the credentials of the head node's role" in complaint(ran, 1)
    assert node.is_active(UNIT)
    assert node.is_active(f"{CREDENTIALS}.timer")


@pytest.mark.parametrize(
    ("status", "text"),
    [(65, "prometheus is damaged: its SHA-256 is 0"), (69, "cannot reach s3://mine: no route")],
)
def test_what_is_wrong_with_the_asset_is_passed_on(node: FakeNode, status: int, text: str):
    node.asset_fails("prometheus", status, text)
    ran = node.run(STEP)
    assert (ran.returncode, ran.stderr.strip()) == (status, text)
    node.asset_arrives("prometheus")
    comes_up(node)


def test_a_full_disk_leaves_no_half_program(node: FakeNode):
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    assert not node.has("usr/local/bin/prometheus")
    comes_up(node)
    assert node.is_active(UNIT)


def test_a_unit_that_does_not_start_is_told_and_tried_again(node: FakeNode):
    node.unit(UNIT, broken=True)
    assert f"cannot restart {UNIT}" in complaint(node.run(STEP), 1)
    node.unit(UNIT)
    comes_up(node)
    assert node.is_active(UNIT)


@pytest.mark.integration
@pytest.mark.parametrize("mode", ["amp-only", "amp+amg", "self-hosting"])
def test_the_real_promtool_takes_the_configuration(tmp_path: Path, mode: str):
    promtool = shutil.which("promtool")
    assert promtool is not None
    node = head_node(tmp_path, mode)
    node.asset("prometheus", ARCHIVE, archive(promtool=f'#!/bin/sh\nexec {promtool} "$@"\n'))
    assert "SUCCESS" in comes_up(node)
    file = node.release / "monitoring/head-node.yml"
    file.write_text(file.read_text().replace("scrape_interval:", "scrape_intervall:"))
    assert "cannot use monitoring/head-node.yml of the release" in complaint(node.run(STEP), 1)


@pytest.mark.parametrize("os_name", ["ubuntu2404", "alinux2023"])
def test_other_systems_do_the_same(tmp_path: Path, os_name: str):
    node = head_node(tmp_path, os_name=os_name)
    comes_up(node)
    changes_nothing(node, STEP)
