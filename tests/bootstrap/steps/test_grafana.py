"""Grafana on the monitoring instance."""

from __future__ import annotations

import configparser
import shutil
from pathlib import Path

import pytest
import yaml

from tests.bootstrap.steps.keeper_node import PASSWORD, SECRET, grafana, keeper_node, publish
from tests.bootstrap.steps.scripts import run_script, verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well
from tests.specs import spec_of
from trainyard.bootstrap.steps import ASSETS
from trainyard.bundle.release import files_in, release

STEP = "72-grafana"
UNIT = "trainyard-grafana.service"
PASSWORD_FILE = "run/trainyard-grafana/admin-password"
SETTINGS = "etc/trainyard/grafana"
KEY = "var/lib/private/trainyard-grafana-secret-key"


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return keeper_node(tmp_path)


def address(node: FakeNode) -> dict[str, str]:
    return dict(line.split("=", 1) for line in node.read(f"{SETTINGS}/address.env").splitlines())


def ini() -> configparser.ConfigParser:
    found = configparser.ConfigParser(interpolation=None)
    found.read(ASSETS / "grafana/grafana.ini")
    return found


def test_it_is_installed_configured_and_runs(node: FakeNode):
    runs_well(node, STEP)
    assert node.read("opt/trainyard/grafana/current/bin/grafana") == "server 12.4.3"
    assert node.is_active(UNIT)
    assert node.is_enabled(UNIT)
    assert [call[0] for call in node.calls("curl")] == ["curl"]


def test_without_a_load_balancer_only_port_forwarding_reaches_it(node: FakeNode):
    runs_well(node, STEP)
    assert address(node) == {
        "GF_SERVER_HTTP_ADDR": "127.0.0.1", "GF_SERVER_HTTP_PORT": "3000",
        "GF_SERVER_ROOT_URL": "http://localhost:3000/", "GF_SECURITY_COOKIE_SECURE": "false",
        "GF_SECURITY_STRICT_TRANSPORT_SECURITY": "false",
    }  # fmt: skip


def test_behind_a_load_balancer_cookies_travel_encrypted_only(tmp_path: Path):
    node = keeper_node(tmp_path, grafana_url="https://lb.us-east-2.elb.amazonaws.com/")
    runs_well(node, STEP)
    found = address(node)
    assert (found["GF_SERVER_HTTP_ADDR"], found["GF_SECURITY_COOKIE_SECURE"]) == ("0.0.0.0", "true")
    # Served at /, and nowhere below it.
    assert found["GF_SERVER_ROOT_URL"] == "https://lb.us-east-2.elb.amazonaws.com/"
    assert not ini().has_option("server", "serve_from_sub_path")


def test_the_password_is_in_one_file_that_only_root_reads(node: FakeNode):
    runs_well(node, STEP)
    assert node.read(PASSWORD_FILE) == PASSWORD
    assert (node.root / PASSWORD_FILE).stat().st_mode & 0o777 == 0o600
    holding = [name for name, (_, content, _) in node.files().items() if PASSWORD in content]
    assert holding == [PASSWORD_FILE]


def test_the_password_is_in_no_log_and_no_argument(node: FakeNode):
    said = runs_well(node, STEP)
    assert PASSWORD not in said
    assert PASSWORD not in str(node.calls())
    (call,) = node.calls("aws")
    assert SECRET in call


def test_systemd_hands_the_password_to_grafana_alone(node: FakeNode):
    runs_well(node, STEP)
    lines = node.read(f"etc/systemd/system/{UNIT}").splitlines()
    assert f"LoadCredential=admin-password:/{PASSWORD_FILE}" in lines
    credentials = f"$__file{{/run/credentials/{UNIT}/"
    assert ini()["security"]["admin_password"] == f"{credentials}admin-password}}"
    assert ini()["security"]["secret_key"] == f"{credentials}secret-key}}"


def test_it_encrypts_with_a_key_of_its_own(node: FakeNode, tmp_path: Path):
    other = keeper_node(tmp_path / "other")
    for fake_node in (node, other):
        runs_well(fake_node, STEP)
    keys = {fake_node.read(KEY) for fake_node in (node, other)}
    assert len(keys) == 2
    assert all(len(key) == 64 for key in keys)
    assert (node.root / KEY).stat().st_mode & 0o777 == 0o600


def test_a_key_of_an_earlier_version_is_kept_beside_the_database(node: FakeNode):
    node.write(f"{SETTINGS}/secret-key", "former")
    runs_well(node, STEP)
    assert node.read(KEY) == "former"


