"""A whole bootstrap of the real archive, with steps of our own and stand-ins for AWS, Slurm and the system log."""

from __future__ import annotations

import json
import re

import pytest

from tests.node.machine import ARN, CLUSTER_FOLDER, DIGEST, INSTANCE, NODE_NAME, Machine, states

pytestmark = pytest.mark.integration
RESERVATION = f"trainyard-hold-{NODE_NAME}"
BROKEN = 'fail "$STATUS_HARDWARE" "no GPU is there: choose an instance type that has one"'


def test_a_node_runs_its_steps_in_order_and_becomes_ready(machine: Machine):
    machine.plan(
        machine.step(10, "one", 'echo one >> "$ROOT/order"; echo "$TRAINYARD_QUEUE" > "$ROOT/queue"'),
        machine.step(20, "two", 'echo two >> "$ROOT/order"'),
    )
    ran = machine.bootstrap()
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert (machine.root / "order").read_text() == "one\ntwo\n"
    assert (machine.root / "queue").read_text() == "train\n"
    assert machine.is_ready()


def test_the_record_says_what_happened_here_and_in_the_bucket(machine: Machine):
    machine.plan(machine.step(10, "one", "say hello"))
    machine.bootstrap()
    record = machine.record()
    assert machine.uploaded_record() == record
    (step,) = record.pop("steps")
    facts = {name: record[name] for name in ("schema", "cluster", "instance_id", "instance_type", "role", "queue")}
    assert facts == {
        "schema": 1, "cluster": "llm", "instance_id": INSTANCE, "instance_type": "p5.48xlarge",
        "role": "compute-gpu", "queue": "train",
    }  # fmt: skip
    assert (record["status"], record["release"], record["message"]) == ("ready", DIGEST, "")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record["started"])
    assert (step["name"], step["status"], step["attempts"], step["exit_status"]) == ("one", "done", 1, 0)
    assert machine.root.joinpath("var/log/trainyard/10-one.log").read_text().startswith("hello\n")


def test_the_first_record_leaves_the_node_before_any_step_runs(machine: Machine):
    uploaded = f"$STUB/bucket/{CLUSTER_FOLDER}/nodes/{ARN}.json"
    machine.plan(machine.step(10, "one", f'cp "{uploaded}" "$STUB/at-the-start"'))
    assert machine.bootstrap().returncode == 0
    assert json.loads((machine.stub / "at-the-start").read_text())["status"] == "running"


def test_each_change_is_one_short_line_in_the_system_log(machine: Machine):
    machine.plan(machine.step(10, "one", "fail 1 " + "ü" * 5000, required=False))
    machine.bootstrap()
    changes = [(line["node"], line.get("step"), line.get("status")) for line in machine.logged()]
    running = ("running", None, None)
    assert changes == [running, ("running", "one", "running"), ("running", "one", "failed"), ("ready", None, None)]
    # What logger(1) takes at most.
    assert all(len(line) < 1024 for line in (machine.stub / "log").read_text().splitlines())


def test_what_cfnconfig_says_is_never_run(machine: Machine):
    assert machine.bootstrap().returncode == 0
    assert not (machine.stub / "was-run").exists()


@pytest.mark.parametrize(
    ("node_type", "queue", "entry"),
    [
        ("HeadNode", "", "head"),
        ("LoginNode", "", "login"),
        ("ComputeFleet", "train", "queue/train"),
        ("MonitoringInstance", "", "monitoring"),
    ],
)
def test_every_kind_of_node_finds_its_own_plan(machine: Machine, node_type: str, queue: str, entry: str):
    machine.be(node_type, queue)
    machine.plan(machine.step(10, "mine", ""), entry=entry)
    assert machine.bootstrap().returncode == 0
    assert states(machine.record()) == {"mine": "done"}


def test_settings_of_the_plan_and_of_the_machine_are_in_node_env_and_the_others_are_empty(machine: Machine):
    machine.bootstrap()
    file = machine.root / "etc/trainyard/node.env"
    lines = file.read_text().splitlines()
    assert file.stat().st_mode & 0o777 == 0o644
    assert f"TRAINYARD_FOLDER='{CLUSTER_FOLDER}'" in lines
    assert f"TRAINYARD_RELEASE='{machine.release}'" in lines
    assert {"TRAINYARD_OS='ubuntu2404'", "TRAINYARD_SETUP='gpu'", "TRAINYARD_SHARED=''"} <= set(lines)


