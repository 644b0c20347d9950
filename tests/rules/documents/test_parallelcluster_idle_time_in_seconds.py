import pytest

from tests.rules.documents.found import problems

RULE = "parallelcluster-idle-time-in-seconds"


def test_hours_are_named_with_what_was_meant():
    (problem,) = problems(RULE, "Scheduling: {SlurmSettings: {ScaledownIdletime: 600}}")
    assert problem.message == "ScaledownIdletime 600 is 10 hours: it counts minutes"
    assert problem.remedy == "write 10 for 600 seconds"


@pytest.mark.parametrize("minutes", ["10", "120", "-1", "'${MINUTES}'"])
def test_minutes_pass(minutes: str):
    assert problems(RULE, f"Scheduling: {{SlurmSettings: {{ScaledownIdletime: {minutes}}}}}") == []