@pytest.mark.parametrize(
    ("database", "secret_of_database", "resets"),
    [
        (False, None, False),
        (True, None, False),
        (True, SECRET, False),
        (True, "arn:aws:secretsmanager:us-east-2:123456789012:secret:former", True),
    ],
    ids=["new", "of-an-earlier-version", "of-this-stack", "taken-over"],
)
def test_only_a_database_that_was_taken_over_gets_the_password_of_this_stack(
    node: FakeNode, *, database: bool, secret_of_database: str | None, resets: bool
):
    runs_well(node, STEP)
    data = "var/lib/trainyard-grafana"
    node.write(f"{data}/.keep")
    if database:
        node.write(f"{data}/grafana.db", "SQLite")
    if secret_of_database is not None:
        node.write(f"{data}/password-of", f"{secret_of_database}\n")
    program = '#!/bin/sh\necho "$@" >"$STUB/reset"\ncat >>"$STUB/reset"\n'
    node.write("opt/trainyard/grafana/current/bin/grafana", program, 0o755)
    credentials = {"CREDENTIALS_DIRECTORY": str((node.root / PASSWORD_FILE).parent), "GRAFANA_SECRET": SECRET}
    ran = run_script(node, "grafana/own-password.sh", **credentials)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (node.stub / "reset").exists() == resets
    if resets:
        said, _, password = (node.stub / "reset").read_text().partition("\n")
        assert said.endswith("admin reset-admin-password --password-from-stdin")
        assert password == PASSWORD
    assert node.read(f"{data}/password-of") == f"{SECRET}\n"


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_the_data_source_that_dashboards_name_is_there(node: FakeNode):
    runs_well(node, STEP)
    provisioned = yaml.safe_load(node.read(f"{SETTINGS}/provisioning/datasources/trainyard.yaml"))
    found = {datasource["uid"]: datasource.get("url") for datasource in provisioned["datasources"]}
    assert found == {
        "trainyard-prometheus": "http://127.0.0.1:9090",
        "trainyard-alertmanager": "http://127.0.0.1:9093",
        "trainyard-logs": None,
    }


def test_logs_are_read_with_the_role_of_the_instance_in_its_region(node: FakeNode):
    runs_well(node, STEP)
    provisioned = yaml.safe_load(node.read(f"{SETTINGS}/provisioning/datasources/trainyard.yaml"))
    (logs,) = [datasource for datasource in provisioned["datasources"] if datasource["type"] == "cloudwatch"]
    # Grafana puts in the variable, which systemd gives it: what follow-releases.sh has written.
    assert logs["jsonData"] == {"authType": "default", "defaultRegion": "$REGION"}
    unit = node.read(f"etc/systemd/system/{UNIT}")
    assert "EnvironmentFile=/etc/trainyard/grafana-secret.env" in unit
    assert "REGION=us-east-2" in node.read("etc/trainyard/grafana-secret.env").splitlines()


def test_what_somebody_edits_is_saved_as_a_copy_and_not_touched(node: FakeNode):
    runs_well(node, STEP)
    (provider,) = yaml.safe_load(node.read(f"{SETTINGS}/provisioning/dashboards/trainyard.yaml"))["providers"]
    assert provider["allowUiUpdates"] is False
    assert provider["options"]["path"] == f"/{SETTINGS}/dashboards"


def test_dashboards_come_and_go_with_the_release_and_need_no_restart(node: FakeNode):
    runs_well(node, STEP)
    (node.release / "monitoring/grafana/cluster-overview.json").unlink()
    publish(node, "grafana/gpu-performance.json", '{"uid": "trainyard-gpu-performance"}')
    node.forget_calls()
    runs_well(node, STEP)
    assert sorted(path.name for path in (node.root / SETTINGS / "dashboards").iterdir()) == ["gpu-performance.json"]
    assert not [call for call in node.calls("systemctl") if "restart" in call]


