import pytest

from tests.rules.found import paths, problems

RULE = "slurm-setting-repeated"


@pytest.mark.parametrize(
    ("field", "setting"),
    [
        ("kill_wait_s", "KillWait"),
        ("slurmd_timeout_s", "slurmdtimeout"),
        ("unkillable_step_timeout_s", "UnkillableStepTimeout"),
    ],
)
def test_a_setting_with_a_field_of_its_own_is_found(field: str, setting: str):
    (problem,) = problems(RULE, f"parallelcluster: {{slurm: {{{field}: 60, settings: {{{setting}: 90}}}}}}")
    assert problem.path == ("parallelcluster", "slurm", "settings", setting)
    assert problem.message == f"{setting} was given already, as {field}"


def test_the_setting_alone_is_fine():
    assert paths(RULE, "parallelcluster: {slurm: {settings: {KillWait: 90}}}") == []


def test_case_makes_no_difference_at_any_level():
    part = """\
parallelcluster: {slurm: {settings: {MessageTimeout: 60, messagetimeout: 90}}}
queues:
  - name: q
    partition_settings: {MaxTime: 60, MAXTIME: 90}
    compute_resources:
      - {instance_type: m5.large, slurm_settings: {Features: a, features: b}}
"""
    assert paths(RULE, part) == [
        "parallelcluster.slurm.settings.messagetimeout",
        "queues[0].partition_settings.MAXTIME",
        "queues[0].compute_resources[0].slurm_settings.features",
    ]


def test_one_setting_may_stand_at_several_levels():
    part = """\
parallelcluster: {slurm: {kill_wait_s: 60}}
queues: [{name: q, instance_type: m5.large, partition_settings: {KillWait: 1}, slurm_settings: {KillWait: 1}}]
"""
    assert paths(RULE, part) == []
