"""The secrets of Slack, PagerDuty and webhooks on the monitoring instance."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bootstrap.steps.keeper_node import keeper_node
from tests.bootstrap.steps.scripts import run_script, verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well
from tests.specs import spec_of
from trainyard.bundle.release import files_in, release

STEP = "73-alert-receivers"
UNIT = "trainyard-alertmanager.service"
READER = "trainyard-alertmanager-secrets.service"
FOLDER = "run/trainyard-alertmanager/receivers"
DROP_IN = f"etc/systemd/system/{UNIT}.d/receivers.conf"
ARN = "arn:aws:secretsmanager:us-west-2:123456789012:secret:"
URL, KEY = "https://hooks.example.com/services/T0/B0/made-up", "madeup0123456789madeup0123456789"
# Gives out each secret by its ARN, as Secrets Manager does.
AWS = f"""
case "$*" in
*"--secret-id {ARN}slack-AbCdEf "*) echo '{{"url": "{URL}"}}' ;;
*"--secret-id {ARN}pager-AbCdEf "*) echo '{{"routing_key": "{KEY}"}}' ;;
*) echo "An error occurred (ResourceNotFoundException)" >&2; exit 254 ;;
esac
"""
BOTH = f"slack-1={ARN}slack-AbCdEf pagerduty-2={ARN}pager-AbCdEf"


def node_with(place: Path, secrets: str) -> FakeNode:
    node = keeper_node(place, alert_secrets=secrets)
    node.program("aws", AWS)
    runs_well(node, "71-alertmanager")
    node.forget_calls()
    return node


def restarts(node: FakeNode) -> int:
    return node.calls("systemctl").count(["systemctl", "restart", UNIT])


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return node_with(tmp_path, BOTH)


def test_each_secret_is_in_a_file_that_only_root_reads(node: FakeNode):
    runs_well(node, STEP)
    assert (node.read(f"{FOLDER}/slack-1"), node.read(f"{FOLDER}/pagerduty-2")) == (URL, KEY)
    for name in ("slack-1", "pagerduty-2"):
        assert (node.root / FOLDER / name).stat().st_mode & 0o777 == 0o600
    assert (node.root / FOLDER).stat().st_mode & 0o777 == 0o700
    holding = [name for name, (_, content, _) in node.files().items() if URL in content or KEY in content]
    assert sorted(holding) == [f"{FOLDER}/pagerduty-2", f"{FOLDER}/slack-1"]


def test_no_secret_is_in_a_log_or_an_argument(node: FakeNode):
    said = runs_well(node, STEP)
    for secret in (URL, KEY):
        assert secret not in said
        assert secret not in str(node.calls())


def test_a_secret_is_asked_for_where_it_lies(node: FakeNode):
    runs_well(node, STEP)
    assert all("us-west-2" in call for call in node.calls("aws"))


def test_systemd_hands_them_to_alertmanager_which_starts_again_to_have_them(node: FakeNode):
    runs_well(node, STEP)
    assert f"LoadCredential=receivers:/{FOLDER}" in node.read(DROP_IN).splitlines()
    assert restarts(node) == 1
    assert node.is_active(UNIT)


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_an_instance_without_receivers_gets_nothing(tmp_path: Path):
    node = node_with(tmp_path, "")
    changes_nothing(node, STEP)
    assert not node.has(DROP_IN)


def test_another_secret_of_a_receiver_is_read_and_used(node: FakeNode):
    runs_well(node, STEP)
    node.settings["alert_secrets"] = f"slack-1={ARN}other-AbCdEf"
    node.program("aws", f"""echo '{{"url": "{URL}-2"}}'""")
    node.forget_calls()
    runs_well(node, STEP)
    assert node.read(f"{FOLDER}/slack-1") == f"{URL}-2"
    assert not node.has(f"{FOLDER}/pagerduty-2")
    assert restarts(node) == 1


def test_receivers_that_a_spec_no_longer_has_leave_no_secret(node: FakeNode):
    runs_well(node, STEP)
    node.settings["alert_secrets"] = ""
    node.forget_calls()
    runs_well(node, STEP)
    for gone in (DROP_IN, FOLDER, "etc/trainyard/alert-secrets.env", f"etc/systemd/system/{READER}"):
        assert not node.has(gone)
    assert restarts(node) == 1
    changes_nothing(node, STEP)


def test_one_that_cannot_be_read_is_told_and_the_others_are_used(tmp_path: Path):
    node = node_with(tmp_path, f"webhook-1={ARN}gone-AbCdEf {BOTH.replace('slack-1', 'slack-2')}")
    said = complaint(node.run(STEP), 1)
    assert f"cannot read {ARN}gone-AbCdEf from Secrets Manager: An error occurred (ResourceNotFoundException)" in said
    assert node.read(f"{FOLDER}/slack-2") == URL
    assert (node.is_active(UNIT), restarts(node)) == (True, 1)


def test_one_that_stays_unreadable_does_not_start_alertmanager_again_and_again(tmp_path: Path):
    node = node_with(tmp_path, f"webhook-1={ARN}gone-AbCdEf")
    complaint(node.run(STEP), 1)
    node.forget_calls()
    complaint(node.run(STEP), 1)
    assert restarts(node) == 0
    node.program("aws", f"""echo '{{"url": "{URL}"}}'""")
    runs_well(node, STEP)
    assert (node.read(f"{FOLDER}/webhook-1"), restarts(node)) == (URL, 1)


def test_rights_that_arrive_late_are_waited_for(node: FakeNode):
    node.fail("aws", "An error occurred (AccessDeniedException)", times=4)
    runs_well(node, STEP)
    assert node.read(f"{FOLDER}/slack-1") == URL


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("slack", "no json"),
        ("slack", "[]"),
        ("slack", '{"routing_key": "abc"}'),
        ("slack", '{"url": ""}'),
        ("slack", '{"url": "http://hooks.example.com/secret"}'),
        ("webhook", '{"url": "https://hooks.example.com:8443/secret"}'),
        ("webhook", '{"url": "https://user:secret@hooks.example.com/"}'),
        ("webhook", '{"url": "https://hooks.example.com/secret\\\\nmore"}'),
        ("pagerduty", '{"url": "https://hooks.example.com/secret"}'),
        ("pagerduty", '{"routing_key": "sec ret"}'),
    ],
)
def test_a_secret_of_another_shape_is_told_and_not_shown(tmp_path: Path, kind: str, answer: str):
    node = node_with(tmp_path, f"{kind}-1={ARN}wrong-AbCdEf")
    node.program("aws", f"printf '%b\\n' '{answer}'")
    said = complaint(node.run(STEP), 1)
    key = "routing_key" if kind == "pagerduty" else "url"
    assert f'{ARN}wrong-AbCdEf is no JSON object for {kind}: write {{"{key}": "' in said
    assert "/secret" not in said
    assert not node.has(f"{FOLDER}/{kind}-1")


def test_the_unit_reads_the_secrets_anew_at_every_start(node: FakeNode):
    runs_well(node, STEP)
    node.program("aws", AWS.replace(URL, f"{URL}-rotated"))
    assert run_script(node, "alertmanager/read-secrets.sh").returncode == 0
    assert node.read(f"{FOLDER}/slack-1") == f"{URL}-rotated"


def test_an_instance_that_has_no_list_of_secrets_starts_alertmanager_all_the_same(node: FakeNode):
    ran = run_script(node, "alertmanager/read-secrets.sh")
    assert ran.returncode == 1
    assert "alert-secrets.env is missing" in ran.stderr
    assert (node.root / FOLDER).is_dir()


@pytest.mark.parametrize("unit", [UNIT, READER])
def test_systemd_finds_nothing_wrong_with_the_units(node: FakeNode, unit: str):
    runs_well(node, STEP)
    programs = ("opt/trainyard/current/alertmanager/read-secrets.sh", "usr/local/bin/alertmanager", "bin/kill")
    assert verify_unit(node, unit, *programs) == ""


def test_the_release_of_an_instance_holds_the_script_and_names_the_secrets():
    spec = spec_of(f"""\
monitoring:
  mode: self-hosting
  alert_receivers: [{{kind: slack, secret: "{ARN}slack-AbCdEf"}}]
""")
    files = files_in(release(spec).content)
    assert "alertmanager/read-secrets.sh" in files
    assert f"slack-1={ARN}slack-AbCdEf" in files["plan.json"].decode()
