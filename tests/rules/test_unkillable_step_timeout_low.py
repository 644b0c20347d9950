import pytest

from tests.rules.found import paths, problems

RULE = "unkillable-step-timeout-low"
SLURM = "parallelcluster: {{slurm: {{{}}}}}"
FIELD = "parallelcluster.slurm.unkillable_step_timeout_s"


@pytest.mark.parametrize(("timeout_s", "found"), [(120, [FIELD]), (299, [FIELD]), (300, []), (600, [])])
def test_five_times_the_message_timeout_of_parallelcluster_are_needed(timeout_s: int, found: list[str]):
    assert paths(RULE, SLURM.format(f"unkillable_step_timeout_s: {timeout_s}")) == found


def test_the_message_names_both_times_and_the_remedy_says_what_comes_by_itself():
    (problem,) = problems(RULE, SLURM.format("unkillable_step_timeout_s: 120"))
    assert problem.message == "UnkillableStepTimeout of 120 s, and five times MessageTimeout (60 s) are 300 s"
    assert problem.remedy is not None
    assert "300" in problem.remedy


@pytest.mark.parametrize("message_timeout", ["MessageTimeout: 100", "messagetimeout: '100'"])
def test_a_message_timeout_of_the_user_s_counts_however_it_is_spelt(message_timeout: str):
    settings = f"settings: {{{message_timeout}}}"
    assert paths(RULE, SLURM.format(f"unkillable_step_timeout_s: 499, {settings}")) == [FIELD]
    assert paths(RULE, SLURM.format(f"unkillable_step_timeout_s: 500, {settings}")) == []


def test_a_shorter_message_timeout_allows_a_shorter_time():
    assert paths(RULE, SLURM.format("unkillable_step_timeout_s: 120, settings: {MessageTimeout: 24}")) == []


def test_a_line_of_slurm_conf_is_found_too():
    part = SLURM.format("settings: {unkillableSteptimeout: 180}")
    assert paths(RULE, part) == ["parallelcluster.slurm.settings.unkillableSteptimeout"]


def test_nothing_is_said_of_what_is_no_number_or_not_written():
    assert paths(RULE, SLURM.format("settings: {UnkillableStepTimeout: INFINITE}")) == []
    assert paths(RULE, SLURM.format("settings: {MessageTimeout: 100}")) == []
    assert paths(RULE, SLURM.format("unkillable_step_timeout_s: 300, settings: {MessageTimeout: a lot}")) == []