def test_a_new_version_takes_the_place_of_the_former_one(node: FakeNode):
    runs_well(node, STEP)
    shutil.rmtree(node.stub / "assets/grafana")
    node.asset("grafana", "grafana-12.4.4.linux-amd64.tar.gz", grafana("12.4.4"))
    node.forget_calls()
    runs_well(node, STEP)
    assert node.read("opt/trainyard/grafana/current/bin/grafana") == "server 12.4.4"
    left = sorted(path.name for path in (node.root / "opt/trainyard/grafana").iterdir())
    assert left == ["current", "grafana-12.4.4.linux-amd64"]
    assert ["systemctl", "restart", UNIT] in node.calls("systemctl")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("echo not-json", "holds no JSON object with a password"),
        ("""echo '{"password": ""}'""", "holds no JSON object with a password"),
        ("echo '[]'", "holds no JSON object with a password"),
        ("echo 'An error occurred (AccessDeniedException)' >&2; exit 254", "cannot read arn:aws:secretsmanager"),
    ],
    ids=["no json", "empty", "a list", "forbidden"],
)
def test_a_password_that_cannot_be_had_is_told_before_grafana_starts(node: FakeNode, answer: str, why: str):
    node.program("aws", answer)
    assert why in complaint(node.run(STEP), 1)
    assert not node.is_active(UNIT)
    assert not node.has(PASSWORD_FILE)


def test_rights_that_arrive_late_are_waited_for(node: FakeNode):
    node.fail("aws", "An error occurred (AccessDeniedException)", times=4)
    runs_well(node, STEP)
    assert node.read(PASSWORD_FILE) == PASSWORD


def test_an_instance_that_knows_of_no_secret_is_told_so(node: FakeNode):
    (node.root / "etc/trainyard/grafana-secret.env").unlink()
    assert "grafana-secret.env is missing" in complaint(node.run(STEP), 1)


def test_the_unit_reads_the_password_anew_at_every_start(node: FakeNode):
    runs_well(node, STEP)
    other = "b" * 32
    node.program("aws", f"""echo '{{"username": "admin", "password": "{other}"}}'""")
    assert run_script(node, "grafana/read-password.sh").returncode == 0
    assert node.read(PASSWORD_FILE) == other


def test_a_release_without_dashboards_is_told(node: FakeNode):
    (node.release / "monitoring/grafana/cluster-overview.json").unlink()
    assert "the release holds no dashboards" in complaint(node.run(STEP), 65)


def test_an_archive_without_grafana_is_told_and_leaves_nothing(node: FakeNode):
    shutil.rmtree(node.stub / "assets/grafana")
    node.asset("grafana", "grafana-12.4.3.linux-amd64.tar.gz", b"no archive")
    assert "cannot unpack grafana-12.4.3.linux-amd64.tar.gz" in complaint(node.run(STEP), 1)
    assert not node.has("opt/trainyard/grafana/current")


def test_a_full_disk_is_told(node: FakeNode):
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    runs_well(node, STEP)
    assert node.is_active(UNIT)


def test_nothing_is_fetched_from_the_internet_and_nobody_is_told(node: FakeNode):
    found = ini()
    off = {
        "analytics": ("reporting_enabled", "check_for_updates", "check_for_plugin_updates", "feedback_links_enabled"),
        "news": ("news_feed_enabled",), "snapshots": ("external_enabled",), "plugins": ("plugin_admin_enabled",),
        "users": ("allow_sign_up", "allow_org_create"), "auth.anonymous": ("enabled",),
    }  # fmt: skip
    assert all(not found.getboolean(section, name) for section, names in off.items() for name in names)
    on = ("preinstall_disabled", "public_key_retrieval_disabled")
    assert all(found.getboolean("plugins", name) for name in on)
    assert found.getboolean("security", "disable_gravatar")


@pytest.mark.parametrize("unit", [UNIT, "trainyard-grafana-password.service"])
def test_systemd_finds_nothing_wrong_with_the_units(node: FakeNode, unit: str):
    runs_well(node, STEP)
    # systemd does not follow a link out of the root that it is given.
    (node.root / "opt/trainyard/grafana/current").unlink()
    node.write("etc/systemd/system/trainyard-keeper.service", "[Service]\nExecStart=/bin/true\n")
    scripts = (f"opt/trainyard/current/grafana/{name}-password.sh" for name in ("read", "own"))
    programs = ("opt/trainyard/grafana/current/bin/grafana", *scripts)
    assert verify_unit(node, unit, "bin/true", *programs) == ""


def test_what_the_units_run_is_in_every_release():
    assert (
        "opt/trainyard/current/grafana/read-password.sh"
        in (ASSETS / "units/trainyard-grafana-password.service").read_text()
    )
    files = files_in(release(spec_of("monitoring: {mode: self-hosting}")).content)
    assert {"grafana/read-password.sh", "grafana/own-password.sh"} <= files.keys()
    assert "/opt/trainyard/current/grafana/own-password.sh" in (ASSETS / f"units/{UNIT}").read_text()