def test_a_required_failure_ends_the_bootstrap_and_parallelcluster_replaces_the_node(machine: Machine):
    machine.plan(machine.step(10, "one", BROKEN), machine.step(20, "two", ""))
    ran = machine.bootstrap()
    assert ran.returncode == 1
    why = "one: no GPU is there: choose an instance type that has one"
    assert ran.stderr == f"trainyard: failed: {why}\n"
    record = machine.uploaded_record()
    assert (record["status"], record["message"]) == ("failed", why)
    assert states(record) == {"one": "failed", "two": "skipped"}
    assert record["steps"][0]["exit_status"] == 66
    assert not machine.is_ready()
    assert machine.calls("scontrol") == []


def test_the_end_of_a_failed_steps_log_leaves_the_node(machine: Machine):
    machine.plan(machine.step(20, "efa", "seq 1 300; fail 1 broken"))
    machine.bootstrap()
    lines = machine.uploaded(f"nodes/{ARN}/20-efa.log").splitlines()
    assert (len(lines), lines[0], lines[-1]) == (100, "202", "broken")


def test_a_node_is_held_from_jobs_where_that_is_asked_for(machine: Machine):
    machine.plan(machine.step(10, "one", BROKEN), on_failure="hold")
    ran = machine.bootstrap()
    assert ran.returncode == 0
    assert f"the node is held by the reservation {RESERVATION}" in ran.stderr
    assert machine.uploaded_record()["status"] == "held"
    (created,) = [call for call in machine.calls("scontrol") if " create " in call]
    assert created.split()[3:] == [
        f"ReservationName={RESERVATION}", f"Nodes={NODE_NAME}", "Users=root", "StartTime=now", "Duration=UNLIMITED",
        "Flags=IGNORE_JOBS",
    ]  # fmt: skip
    # ParallelCluster itself excepts nodes that always run from power saving.
    assert not [call for call in machine.calls("scontrol") if "SuspendExcNodes" in call]
    assert not machine.is_ready()


def test_a_dynamic_node_that_is_held_keeps_its_power_and_sends_its_job_away(machine: Machine):
    name = "train-dy-p5-1"
    machine.write("etc/parallelcluster/slurm_plugin/slurm_nodename", f"{name}\n")
    machine.plan(machine.step(10, "one", f"[[ -e $STUB/mended ]] || {BROKEN}"), on_failure="hold")
    machine.tell("jobs", "17\n18\n17\n")
    ran = machine.bootstrap()
    assert ran.returncode == 0
    calls = machine.calls("scontrol")
    assert [call for call in calls if "requeue" in call] == ["scontrol requeue 17", "scontrol requeue 18"]
    assert f"scontrol update SuspendExcNodes+={name}" in calls
    machine.tell("mended")
    machine.tell("jobs", "")
    assert machine.bootstrap().returncode == 0
    assert f"scontrol update SuspendExcNodes-={name}" in machine.calls("scontrol")


def test_another_run_that_fails_takes_no_node_away_that_works(machine: Machine):
    machine.plan(machine.step(10, "one", f"[[ ! -e $STUB/broken ]] || {BROKEN}"))
    assert machine.bootstrap().returncode == 0
    machine.tell("broken")
    assert machine.bootstrap().returncode == 1
    assert machine.is_ready()
    record = machine.uploaded_record()
    assert (record["status"], states(record)) == ("ready", {"one": "failed"})
    assert record["message"].startswith("the node goes on as it was: one: no GPU is there")


def test_settings_of_the_node_s_own_type_go_before_those_of_its_queue(machine: Machine):
    machine.plan(machine.step(10, "one", 'echo "$TRAINYARD_FABRIC" > "$ROOT/fabric"'))
    plan = json.loads((machine.release / "plan.json").read_text())
    (node,) = plan["nodes"].values()
    node["settings"]["TRAINYARD_FABRIC"] = "none"
    node["types"] = {"p5.48xlarge": {"TRAINYARD_FABRIC": "fabric-manager"}, "m5.large": {"TRAINYARD_FABRIC": "no"}}
    (machine.release / "plan.json").write_text(json.dumps(plan))
    assert machine.bootstrap().returncode == 0, machine.record()
    assert (machine.root / "fabric").read_text() == "fabric-manager\n"


def test_evidence_leaves_the_node_before_it_is_held(machine: Machine):
    machine.plan(machine.step(10, "one", BROKEN), on_failure="hold")
    machine.program("scontrol", f'cp "$STUB/bucket/{CLUSTER_FOLDER}/nodes/{ARN}.json" "$STUB/before"; exit 1')
    machine.bootstrap()
    assert json.loads((machine.stub / "before").read_text())["status"] == "failed"


