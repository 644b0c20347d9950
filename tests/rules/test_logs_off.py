from tests.rules.found import paths, problems

RULE = "logs-off"


def test_logs_that_are_off_are_found():
    assert paths(RULE, "monitoring: {logs: false}") == ["monitoring.logs"]


def test_what_was_written_about_keeping_them_has_no_effect():
    found = problems(RULE, "monitoring: {logs: false, keep_logs: true, log_retention_days: 30}")
    assert [(problem.path[-1], problem.severity) for problem in found] == [
        ("logs", None),
        ("keep_logs", "error"),
        ("log_retention_days", "error"),
    ]


def test_logs_are_on_by_default():
    assert paths(RULE, "monitoring: {keep_logs: false}") == []
