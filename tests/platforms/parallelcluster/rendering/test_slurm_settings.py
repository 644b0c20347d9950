"""What cluster.yaml says to Slurm."""

from __future__ import annotations

from typing import Any

from tests.render.rendered import cluster

SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:s-AbCdEf"


def settings(part: str) -> dict[str, Any]:
    found: dict[str, Any] = cluster(part)["Scheduling"]["SlurmSettings"]
    return found


def slurm(part: str) -> dict[str, Any]:
    return settings(f"parallelcluster: {{slurm: {{{part}}}}}")


def test_nothing_is_said_that_was_not_asked_for():
    assert set(settings("")) == {"ScaledownIdletime", "QueueUpdateStrategy"}


def test_times_and_the_user_s_own_lines_go_into_slurm_conf_one_by_one():
    found = slurm(
        "kill_wait_s: 300, slurmd_timeout_s: 600, unkillable_step_timeout_s: 120, settings: {MaxArraySize: 1001}"
    )
    assert found["CustomSlurmSettings"] == [
        {"KillWait": 300},
        {"SlurmdTimeout": 600},
        {"UnkillableStepTimeout": 120},
        {"MaxArraySize": 1001},
    ]


def test_nodes_that_are_held_are_not_powered_down():
    found = settings("software: {setup: cpu, on_failure: hold}\nparallelcluster: {slurm: {kill_wait_s: 300}}")
    assert found["CustomSlurmSettings"] == [{"KillWait": 300}, {"SuspendExcStates": "RESERVED"}]
    assert "CustomSlurmSettings" not in settings("software: {setup: cpu, on_failure: terminate}")


PROGRAM = "/opt/trainyard/current/health/slurm-health-check.sh"
ASKED = [{"HealthCheckProgram": PROGRAM}, {"HealthCheckInterval": 300}, {"SuspendExcStates": "RESERVED"}]
OF_SETUPS = "software: {{setup: {}}}\nqueues: [{{name: q, instance_type: {}}}]"


def test_slurm_asks_the_nodes_of_a_cluster_with_accelerators_how_they_are():
    for setup, kind in (("gpu", "p5.48xlarge"), ("neuron", "trn1.32xlarge")):
        assert settings(OF_SETUPS.format(setup, kind))["CustomSlurmSettings"] == ASKED
    for software in ("cpu", "none", "gpu, health_checks: false"):
        assert "CustomSlurmSettings" not in settings(OF_SETUPS.format(software, "p5.48xlarge"))
    # What the setup of a spec comes to, the types of its queues decide.
    assert "CustomSlurmSettings" not in settings(OF_SETUPS.format("gpu", "m5.8xlarge"))


def test_what_the_user_says_of_health_checks_stands():
    own = "\nparallelcluster: {slurm: {settings: {healthcheckprogram: /opt/mine, HealthCheckInterval: 60}}}"
    found = settings(OF_SETUPS.format("gpu", "p5.48xlarge") + own)["CustomSlurmSettings"]
    assert found == [{"healthcheckprogram": "/opt/mine"}, {"HealthCheckInterval": 60}, *ASKED[2:]]


def test_states_that_the_user_excepts_from_power_saving_stay_as_they_are():
    found = settings(
        "software: {setup: cpu, on_failure: hold}\nparallelcluster: {slurm: {settings: {suspendexcstates: DRAIN}}}"
    )
    assert found["CustomSlurmSettings"] == [{"suspendexcstates": "DRAIN"}]


def test_a_database_is_named_by_host_and_port_without_a_scheme():
    found = slurm(f'accounting: {{database: {{host: db.example.com, user: slurm, password_secret: "{SECRET}"}}}}')
    assert found["Database"] == {
        "Uri": "db.example.com:3306",
        "UserName": "slurm",
        "PasswordSecretArn": SECRET,
    }


def test_a_slurmdbd_elsewhere_takes_the_place_of_a_database():
    found = slurm(f'munge_secret: "{SECRET}", accounting: {{slurmdbd: {{host: 10.0.0.7}}}}')
    assert found["ExternalSlurmdbd"] == {"Host": "10.0.0.7", "Port": 6819}
    assert found["MungeKeySecretArn"] == SECRET
    assert "Database" not in found


def test_without_internet_nodes_find_each_other_by_the_names_that_ec2_gives_them():
    assert settings("network: {internet: none}")["Dns"] == {"DisableManagedDns": True, "UseEc2Hostnames": True}
    assert "Dns" not in settings("network: {internet: nat}")


def test_memory_is_a_resource_only_where_that_was_asked_for():
    assert slurm("memory_scheduling: true")["EnableMemoryBasedScheduling"] is True


def test_jobs_on_ultraservers_get_whole_nodes_and_a_prolog_on_all_of_them():
    of_type = "instance_type: p6e-gb200.36xlarge"
    queues = f"queues: [{{name: a, {of_type}}}, {{name: b, {of_type}, job_exclusive: false}}]"
    scheduling = cluster(queues)["Scheduling"]
    assert scheduling["SlurmSettings"]["CustomSlurmSettings"] == [
        {"PrologFlags": "Alloc,NoHold"},
        {"MessageTimeout": 240},
    ]
    assert [queue["JobExclusiveAllocation"] for queue in scheduling["SlurmQueues"]] == [True, False]
    own = "parallelcluster: {slurm: {settings: {messagetimeout: 300}}}"
    assert settings(f"{queues}\n{own}")["CustomSlurmSettings"] == [
        {"PrologFlags": "Alloc,NoHold"},
        {"messagetimeout": 300},
    ]
