"""Logs and trouble."""

from __future__ import annotations

from tests.mission.subject import options, page
from trainyard.api.diagnose import diagnose_files


def test_log_1_streams_are_searched_by_time_node_and_pattern():
    assert {"--log", "--since", "--grep", "--node", "--follow"} <= options("logs")


def test_log_2_logs_are_exported_and_read_again():
    assert {"--export", "--until"} <= options("logs")
    guide = page("guides/troubleshooting.md")
    for log in ("cfn-init", "cloud-init", "clustermgtd", "slurm_resume", "slurm_suspend"):
        assert log in guide


def test_log_3_events_and_the_checklist_are_there(tmp_path):
    assert "describe-stack-events" in page("guides/timeouts.md")
    log = tmp_path / "clustermgtd"
    log.write_text("2026-11-22 10:00:00 ERROR InsufficientInstanceCapacity: no capacity for p5.48xlarge\n" * 3)
    assert diagnose_files(str(log)).causes


def test_log_4_why_a_creation_fails_has_its_table():
    rows = [line for line in page("guides/troubleshooting.md").splitlines() if line.startswith("| ")]
    assert len(rows) > 10


def test_log_5_a_failed_cluster_stays_unless_told_otherwise():
    assert "--rollback-on-failure" in options("deploy")
    assert "--recreate" in options("deploy")