def test_a_node_that_cannot_be_held_is_replaced(machine: Machine):
    machine.plan(machine.step(10, "one", BROKEN), on_failure="hold")
    machine.tell("scontrol-fails", "Unable to contact slurm controller")
    assert machine.bootstrap().returncode == 1
    record = machine.uploaded_record()
    assert record["status"] == "failed"
    assert record["message"].endswith(
        f"not held, but replaced: cannot ask Slurm for {RESERVATION}: Unable to contact slurm controller"
    )


def test_a_node_that_failed_early_has_what_shows_why(machine: Machine):
    machine.plan(machine.step(10, "one", BROKEN))
    machine.bootstrap()
    assert (machine.root / "opt/trainyard/current/trainyard-node.pyz").exists()
    assert (machine.root / "usr/local/bin/trainyard-node").stat().st_mode & 0o777 == 0o755


def test_a_head_node_is_never_held(machine: Machine):
    machine.be("HeadNode")
    machine.plan(machine.step(10, "one", BROKEN), entry="head", on_failure="hold")
    assert machine.bootstrap().returncode == 1
    assert machine.calls("scontrol") == []


def test_a_held_node_that_comes_up_after_all_is_given_back(machine: Machine):
    machine.plan(machine.step(10, "one", f"[[ -e $STUB/mended ]] || {BROKEN}"), on_failure="hold")
    machine.bootstrap()
    assert (machine.stub / f"reserved-{RESERVATION}").exists()
    machine.tell("mended")
    assert machine.bootstrap().returncode == 0
    assert not (machine.stub / f"reserved-{RESERVATION}").exists()
    assert machine.record()["status"] == "ready"


def test_an_optional_failure_is_written_down_and_the_node_becomes_ready(machine: Machine):
    machine.plan(machine.step(10, "one", BROKEN, required=False), machine.step(20, "two", ""))
    assert machine.bootstrap().returncode == 0
    record = machine.record()
    assert record["status"] == "ready"
    assert states(record) == {"one": "failed", "two": "done"}
    assert record["steps"][0]["message"] == "no GPU is there: choose an instance type that has one"


def test_a_failure_that_nobody_foresaw_still_has_a_message(machine: Machine):
    machine.plan(machine.step(10, "one", "false"))
    assert machine.bootstrap().returncode == 1
    assert machine.record()["message"] == "one: 10-one.sh, line 4: 'false' ended with status 1; see the lines above"


def test_steps_that_are_deferred_are_left_to_systemd(machine: Machine):
    machine.plan(machine.step(10, "one", ""), machine.step(80, "images", 'touch "$ROOT/came"', deferred=True))
    assert machine.bootstrap().returncode == 0
    assert machine.uploaded_record()["status"] == "deferred"
    assert machine.calls("systemctl") == ["systemctl start --no-block trainyard-deferred.service"]
    assert not (machine.root / "came").exists()
    assert not machine.is_ready()


def test_where_systemd_does_not_start_them_they_run_at_once(machine: Machine):
    machine.tell("no-systemd")
    machine.plan(machine.step(80, "images", 'touch "$ROOT/came"', deferred=True))
    assert machine.bootstrap().returncode == 0
    assert (machine.root / "came").exists()
    assert machine.record()["status"] == "ready"


def test_a_second_run_does_every_step_again_and_remembers_the_first(machine: Machine):
    machine.plan(machine.step(10, "one", f"[[ -e $STUB/mended ]] || {BROKEN}"))
    assert machine.bootstrap().returncode == 1
    machine.tell("mended")
    assert machine.bootstrap().returncode == 0
    record = machine.record()
    assert states(record) == {"one": "done"}
    assert [(run["status"], run["message"][:9]) for run in record["earlier"]] == [("failed", "one: no G")]


def test_what_an_image_holds_of_another_instance_is_forgotten(machine: Machine):
    other = {"schema": 1, "instance_id": "i-00000000", "status": "ready", "steps": []}
    machine.write("var/lib/trainyard/bootstrap.json", json.dumps(other))
    machine.bootstrap()
    assert machine.record()["earlier"] == []


def test_bad_usage_is_one_line(machine: Machine):
    for words in (["bootstrap"], ["bootstrap", "--release", "x", "--folder", "http://mine"]):
        ran = machine.run(*words)
        assert (ran.returncode, len(ran.stderr.splitlines())) == (2, 1)
