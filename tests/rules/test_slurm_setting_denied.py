import pytest

from tests.rules.found import paths, problems
from trainyard.rules import all_rules

RULE = "slurm-setting-denied"


def of_cluster(setting: str, more: str = "", version: str = "3.16.1") -> str:
    return f"parallelcluster: {{version: {version}, slurm: {{settings: {{{setting}: 1}}{more}}}}}"


@pytest.mark.parametrize("setting", ["Prolog", "prolog", "SuspendProgram", "TREEWIDTH"])
def test_a_setting_of_the_cluster_is_found_however_it_is_spelt(setting: str):
    (problem,) = problems(RULE, of_cluster(setting))
    assert problem.path == ("parallelcluster", "slurm", "settings", setting)
    assert problem.message == f"ParallelCluster 3.16.1 sets {setting} itself"


def test_every_level_has_its_own_list():
    part = """\
queues:
  - name: flat
    instance_type: m5.large
    partition_settings: {State: UP, Weight: 1, MaxTime: 60}
    slurm_settings: {Weight: 1, Features: a}
  - name: long
    compute_resources: [{instance_type: m5.large, slurm_settings: {Gres: gpu}}]
"""
    assert paths(RULE, part) == [
        "queues[0].partition_settings.State",
        "queues[0].slurm_settings.Weight",
        "queues[1].compute_resources[0].slurm_settings.Gres",
    ]


def test_accounting_takes_further_settings_away():
    database = (
        "database: {host: db.example.com, user: admin,"
        " password_secret: 'arn:aws:secretsmanager:us-east-2:123456789012:secret:name-AbCdEf'}"
    )
    assert paths(RULE, of_cluster("JobAcctGatherType")) == []
    assert paths(RULE, of_cluster("JobAcctGatherType", f", accounting: {{{database}}}")) == [
        "parallelcluster.slurm.settings.JobAcctGatherType"
    ]


def test_a_field_of_its_own_is_named_where_there_is_one():
    (problem,) = problems(RULE, of_cluster("ResumeTimeout"))
    assert problem.remedy == "write timeouts.compute_node_s instead"


def test_lists_differ_by_version():
    assert paths(RULE, of_cluster("CommunicationParameters", version="3.8.0")) != []
    assert paths(RULE, of_cluster("CommunicationParameters", version="3.16.1")) == []


def test_nothing_is_claimed_of_an_unknown_version():
    assert paths(RULE, of_cluster("Prolog", version="9.9.9")) == []


@pytest.mark.parametrize(
    ("setting", "folder"),
    [("Prolog", "/opt/slurm/etc/scripts/prolog.d"), ("EPILOG", "/opt/slurm/etc/scripts/epilog.d")],
)
def test_scripts_around_jobs_have_a_folder(setting: str, folder: str):
    (problem,) = problems(RULE, of_cluster(setting))
    assert problem.remedy is not None
    assert folder in problem.remedy


def test_other_settings_have_the_remedy_of_the_rule_which_names_no_folder():
    (problem,) = problems(RULE, of_cluster("TreeWidth"))
    assert problem.remedy is None
    assert ".d" not in next(named.remedy for named in all_rules() if named.id == RULE)


@pytest.mark.parametrize("setting", ["PluginDir", "Include", "include"])
def test_what_takes_code_or_settings_from_elsewhere_is_found(setting: str):
    (problem,) = problems(RULE, of_cluster(setting))
    assert problem.path[-1] == setting
    assert problem.message.startswith(f"{setting} ")
